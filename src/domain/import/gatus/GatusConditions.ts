/** The conditions of a Gatus endpoint as fields and assertions of a monitor. */
import type { Notes } from "../Carry.ts"
import type { Loose } from "../Loose.ts"

const units: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 }

/** In seconds; null for a text that is no duration. */
export const secondsOf = (text: string): number | null => {
  if (!/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|[smhd]))+$/.test(text)) return null
  return [...text.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|[smhd])/g)].reduce(
    (sum, [, count = "0", unit = "s"]) => sum + Number(count) * (units[unit] ?? 0),
    0
  )
}

interface Condition {
  readonly left: string
  readonly operator: string
  readonly right: string
}

const operators: Readonly<Record<string, string>> = { "==": "eq", "!=": "neq", "<": "lt", "<=": "lte", ">": "gt", ">=": "gte" }

/** The first operator between spaces divides a condition, as in Gatus. */
const conditionOf = (text: string): Condition | null => {
  const words = text.trim().split(/\s+/)
  const at = words.findIndex((word) => Object.hasOwn(operators, word))
  const [left, operator, right] = [words.slice(0, at).join(" "), words[at], words.slice(at + 1).join(" ")]
  return at < 1 || operator === undefined || right === "" ? null : { left, operator, right }
}

interface Carried {
  readonly fields?: Loose
  readonly assertion?: Loose
}

const literal = (text: string): string | number | boolean =>
  text === "true"
    ? true
    : text === "false"
    ? false
    : /^-?\d+(?:\.\d+)?$/.test(text)
    ? Number(text)
    : text.replace(/^(["'])(.*)\1$/, "$2")

/** Codes of `any(200, 429)`, or one code. */
const codesOf = (text: string): string | null => {
  const codes = (/^any\((.*)\)$/.exec(text)?.[1] ?? text).split(",").map((code) => code.trim())
  return codes.every((code) => /^[1-5]\d\d$/.test(code)) ? codes.join(",") : null
}

const statusOf = ({ operator, right }: Condition): Carried | null => {
  if (operator === "==") {
    const codes = codesOf(right)
    return codes === null ? null : { fields: { expectedStatus: codes } }
  }
  const op = operators[operator]
  const code = Number(right)
  if (op === undefined || !Number.isInteger(code)) return null
  // Otherwise only 2xx would be accepted in the first place.
  return { fields: { expectedStatus: "100-599" }, assertion: { source: "status", op, value: code } }
}

/** The text in `pat(*text*)`; null for other patterns. */
const containedIn = (pattern: string): string | null => /^pat\(\*([^*?[\]]+)\*\)$/.exec(pattern)?.[1] ?? null

const bodyOf = ({ left, operator, right }: Condition): Carried | null => {
  const path = left.slice("[BODY]".length).replace(/^\./, "")
  const contained = containedIn(right)
  const op = operators[operator]
  if (path === "") {
    if (contained !== null && operator === "==") return { fields: { keyword: contained } }
    if (contained !== null && operator === "!=") return { fields: { keywordAbsent: contained } }
    return contained === null && (operator === "==" || operator === "!=") && !/^(?:pat|any|len|has)\(/.test(right)
      ? { assertion: { source: "body", op, value: String(literal(right)) } }
      : null
  }
  if (contained !== null) {
    return operator === "==" || operator === "!="
      ? { assertion: { source: "json", path, op: operator === "==" ? "contains" : "not_contains", value: contained } }
      : null
  }
  return op === undefined || /^(?:pat|any|len|has)\(/.test(right)
    ? null
    : { assertion: { source: "json", path, op, value: literal(right) } }
}

/** `has([BODY].items[0])` is whether there is such a value. */
const presenceOf = ({ left, operator, right }: Condition): Carried | null => {
  const path = /^has\(\[BODY\]\.?(.+)\)$/.exec(left)?.[1]
  if (path === undefined || (operator !== "==" && operator !== "!=") || (right !== "true" && right !== "false")) return null
  const isWanted = (right === "true") === (operator === "==")
  return { assertion: { source: "json", path, op: isWanted ? "exists" : "not_exists" } }
}

const daySec = 86_400

const carriedOf = (condition: Condition): Carried | null => {
  const { left, operator, right } = condition
  if (left === "[STATUS]") return statusOf(condition)
  if (left === "[RESPONSE_TIME]") {
    const op = operators[operator]
    const value = Number(right)
    return op === undefined || !Number.isFinite(value) ? null : { assertion: { source: "latency", op, value } }
  }
  if (left === "[CERTIFICATE_EXPIRATION]") {
    const seconds = secondsOf(right)
    return seconds === null || !operator.startsWith(">")
      ? null
      : { fields: { sslExpiryDays: Math.min(365, Math.max(1, Math.ceil(seconds / daySec))) } }
  }
  if (left.startsWith("has(")) return presenceOf(condition)
  return left === "[BODY]" || left.startsWith("[BODY].") || left.startsWith("[BODY][") ? bodyOf(condition) : null
}

/** Gatus gives the values of a DNS answer, joined, as the body. */
const dnsCarried = ({ left, operator, right }: Condition): Carried | null =>
  left === "[BODY]" && operator === "==" && !/^(?:pat|any|len|has)\(/.test(right)
    ? { fields: { expected: [right.replace(/^(["'])(.*)\1$/, "$2")] } }
    : null

const tcpSources: ReadonlyArray<string> = ["[RESPONSE_TIME]", "[CERTIFICATE_EXPIRATION]"]

const always = ({ left, operator, right }: Condition): boolean =>
  (left === "[CONNECTED]" && operator === "==" && right === "true") ||
  (left === "[DNS_RCODE]" && operator === "==" && right === "NOERROR")

/** Other kinds of monitors carry no conditions. */
const carriedBy: Readonly<Record<string, (condition: Condition) => Carried | null>> = {
  http: carriedOf,
  dns: dnsCarried,
  tcp: (condition) => (tcpSources.includes(condition.left) ? carriedOf(condition) : null)
}

/** A condition that cannot be carried is quoted in a note. */
export const gatusConditions = (notes: Notes, conditions: ReadonlyArray<string>, kind: string): Loose => {
  const assertions: Array<Loose> = []
  let fields: Loose = {}
  for (const text of conditions) {
    const condition = conditionOf(text)
    const carried = condition === null ? null : always(condition) ? {} : carriedBy[kind]?.(condition) ?? null
    if (carried === null) {
      notes.say(`The condition "${text}" is not carried`)
      continue
    }
    fields = { ...fields, ...carried.fields }
    if (carried.assertion !== undefined) assertions.push(carried.assertion)
  }
  if (assertions.length > 30) notes.say(`Of ${assertions.length} assertions 30 are carried`)
  return { ...fields, ...(assertions.length === 0 ? {} : { assertions: assertions.slice(0, 30) }) }
}
