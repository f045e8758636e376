/** The tcp check: opens a connection, shakes hands with TLS if asked, and judges the time and the certificate. */
import { Either } from "effect"
import type { TcpTarget } from "../../../schema/monitor/kinds/tcp.ts"
import { type AssertionFacts, compileAssertion } from "../../domain/check/answer/AssertionCheck.ts"
import { daysLeft } from "../../domain/check/answer/Certificates.ts"
import { assertionOutcomes, type CheckVerdict, slowProblem, verdictOf } from "../../domain/check/answer/CheckVerdict.ts"
import { lookupName } from "../../domain/monitor/settings/HostSettings.ts"
import { type ConnectionFacts, tryConnection } from "../../egress/Connection.ts"
import { certificateEvidence, failureVerdict, tlsProblems } from "../ConnectionVerdict.ts"
import { tlsOf } from "../http/HttpPlan.ts"
import type { Probe } from "../Probe.ts"
import { bareEvidence, cleanResults, type ProbeResult, resultOf, tenths } from "../ProbeResult.ts"

/** The facts of a connection: it has no response, so the kind accepts no assertion that reads one. */
const factsOf = ({ certificate, totalMs }: ConnectionFacts, now: number): AssertionFacts => ({
  status: 0,
  latencyMs: tenths(totalMs),
  header: () => undefined,
  body: () => "",
  bodyComplete: true,
  json: () => Either.left("is missing"),
  sslDays: certificate === null ? null : daysLeft(certificate, now)
})

const judge = (target: TcpTarget, exchange: ConnectionFacts, now: number): CheckVerdict => {
  const failed = failureVerdict(exchange)
  if (failed !== null) return failed
  const asserted = assertionOutcomes(target.assertions, target.assertions.map(compileAssertion), factsOf(exchange, now))
  return verdictOf(
    [
      ...asserted.map(([, problem]) => problem),
      ...tlsProblems(exchange, target.host, target, now),
      slowProblem(target.degradedAfterMs, exchange.totalMs, "a connection")
    ],
    asserted.map(([result]) => result)
  )
}

const toProbeResult = (target: TcpTarget, exchange: ConnectionFacts, now: number): ProbeResult => {
  const verdict = judge(target, exchange, now)
  const { address, failure } = exchange
  return resultOf(verdict, {
    latencyMs: failure === null ? exchange.totalMs : null,
    timed: exchange,
    reached: failure === null ? address : null,
    evidence: () =>
      bareEvidence("CONNECT", `${target.tls ? "tls" : "tcp"}://${target.host}:${target.port}`, {
        remoteAddress: address,
        certificate: certificateEvidence(exchange, now),
        assertions: cleanResults(verdict.assertions)
      })
  })
}

export const checkTcp: Probe<"tcp"> = (assignment, { guard, now }, done) => {
  const { target, timeoutMs } = assignment
  const host = lookupName(target.host) ?? target.host
  return tryConnection(
    guard,
    { host, port: target.port, secure: target.tls, tls: tlsOf(assignment) },
    timeoutMs,
    (exchange) => done(Either.try(() => toProbeResult(target, exchange, now())))
  )
}
