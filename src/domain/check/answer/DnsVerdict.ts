/** Compares the answer to a DNS query with its monitor's expectations, and distinguishes the reasons for a missing answer. */
import ipaddr from "ipaddr.js"
import { asciiHost } from "../../../../schema/HostName.ts"
import type { DnsRecordType, DnsTarget } from "../../../../schema/monitor/kinds/dns.ts"
import { cut } from "../../tools/text/TrimText.ts"
import { type CheckVerdict, failing, slowProblem, verdictOf } from "./CheckVerdict.ts"

/** Names in DNS ignore case, their final dot is optional, and international ones are in ASCII. */
const name = (text: string): string => {
  const typed = text.trim().replace(/\.$/, "").toLowerCase()
  return /^[\x20-\x7e]*$/.test(typed) ? typed : asciiHost(typed) ?? typed
}

/** A priority and a name. */
const exchange = (text: string): string => {
  const [priority = "", host] = text.trim().split(/\s+/, 2)
  return host === undefined ? name(priority) : `${priority} ${name(host)}`
}

const address = (text: string): string => (ipaddr.isValid(text.trim()) ? ipaddr.parse(text.trim()).toNormalizedString() : text)

/** A value in a form in which equal values are equal texts. */
const canonical: Readonly<Record<DnsRecordType, (value: string) => string>> = {
  A: address,
  AAAA: address,
  CNAME: name,
  NS: name,
  MX: exchange,
  // Zone files and tools show texts in quotes.
  TXT: (value) => value.replace(/^"(.*)"$/s, "$1")
}

/** An MX record meets its host alone, too: `10 mail.example.com` or `mail.example.com`. */
const meets = (type: DnsRecordType, value: string, expected: string): boolean => {
  const found = canonical[type](value)
  const wanted = canonical[type](expected)
  return found === wanted || (type === "MX" && found.replace(/^\d+ /, "") === wanted)
}

/** The expected values that are not among the records. */
const missingValues = (
  type: DnsRecordType,
  values: ReadonlyArray<string>,
  expected: ReadonlyArray<string>
): ReadonlyArray<string> => expected.filter((one) => !values.some((value) => meets(type, value, one)))

/** Why a record of this type can never have the value, or null. */
export const expectedProblem = (type: DnsRecordType, value: string): string | null => {
  if (value.trim() === "") return "An expected value must not be empty"
  if (type === "A" && !ipaddr.IPv4.isValidFourPartDecimal(value.trim())) return `"${value}" is not an IPv4 address`
  if (type === "AAAA" && !ipaddr.IPv6.isValid(value.trim())) return `"${value}" is not an IPv6 address`
  return null
}

/** Response codes (RFC 1035, section 4.1.1; RFC 2136, section 2.2). */
const codes = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"] as const

export const rcodeName = (code: number): string => codes[code] ?? `RCODE ${code}`

/** The last question to a server. */
export interface DnsFacts {
  readonly server: string
  /** The response code; null if the server did not answer. */
  readonly rcode: { readonly code: number; readonly name: string } | null
  readonly isTimeout: boolean
  /** Why the server did not answer. */
  readonly result: string
  /** The values of the records of the asked type. */
  readonly values: ReadonlyArray<string>
}

const shown = (values: ReadonlyArray<string>): string => {
  const first = values.slice(0, 5).map((value) => cut(value, 100)).join(", ")
  return values.length > 5 ? `${first} and ${values.length - 5} more` : first
}

/** The causes of the response codes; the others mean that the server failed. */
const failureOf = ({ host, recordType }: DnsTarget, { rcode, server }: DnsFacts): CheckVerdict | null => {
  switch (rcode?.code) {
    case undefined:
    case 0:
      return null
    case 2:
      return failing("dns_server_failed", `${server} failed to resolve ${host} (SERVFAIL)`)
    case 3:
      return failing("dns_no_name", `The name ${host} does not exist (NXDOMAIN, says ${server})`)
    case 5:
      return failing("dns_refused", `${server} refused to answer for ${host} (REFUSED)`)
    default:
      return failing("dns_server_failed", `${server} answered the query for ${host} ${recordType} with ${rcode?.name}`)
  }
}

const silenceOf = ({ host }: DnsTarget, { isTimeout, result, server }: DnsFacts, timeoutMs: number): CheckVerdict =>
  isTimeout
    ? failing("dns_timeout", `${server} did not answer the query for ${host} within ${timeoutMs} ms`)
    : failing("dns_error", `The query for ${host} failed: ${server} ${result}`)

/** `tried`: how many servers gave no answer before. `totalMs`: from the first question to the answer. */
export const judgeDns = (target: DnsTarget, facts: DnsFacts, totalMs: number, timeoutMs: number): CheckVerdict => {
  const failure = failureOf(target, facts)
  if (failure !== null) return failure
  if (facts.rcode === null) return silenceOf(target, facts, timeoutMs)
  const { expected, host, recordType } = target
  if (facts.values.length === 0) {
    return failing("dns_no_record", `${host} has no ${recordType} record (NOERROR without one, says ${facts.server})`)
  }
  const missing = missingValues(recordType, facts.values, expected)
  return verdictOf([
    missing.length === 0 ? null : {
      severity: "down",
      cause: "dns_mismatch",
      error: `Expected ${recordType} of ${host} to include ${shown(missing)}; got ${shown(facts.values)}`
    },
    slowProblem(target.degradedAfterMs, totalMs, "a DNS answer")
  ])
}
