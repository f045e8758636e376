/** The secrets in URLs: user names and passwords, and query parameters, path segments and fragments that hold a key. */
import { Option } from "effect"
import { mask } from "../../../schema/Mask.ts"
import { readImageName } from "../image/ImageName.ts"
import { isSecretName, looksLikeKey } from "./HeldSecrets.ts"

type Hide = (secret: string) => string

const percentDecoded = Option.liftThrowable(decodeURIComponent)
const decoded = (text: string): string => Option.getOrElse(percentDecoded(text), () => text)

/** Scheme, authority with path, query, fragment. The text is kept as it is spelled, so nothing is normalized. */
const anatomy = /^([a-z][a-z\d+.-]*:\/\/)?([^?#]*)(\?[^#]*)?(#.*)?$/is

const hidePair = (pair: string, hide: Hide): string => {
  const at = pair.indexOf("=")
  const [name, value] = at < 0 ? ["", pair] : [pair.slice(0, at), pair.slice(at + 1)]
  const plain = decoded(value.replaceAll("+", " "))
  const isSecret = value !== "" && value !== mask &&
    ((at >= 0 && isSecretName(decoded(name))) || looksLikeKey(plain) || (plain.includes("://") && maskUrl(plain) !== plain))
  return isSecret ? `${at < 0 ? "" : `${name}=`}${hide(value)}` : pair
}

/** The parameters of a query or a fragment, after its first character. */
const hidePairs = (text: string, hide: Hide): string =>
  text.slice(0, 1) + text.slice(1).split(/([&;])/).map((pair) => hidePair(pair, hide)).join("")

/** An image that somebody put into a text is meant to be seen by its readers. */
const isKey = (segment: string): boolean => looksLikeKey(segment) && readImageName(segment) === null

const hideSegments = (path: string, hide: Hide): string =>
  path.split("/").map((segment, at) => at > 0 && isKey(decoded(segment)) ? hide(segment) : segment).join("/")

/** The `user:password` of an authority. */
const hideUser = (path: string, hide: Hide): string => {
  const [authority = ""] = path.split("/", 1)
  const at = authority.lastIndexOf("@")
  const user = path.slice(0, Math.max(at, 0))
  return at < 0 || user === mask ? path : hide(user) + path.slice(at)
}

const rewrite = (url: string, hide: Hide): string => {
  const found = anatomy.exec(url)
  if (found === null) return url
  const [, scheme = "", path = "", query = "", fragment = ""] = found
  const shown = hideSegments(scheme === "" ? path : hideUser(path, hide), hide)
  return `${scheme}${shown}${hidePairs(query, hide)}${hidePairs(fragment, hide)}`
}

/** The URL with each of its secrets masked; it stays a URL. */
export function maskUrl(url: string): string {
  return rewrite(url, () => mask)
}

/** The secrets of a URL, as they are written and decoded. */
export const urlSecrets = (url: string): ReadonlyArray<string> => {
  const secrets: Array<string> = []
  rewrite(url, (secret) => {
    secrets.push(secret, decoded(secret))
    return mask
  })
  return [...new Set(secrets)]
}

const urls = /\b[a-z][a-z\d+.-]{0,20}:\/\/[^\s"'<>`]+/gi
/** Ends a sentence more often than a URL. */
const punctuation = ".,:!?)"

const endOf = (url: string): number => {
  let end = url.length
  while (punctuation.includes(url.charAt(end - 1)) && end > 0) end--
  return end
}

const parameters = /[?&][\w.~%-]{1,100}=[^\s&#;"'<>`]+/g

const before = (punctuated: string, change: (text: string) => string): string => {
  const end = endOf(punctuated)
  return change(punctuated.slice(0, end)) + punctuated.slice(end)
}

/** A text with the secrets of all its URLs masked, also in a path with a query, such as `GET /status?token=...`. */
export const maskUrls = (text: string): string =>
  text.includes("://") || text.includes("=")
    ? text.replace(urls, (url) => before(url, maskUrl))
      .replace(parameters, (found) => before(found, (pair) => hidePairs(pair, () => mask)))
    : text
