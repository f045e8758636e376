/** The addresses that an app may be sent back to with a code. (RFC 9700, 2.1 and 4.1; RFC 8252, 7 and 8.4.) */
import { parsedUrl } from "../../../schema/UrlText.ts"

/** Characters of one address. */
const longestRedirect = 500

const loopback = new Set(["127.0.0.1", "[::1]", "localhost"])

const isLoopback = ({ hostname, protocol }: URL): boolean => protocol === "http:" && loopback.has(hostname)

/** Schemes that browsers run or open themselves. Others belong to an app on the person's device. */
const ofBrowsers = new Set([
  "about:",
  "blob:",
  "chrome:",
  "data:",
  "file:",
  "filesystem:",
  "ftp:",
  "javascript:",
  "mailto:",
  "sms:",
  "tel:",
  "vbscript:",
  "view-source:",
  "ws:",
  "wss:"
])

/** Why an app cannot register an address; null if it can. */
export const redirectRefusal = (uri: string): string | null => {
  if (uri.length > longestRedirect) return `A redirect URI has at most ${longestRedirect} characters`
  // Without characters that a browser would drop or escape, so the compared address is the one that is opened.
  if (!/^[a-z][a-z0-9+.-]*:\/\/[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/i.test(uri)) {
    return "A redirect URI is absolute, such as https://app.example/callback"
  }
  const url = parsedUrl(uri)
  if (url === null) return "A redirect URI is absolute, such as https://app.example/callback"
  if (uri.includes("#")) return "A redirect URI has no fragment"
  if (url.username !== "" || url.password !== "") return "A redirect URI has no user name and no password"
  if (ofBrowsers.has(url.protocol)) return `A redirect URI cannot begin with ${url.protocol}`
  return url.protocol === "http:" && !isLoopback(url) ? "A redirect URI uses https, or http at localhost" : null
}

/** A loopback address without its port, which the app takes as it is free (RFC 8252, 7.3). The others are compared as they are. */
const compared = (uri: string): string => {
  const url = parsedUrl(uri)
  if (url === null || !isLoopback(url)) return uri
  url.port = ""
  return url.href
}

export const isRegistered = (registered: ReadonlyArray<string>, asked: string): boolean =>
  redirectRefusal(asked) === null && registered.some((one) => one === asked || compared(one) === compared(asked))

/** Where an address leads, in the words of the consent page. */
export const redirectHost = (uri: string): string => {
  const url = parsedUrl(uri)
  if (url === null) return uri
  return /^https?:$/.test(url.protocol) ? url.host : `${url.protocol}//`
}

/** The source of an address in a `form-action` directive: browsers also apply it to the redirect that follows a form. */
export const formTarget = (uri: string): string => {
  const url = parsedUrl(uri)
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : (url?.protocol ?? "'none'")
}
