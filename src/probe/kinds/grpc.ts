/** The grpc check: asks the server's own health check about a service. */
import { Effect, Either } from "effect"
import type { GrpcTarget } from "../../../schema/monitor/kinds/grpc.ts"
import { describeCertificate, expiryWarning, explainDistrust } from "../../domain/check/answer/Certificates.ts"
import { codeName, servingName, servingProblem } from "../../domain/check/answer/GrpcVerdict.ts"
import { maskSecrets } from "../../domain/check/answer/SecretMask.ts"
import {
  distrustProblem,
  expiryProblem,
  failing,
  slowProblem,
  unasked,
  type Verdict,
  verdictOf
} from "../../domain/check/answer/Verdict.ts"
import { lookupName } from "../../domain/monitor/settings/HostSettings.ts"
import { storable } from "../../domain/tools/Storable.ts"
import { askHealth, type HealthExchange } from "../../egress/GrpcHealth.ts"
import { bareEvidence } from "../BareEvidence.ts"
import { causeOf } from "../CauseOf.ts"
import { headersOf } from "../HttpEvidence.ts"
import { type HttpPlan, planOf } from "../HttpPlan.ts"
import { type Probe, type ProbeResult, unanswered } from "../ProbeResult.ts"
import { httpRequestOf } from "../RequestPlan.ts"
import { tenths, timingsOf } from "../TimingsOf.ts"

const judge = (target: GrpcTarget, exchange: HealthExchange, now: number): Verdict => {
  const { certificate, distrust, failure, totalMs } = exchange
  const distrusted = distrust === null ? null : explainDistrust(distrust, target.host, certificate)
  if (failure !== null) {
    return distrusted !== null && exchange.httpStatus === null && causeOf(failure) === "tls_error"
      ? unasked("certificate", `${distrusted}. Nothing was sent, because the request may hold secrets`)
      : failing(causeOf(failure), failure.message)
  }
  return verdictOf([
    servingProblem(target.service, exchange),
    distrustProblem(distrusted),
    expiryProblem(certificate === null ? null : expiryWarning(certificate, target.host, target.sslExpiryDays, now)),
    slowProblem(target.degradedAfterMs, totalMs, "the health check")
  ])
}

/** `OK SERVING`, `UNAVAILABLE`; null without an answer. */
const answerOf = ({ grpcStatus, serving }: HealthExchange): string | null =>
  grpcStatus === null ? null : `${codeName(grpcStatus)}${serving === null ? "" : ` ${servingName(serving)}`}`

/** HTTP/2 headers of an answer without those that only frame it. */
const plainHeaders = (headers: HealthExchange["headers"]): HealthExchange["headers"] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(":")))

const toProbeResult = (target: GrpcTarget, plan: HttpPlan, exchange: HealthExchange, now: number): ProbeResult => {
  const { cause, error, outcome } = judge(target, exchange, now)
  const { address, certificate, distrust, failure, httpStatus } = exchange
  const clean = (text: string): string => storable(maskSecrets(plan.secrets, text))
  return {
    outcome,
    cause,
    error: error === null ? null : clean(error),
    statusCode: httpStatus,
    latencyMs: failure === null ? tenths(exchange.totalMs) : null,
    timings: timingsOf(exchange),
    reached: httpStatus === null ? null : address,
    evidence: Effect.sync(() =>
      bareEvidence("CALL", `grpc://${target.host}:${target.port}/grpc.health.v1.Health/Check`, {
        remoteAddress: address,
        responseHeaders: headersOf(plainHeaders(exchange.headers), plan.secrets, clean),
        body: answerOf(exchange),
        certificate: certificate === null ? null : describeCertificate(certificate, distrust, now)
      })
    )
  }
}

/** The plan is made for its metadata. */
const noUrl = "https://grpc.invalid/"

const nothingToStop = (): void => {}

export const checkGrpc: Probe<"grpc"> = (assignment, { guard, key, now }, done) => {
  const { target, timeoutMs } = assignment
  const host = lookupName(target.host) ?? target.host
  return Either.match(planOf(httpRequestOf(assignment, { ...target, url: noUrl }), key), {
    onLeft: (problem) => {
      done(Either.right(unanswered("internal_error", problem)))
      return nothingToStop
    },
    onRight: (plan) => {
      const { accept: _, ...headers } = plan.first.headers
      return askHealth(
        guard,
        {
          host,
          port: target.port,
          secure: target.tls,
          service: target.service,
          headers,
          timeoutMs,
          opensDistrusted: plan.isPublic
        },
        (exchange) => done(Either.try(() => toProbeResult(target, plan, exchange, now())))
      )
    }
  })
}
