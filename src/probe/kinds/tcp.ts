/** The tcp check: opens a connection, shakes hands with TLS if asked, and judges the time and the certificate. */
import { Effect, Either, Option } from "effect"
import type { TcpTarget } from "../../../schema/monitor/kinds/tcp.ts"
import { type AssertionFacts, compileAssertion } from "../../domain/check/answer/AssertionCheck.ts"
import { daysLeft, describeCertificate, expiryWarning, explainDistrust } from "../../domain/check/answer/Certificates.ts"
import {
  assertionOutcomes,
  distrustProblem,
  expiryProblem,
  failing,
  slowProblem,
  type Verdict,
  verdictOf
} from "../../domain/check/answer/Verdict.ts"
import { lookupName } from "../../domain/monitor/settings/HostSettings.ts"
import { type TcpExchange, tryConnection } from "../../egress/TcpExchange.ts"
import { bareEvidence, cleanResults } from "../BareEvidence.ts"
import { causeOf } from "../CauseOf.ts"
import type { Probe, ProbeResult } from "../ProbeResult.ts"
import { tenths, timingsOf } from "../TimingsOf.ts"

/** The facts of a connection: it has no response, so the kind accepts no assertion that reads one. */
const factsOf = ({ certificate, totalMs }: TcpExchange, now: number): AssertionFacts => ({
  status: 0,
  latencyMs: tenths(totalMs),
  header: () => undefined,
  body: () => "",
  bodyComplete: true,
  json: () => Option.none(),
  sslDays: certificate === null ? null : daysLeft(certificate, now)
})

const judge = (target: TcpTarget, exchange: TcpExchange, now: number): Verdict => {
  const { certificate, distrust, failure } = exchange
  if (failure !== null) return failing(causeOf(failure), failure.message)
  const asserted = assertionOutcomes(target.assertions, target.assertions.map(compileAssertion), factsOf(exchange, now))
  return verdictOf(
    [
      ...asserted.map(([, problem]) => problem),
      distrustProblem(distrust === null ? null : explainDistrust(distrust, target.host, certificate)),
      expiryProblem(certificate === null ? null : expiryWarning(certificate, target.host, target.sslExpiryDays, now)),
      slowProblem(target.degradedAfterMs, exchange.totalMs, "a connection")
    ],
    asserted.map(([result]) => result)
  )
}

const toProbeResult = (target: TcpTarget, exchange: TcpExchange, now: number): ProbeResult => {
  const { assertions, cause, error, outcome } = judge(target, exchange, now)
  const { address, certificate, distrust, failure } = exchange
  return {
    outcome,
    cause,
    error,
    statusCode: null,
    latencyMs: failure === null ? tenths(exchange.totalMs) : null,
    timings: timingsOf(exchange),
    reached: failure === null ? address : null,
    evidence: Effect.sync(() =>
      bareEvidence("CONNECT", `${target.tls ? "tls" : "tcp"}://${target.host}:${target.port}`, {
        remoteAddress: address,
        certificate: certificate === null ? null : describeCertificate(certificate, distrust, now),
        assertions: cleanResults(assertions)
      })
    )
  }
}

export const checkTcp: Probe<"tcp"> = ({ target, timeoutMs }, { guard, now }, done) => {
  const host = lookupName(target.host) ?? target.host
  // Nothing is sent over the connection, so a certificate that is not trusted hides nothing else.
  const endpoint = { host, port: target.port, secure: target.tls, opensDistrusted: true }
  return tryConnection(
    guard,
    endpoint,
    timeoutMs,
    (exchange) => done(Either.try(() => toProbeResult(target, exchange, now())))
  )
}
