/** The conditions of a Gatus endpoint as fields and assertions of a monitor. */
import { type Notes, ownAssertions } from "../Carry.ts"
import type { Loose } from "../Loose.ts"
import { anyOf, type Comparand, comparandOf, literal, type Operator, patternOf } from "./GatusComparand.ts"

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
  /** The placeholder with its path, without its function: `[BODY].items`. */
  readonly subject: string
  readonly call: "len" | "has" | null
  readonly operator: Operator
  readonly right: string
}

/** Where a condition is divided, in the order in which Gatus looks. */
const operators = ["==", "!=", "<=", ">=", ">", "<"] as const

const mirrored: Readonly<Record<Operator, Operator>> = { "==": "==", "!=": "!=", "<=": ">=", ">=": "<=", ">": "<", "<": ">" }

const isPlaceholder = (text: string): boolean => /^(?:(?:len|has)\()?\[[a-z_]+\]/i.test(text)

const conditionOf = (text: string): Condition | null => {
  const operator = operators.find((one) => text.includes(` ${one} `))
  if (operator === undefined) return null
  const [first = "", ...others] = text.split(` ${operator} `)
  const [left, right] = [first.trim(), others.join(` ${operator} `).trim()]
  if (left === "" || right === "" || isPlaceholder(left) === isPlaceholder(right)) return null
  const [whole, other] = isPlaceholder(left) ? [left, right] : [right, left]
  const [, call, inner = whole] = /^(len|has)\((.*)\)$/.exec(whole) ?? []
  return {
    subject: inner.replace(/^\[[a-z_]+\]/i, (name) => name.toUpperCase()),
    call: call === "len" || call === "has" ? call : null,
    operator: isPlaceholder(left) ? operator : mirrored[operator],
    right: other
  }
}

/** The fields that carry a condition; several assertions must all hold. */
interface Carried {
  /** At most one. */
  readonly fields?: Loose
  readonly assertions?: ReadonlyArray<Loose>
}

const ops: Readonly<Record<Operator, string>> = { "==": "eq", "!=": "neq", "<": "lt", "<=": "lte", ">": "gt", ">=": "gte" }

const asserting = (...assertions: ReadonlyArray<Loose>): Carried => ({ assertions })

/** A comparison with any, pat or a plain value. Assertions must all hold, so alternatives become a pattern. */
const compared = (source: Loose, operator: Operator, comparand: Comparand): Carried | null => {
  const op = ops[operator]
  if (comparand.kind === "value") return asserting({ ...source, op, value: literal(comparand.text) })
  if (operator === "==") return asserting({ ...source, op: "matches", value: patternOf(comparand) })
  if (operator !== "!=") return null
  if (comparand.kind === "any") {
    return asserting(...comparand.options.map((option) => ({ ...source, op, value: literal(option) })))
  }
  return comparand.part === null ? null : asserting({ ...source, op: "not_contains", value: comparand.part })
}

const statusOf = ({ operator, right }: Condition): Carried | null => {
  const comparand = comparandOf(right)
  const codes = comparand.kind === "any" ? comparand.options : comparand.kind === "value" ? [comparand.text] : []
  const areCodes = codes.length > 0 && codes.every((code) => /^[1-5]\d\d$/.test(code))
  if (operator === "==" && areCodes) return { fields: { expectedStatus: codes.join(",") } }
  if (comparand.kind === "value" && !/^\d+$/.test(comparand.text)) return null
  return compared({ source: "status" }, operator, comparand)
}

/** The longest text that becomes a pattern. */
const longestPattern = 500
const longestKeyword = 500

/** Gatus compares the whole body without the space around it. */
const wholeBodyOf = ({ operator, right }: Condition): Carried | null => {
  const comparand = comparandOf(right)
  if (comparand.kind === "pattern" && comparand.part !== null && comparand.part.length <= longestKeyword) {
    if (operator === "==") return { fields: { keyword: comparand.part } }
    if (operator === "!=") return { fields: { keywordAbsent: comparand.part } }
  }
  if (comparand.kind === "value" && operator === "==" && right.length <= longestPattern) {
    return asserting({
      source: "body",
      op: "matches",
      value: patternOf({ kind: "any", options: [String(literal(comparand.text))] })
    })
  }
  return compared({ source: "body" }, operator, comparand)
}

const presenceOf = (source: Loose, isWanted: boolean): Carried => asserting({ ...source, op: isWanted ? "exists" : "not_exists" })

const bodyOf = (condition: Condition): Carried | null => {
  const { call, operator, right, subject } = condition
  const path = subject.slice("[BODY]".length).replace(/^\./, "")
  const source = path === "" ? { source: "body" } : { source: "json", path }
  if (call === "has") {
    const isWanted = (right === "true") === (operator === "==")
    return (operator === "==" || operator === "!=") && (right === "true" || right === "false")
      ? presenceOf(source, isWanted)
      : null
  }
  if (call === null) return path === "" ? wholeBodyOf(condition) : compared(source, operator, comparandOf(right))
  return compared({ source: "json", path: `${path === "" ? "$" : path}.length` }, operator, comparandOf(right))
}

const daySec = 86_400

const latencyOf = ({ operator, right }: Condition): Carried | null => {
  const seconds = secondsOf(right)
  const value = seconds === null ? Number(right) : Math.round(seconds * 1000)
  return Number.isFinite(value) ? asserting({ source: "latency", op: ops[operator], value }) : null
}

const certificateOf = ({ operator, right }: Condition): Carried | null => {
  const seconds = secondsOf(right)
  return seconds === null || !operator.startsWith(">")
    ? null
    : { fields: { sslExpiryDays: Math.min(365, Math.max(1, Math.ceil(seconds / daySec))) } }
}

const carriedOf = (condition: Condition): Carried | null => {
  const { call, subject } = condition
  if (/^\[BODY\](?:$|[.[])/.test(subject)) return bodyOf(condition)
  if (call !== null) return null
  return subject === "[STATUS]"
    ? statusOf(condition)
    : subject === "[RESPONSE_TIME]"
    ? latencyOf(condition)
    : subject === "[CERTIFICATE_EXPIRATION]"
    ? certificateOf(condition)
    : null
}

/** Gatus gives the values of a DNS answer, joined, as the body. */
const dnsCarried = ({ call, operator, right, subject }: Condition): Carried | null => {
  const comparand = comparandOf(right)
  const [only, ...others] = anyOf(comparand)
  return call === null && subject === "[BODY]" && operator === "==" && only !== undefined && others.length === 0
    ? { fields: { expected: [String(literal(only))] } }
    : null
}

/** A websocket monitor waits for a message that contains a text. */
const websocketCarried = ({ call, operator, right, subject }: Condition): Carried | null => {
  const comparand = comparandOf(right)
  const part = comparand.kind === "pattern" ? comparand.part : null
  return call === null && subject === "[BODY]" && operator === "==" && part !== null && part.length <= longestKeyword
    ? { fields: { keyword: part } }
    : null
}

const tcpSubjects: ReadonlyArray<string> = ["[RESPONSE_TIME]", "[CERTIFICATE_EXPIRATION]"]

const always = ({ call, operator, right, subject }: Condition): boolean =>
  call === null &&
  ((subject === "[CONNECTED]" && right === (operator === "==" ? "true" : operator === "!=" ? "false" : "")) ||
    (subject === "[DNS_RCODE]" && operator === "==" && right === "NOERROR"))

/** Other kinds of monitors carry no conditions. Only http monitors have assertions on an answer. */
const carriedBy: Readonly<Record<string, (condition: Condition) => Carried | null>> = {
  http: carriedOf,
  dns: dnsCarried,
  websocket: websocketCarried,
  tcp: (condition) => (tcpSubjects.includes(condition.subject) ? carriedOf(condition) : null)
}

/** A field of which a monitor has one: what a further condition demands of it, as an assertion. */
const asAssertion: Readonly<Record<string, (value: string) => Loose>> = {
  expectedStatus: (codes) => ({ source: "status", op: "matches", value: `^(?:${codes.split(",").join("|")})$` }),
  keyword: (value) => ({ source: "body", op: "contains", value }),
  keywordAbsent: (value) => ({ source: "body", op: "not_contains", value })
}

/** Both of two values of a field; null if it cannot be. */
const both = (kind: string, name: string, known: unknown, value: unknown): Carried | null => {
  if (typeof known === "number" && typeof value === "number") return { fields: { [name]: Math.max(known, value) } }
  const further = kind === "http" ? asAssertion[name] : undefined
  return further === undefined ? null : asserting(further(String(value)))
}

/** A condition that cannot be carried is quoted in a note. */
export const gatusConditions = (notes: Notes, conditions: ReadonlyArray<string>, kind: string): Loose => {
  const assertions: Array<Loose> = []
  const fields: Record<string, unknown> = {}
  for (const text of conditions) {
    const condition = conditionOf(text)
    const alone = condition === null ? null : always(condition) ? {} : carriedBy[kind]?.(condition) ?? null
    const [[name, value] = ["", null]] = Object.entries(alone?.fields ?? {})
    const carried = fields[name] === undefined ? alone : both(kind, name, fields[name], value)
    if (carried === null) notes.say(`The condition "${text}" is not carried`)
    Object.assign(fields, carried?.fields)
    assertions.push(...carried?.assertions ?? [])
  }
  // Otherwise only 2xx would be accepted in the first place.
  const anyStatus = assertions.some(({ source }) => source === "status") ? { expectedStatus: "100-599" } : {}
  return { ...anyStatus, ...fields, ...ownAssertions(notes, assertions) }
}
