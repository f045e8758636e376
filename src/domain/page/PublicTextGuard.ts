/** Finds what a text for customers must not contain: hostnames, addresses, error output and terms that a page avoids. */
import ipaddr from "ipaddr.js"
import { markdownText } from "../markdown/MarkdownText.ts"
import type { Refusal } from "../Refusal.ts"
import { cut } from "../tools/text/TrimText.ts"
import { errorOutputIn } from "./ErrorOutput.ts"

/** Forbidden texts beside hostnames, addresses and error output. */
export interface PublicTextPolicy {
  /** The terms that the pages avoid. (Specification: Status page, `settings.aiAvoidTerms`.) */
  readonly avoidTerms: ReadonlyArray<string>
  /** Texts of the checks behind the incident, such as the target's URL and its last error. */
  readonly confidential: ReadonlyArray<string>
}

/** Punctuation around a word; what is longer is no word of a sentence. */
const mostAround = 200
const closings = new Set("!*_~#/.-?")
const ends = new Set([...closings, ":"])

const withoutStart = (token: string): string => {
  let start = 0
  while (start < mostAround && ends.has(token.charAt(start))) start++
  return token.slice(start)
}

const without = (signs: ReadonlySet<string>, token: string): string => {
  const least = Math.max(token.length - mostAround, 0)
  let end = token.length
  while (end > least && signs.has(token.charAt(end - 1))) end--
  return token.slice(0, end)
}

/** Each word of a text, with and without surrounding punctuation: the colons of an IPv6 address may be at either end. */
const tokensOf = (text: string): ReadonlyArray<string> =>
  text.split(/[\s,;()<>"'`[\]{}|=„“”‘’«»]+/u).flatMap((token) => {
    const withoutEnd = without(ends, token)
    return token === "" ? [] : [withoutStart(withoutEnd), without(closings, token), withoutEnd, token]
  })

/** The longest address with a zone. */
const longestAddress = 100
const ipv4Like = /^\d{1,3}(?:\.\d{1,3}){3}$/
const ipv6Like = /^(?=.*::|(?:[^:]*:){6})(?!.*::.*::)[\da-fx:]+(?:(?:\.[\da-fx]+){3})?(?:%[\da-z]+)?$/i

/** The library makes an error, with its stack, of each text that is no address, so it is asked only about what looks like one. */
const isAddress = (token: string): boolean => {
  const [host = ""] = token.split("/", 1)
  if (host.length > longestAddress) return false
  const unzoned = host.replace(/%\w{1,20}$/, "")
  const alone = host.replace(/:\d{1,5}$/, "").replace(/%\w{1,20}$/, "")
  return ipv4Like.test(alone) ? ipaddr.IPv4.isValidFourPartDecimal(alone) : ipv6Like.test(unzoned) && ipaddr.IPv6.isValid(unzoned)
}

const label = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_-]{0,61}[\p{L}\p{N}_])?$/u
const topLevel = /^(?:\p{L}{2,63}|xn--[a-z0-9-]{1,59})$/iu
/** A machine's name without a domain, such as `db-prod-1`. */
const machine = /^\p{L}[\p{L}\p{N}]*(?:-[\p{L}\p{N}]+){2,6}$/u

const isHostname = (host: string): boolean => {
  const labels = host.split(".")
  return labels.length > 1
    ? labels.every((one) => label.test(one)) && topLevel.test(labels.at(-1) ?? "")
    : host.toLowerCase() === "localhost" || (machine.test(host) && /\d$/.test(host))
}

/** Also finds the host of a URL, of an email address, and one with a port. */
const namesHost = (token: string): boolean => {
  if (token.includes("://")) return true
  const [authority = ""] = token.split(/[/?#]/)
  const host = authority.slice(authority.lastIndexOf("@") + 1)
  const named = host.replace(/:\d{1,5}$/, "")
  return isHostname(named) || (named !== host && /^\p{L}[\w-]{0,62}$/u.test(named))
}

const longest = 80
const quoted = (text: string) => `"${cut(text, longest)}"`

const contains = (text: string, terms: ReadonlyArray<string>): string | null => {
  const lower = text.toLowerCase()
  return terms.find((term) => term.trim() !== "" && lower.includes(term.trim().toLowerCase())) ?? null
}

/** Signs that separate the labels of a name like a dot, where they stand between Latin letters; elsewhere they end sentences. */
const otherDots = /(?<=[\p{Script=Latin}\p{N}\p{So}])[\u3002\uFF0E\uFF61](?=[\p{Script=Latin}\p{N}\p{So}])/gu
const stops = /[\u3002\uFF0E\uFF61]/gu
/** `evil[.]example` and `evil (dot) example`, which people undo. */
const hiddenDot = /\s{0,3}[[({]\s{0,3}(?:\.|dot)\s{0,3}[\])}]\s{0,3}/giu

/** Without what readers do not see, and with the ordinary signs in place of others that look the same. */
const plainly = (text: string): string =>
  text.replace(/\p{Default_Ignorable_Code_Point}/gu, "").replace(otherDots, ".").replace(stops, " ").replace(hiddenDot, ".")
    .normalize("NFKC")

/** The text as it is written, and as its Markdown is shown, with the addresses of its links: marks and entities can part a name. */
const readings = (text: string): ReadonlyArray<string> => [...new Set([text, plainly(text), plainly(markdownText(text))])]

/** Why a text must not be published; one refusal for each kind of problem, with the first place that shows it. */
export const publicTextRefusals = (path: string, text: string, policy: PublicTextPolicy): ReadonlyArray<Refusal> => {
  const texts = readings(text)
  const tokens = [...new Set(texts.flatMap(tokensOf))]
  const first = (find: (reading: string) => string | null): string | undefined =>
    texts.map(find).find((where) => where !== null) ?? undefined
  const found = [
    ["an IP address", tokens.find(isAddress)],
    ["a hostname", tokens.find((token) => namesHost(token) && !isAddress(token))],
    ["error output", first(errorOutputIn)],
    ["a text of the failing check", first((reading) => contains(reading, policy.confidential))],
    ["a term that the page avoids", first((reading) => contains(reading, policy.avoidTerms))]
  ] as const
  return found.flatMap(([what, where]) =>
    where === undefined ? [] : [{
      path,
      message: `The text contains ${what}: ${quoted(where)}. Remove it`,
      hint: "Customers read this text. Describe the effect and the remedy without technical details"
    }]
  )
}
