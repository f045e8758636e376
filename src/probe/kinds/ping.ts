/** The ping check: vets the host's address and sends it ICMP echo requests until one is answered. */
import { Either } from "effect"
import type { PingTarget } from "../../../schema/monitor/kinds/ping.ts"
import { type CheckVerdict, failing, slowProblem, verdictOf } from "../../domain/check/answer/CheckVerdict.ts"
import { lookupName } from "../../domain/monitor/settings/HostSettings.ts"
import { counted } from "../../domain/tools/text/Counted.ts"
import { causeOf } from "../../egress/EgressGuard.ts"
import type { PingEnd } from "../Pings.ts"
import { exitOf, type Probe } from "../Probe.ts"
import { bareEvidence, type ProbeResult, resultOf, unanswered } from "../ProbeResult.ts"

const judge = (target: PingTarget, address: string, { report }: PingEnd, timeoutMs: number): CheckVerdict => {
  if (report === null) {
    return failing("internal_error", "The ping program failed: the network may be unreachable")
  }
  const { firstMs, refusal, sent } = report
  if (firstMs !== null) return verdictOf([slowProblem(target.degradedAfterMs, firstMs, "a reply")])
  if (refusal !== null) return failing("connect_error", `No reply from ${address}: ${refusal}`)
  return failing("timeout", `No reply from ${address} to ${counted(sent, "ping")} within ${timeoutMs} ms`)
}

const toProbeResult = (target: PingTarget, address: string, end: PingEnd, timeoutMs: number): ProbeResult => {
  const latencyMs = end.report?.firstMs ?? null
  return resultOf(judge(target, address, end, timeoutMs), {
    latencyMs,
    timed: { totalMs: end.totalMs },
    reached: latencyMs === null ? null : address,
    evidence: () => bareEvidence("PING", `icmp://${target.host}`, { remoteAddress: address })
  })
}

export const checkPing: Probe<"ping"> = ({ target, timeoutMs, workspaceId }, { guard, pings }, done) => {
  let isOver = false
  let stopPing = (): void => {}
  const cancelLookup = guard.addressesOf(lookupName(target.host) ?? target.host, (failure, [first]) => {
    if (isOver) return
    if (failure !== null || first === undefined) {
      return done(Either.right(unanswered(
        failure === null ? "dns_error" : causeOf(failure),
        failure?.message ?? `${target.host} has no address in DNS`
      )))
    }
    const { address } = first
    if (guard.permits.take(address) === "none") {
      guard.permits.missed(address)
      return done(Either.right(unanswered("internal_error", `Too many pings to ${address} at a time`)))
    }
    stopPing = pings.run(
      workspaceId,
      { address, timeoutMs },
      (ended) => done(exitOf(ended, (end) => toProbeResult(target, address, end, timeoutMs)))
    )
  })
  return () => {
    isOver = true
    cancelLookup()
    stopPing()
  }
}
