/** Compares the outcome of a DNS query with its monitor's expectations, and tells apart why there is no answer. */
import type { DnsTarget } from "../../../../schema/monitor/kinds/dns.ts"
import { missingValues } from "./DnsRecords.ts"
import { failing, slowProblem, verdictOf } from "./Verdict.ts"
import type { Verdict } from "./Verdict.ts"

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
  const first = values.slice(0, 5).map((value) => (value.length > 100 ? `${value.slice(0, 99)}…` : value)).join(", ")
  return values.length > 5 ? `${first} and ${values.length - 5} more` : first
}

/** The causes of the response codes; the others mean that the server failed. */
const failureOf = ({ host, recordType }: DnsTarget, { rcode, server }: DnsFacts): Verdict | null => {
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

const silenceOf = ({ host }: DnsTarget, { isTimeout, result, server }: DnsFacts, timeoutMs: number): Verdict =>
  isTimeout
    ? failing("dns_timeout", `${server} did not answer the query for ${host} within ${timeoutMs} ms`)
    : failing("dns_error", `The query for ${host} failed: ${server} ${result}`)

/** `tried`: how many servers gave no answer before. `totalMs`: from the first question to the answer. */
export const judgeDns = (target: DnsTarget, facts: DnsFacts, totalMs: number, timeoutMs: number): Verdict => {
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
