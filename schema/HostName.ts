/** Host names as people type them. DNS, mail and certificates know international ones in ASCII (UTS 46, as in the URL Standard). */
import { parsedUrl } from "./UrlText.ts"

/** The form of a host in a URL, in ASCII and lower case, without a final dot; null for anything else. */
export const asciiHost = (text: string): string | null =>
  /[\s/\\?#@:[\]%]/.test(text) ? null : parsedUrl(`http://${text}/`)?.hostname.replace(/\.$/, "") ?? null

/** `postmaster@bücher.example` with its domain in ASCII. A letter that merely looks like one of ASCII stays, to be refused. */
export const withAsciiDomain = (address: string): string => {
  const at = address.lastIndexOf("@")
  const domain = address.slice(at + 1)
  if (!/[^\x20-\x7e]/.test(domain)) return address
  const ascii = asciiHost(domain)?.split(".") ?? []
  const isFaithful = domain.split(".").every((label, index) => /^[\x20-\x7e]*$/.test(label) || ascii[index]?.startsWith("xn--"))
  return isFaithful ? address.slice(0, at + 1) + ascii.join(".") : address
}
