/** Host names as people type them. DNS, mail and certificates know international ones in ASCII (UTS 46, as in the URL Standard). */

/** The form of a host in a URL, in ASCII and lower case, without a final dot; null for anything else. */
export const asciiHost = (text: string): string | null => {
  if (/[\s/\\?#@:[\]%]/.test(text) || !URL.canParse(`http://${text}/`)) return null
  return new URL(`http://${text}/`).hostname.replace(/\.$/, "")
}

/** `postmaster@bücher.example` with its domain in ASCII. A letter that merely looks like one of ASCII stays, to be refused. */
export const withAsciiDomain = (address: string): string => {
  const at = address.lastIndexOf("@")
  const domain = address.slice(at + 1)
  if (!/[^\x20-\x7e]/.test(domain)) return address
  const ascii = asciiHost(domain)?.split(".") ?? []
  const isFaithful = domain.split(".").every((label, index) => /^[\x20-\x7e]*$/.test(label) || ascii[index]?.startsWith("xn--"))
  return isFaithful ? address.slice(0, at + 1) + ascii.join(".") : address
}
