/** The dns check: asks for the records of a name and compares their values. */
import type { Answer } from "dns-packet"
import { Either } from "effect"
import type { DnsEvidence } from "../../../schema/check/Check.ts"
import type { DnsTarget } from "../../../schema/monitor/kinds/dns.ts"
import { type CheckVerdict, failing } from "../../domain/check/answer/CheckVerdict.ts"
import { type DnsFacts, judgeDns, rcodeName } from "../../domain/check/answer/DnsVerdict.ts"
import { lookupName } from "../../domain/monitor/settings/HostSettings.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import { decisive, type DnsAttempt, type DnsOutcome, queryDns } from "../../egress/DnsQuery.ts"
import type { Probe } from "../Probe.ts"
import { bareEvidence, type ProbeResult, resultOf } from "../ProbeResult.ts"

/** Records beyond these are left out of the evidence. */
const mostRecords = 50
const longestValue = 1000

const texts = (data: string | Buffer | ReadonlyArray<string | Buffer>): string =>
  typeof data === "string" || Buffer.isBuffer(data) ? data.toString() : data.map((part) => part.toString()).join("")

const valueOf = (answer: Answer): string | null => {
  switch (answer.type) {
    case "A":
    case "AAAA":
    case "CNAME":
    case "NS":
      return answer.data
    case "MX":
      return `${answer.data.preference ?? 0} ${answer.data.exchange}`
    case "TXT":
      return texts(answer.data)
    default:
      return null
  }
}

const factsOf = ({ recordType }: DnsTarget, { isTimeout, reply, result, server }: DnsAttempt): DnsFacts => ({
  server,
  rcode: reply === null ? null : { code: reply.rcode, name: rcodeName(reply.rcode) },
  isTimeout,
  result,
  // A chain of aliases comes in the same answer.
  values: (reply?.answers ?? []).filter(({ type }) => type === recordType).map(valueOf).filter((value) => value !== null)
})

const judge = (target: DnsTarget, outcome: DnsOutcome, timeoutMs: number): CheckVerdict => {
  const { blocked, totalMs } = outcome
  const last = decisive(outcome)
  if (blocked !== null) return failing("blocked_target", blocked.message)
  if (last === undefined) {
    return target.resolvers.length === 0
      ? failing("dns_error", "The probe's system has no DNS servers; set resolvers")
      : failing("dns_timeout", `The resolvers ${target.resolvers.join(", ")} were not resolved themselves within ${timeoutMs} ms`)
  }
  return judgeDns(target, factsOf(target, last), totalMs, timeoutMs)
}

const recordsOf = (answers: ReadonlyArray<Answer>): DnsEvidence["answers"] =>
  answers.slice(0, mostRecords).flatMap((answer) => {
    const value = valueOf(answer)
    if (value === null) return []
    const ttl = "ttl" in answer ? answer.ttl ?? null : null
    return [{ name: storable(answer.name), type: answer.type, ttl, value: storable(value.slice(0, longestValue)) }]
  })

const evidenceOf = (target: DnsTarget, outcome: DnsOutcome) => {
  const last = decisive(outcome)
  const reply = last?.reply ?? null
  // RFC 4501.
  return bareEvidence("QUERY", `dns://${last?.server ?? ""}/${target.host}?type=${target.recordType}`, {
    remoteAddress: last?.server ?? null,
    dns: {
      rcode: reply === null ? null : rcodeName(reply.rcode),
      protocol: reply?.protocol ?? null,
      authoritative: reply?.authoritative ?? false,
      answers: recordsOf(reply?.answers ?? []),
      attempts: outcome.attempts.map(({ result, server }) => ({ resolver: server, result }))
    }
  })
}

const toProbeResult = (target: DnsTarget, outcome: DnsOutcome, timeoutMs: number): ProbeResult => {
  const { totalMs } = outcome
  const dnsMs = outcome.attempts.some(({ reply }) => reply !== null) ? totalMs : null
  return resultOf(judge(target, outcome, timeoutMs), {
    latencyMs: dnsMs,
    timed: { dnsMs, totalMs },
    evidence: () => evidenceOf(target, outcome)
  })
}

export const checkDns: Probe<"dns"> = ({ target, timeoutMs }, { guard }, done) =>
  queryDns(
    guard,
    {
      question: { name: lookupName(target.host) ?? target.host, type: target.recordType },
      resolvers: target.resolvers.map((resolver) => lookupName(resolver) ?? resolver),
      port: target.port,
      timeoutMs
    },
    (outcome) => done(Either.try(() => toProbeResult(target, outcome, timeoutMs)))
  )
