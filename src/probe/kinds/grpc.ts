/** The grpc check: asks the server's own health check about a service. */
import { Either } from "effect"
import type { GrpcTarget } from "../../../schema/monitor/kinds/grpc.ts"
import { type CheckVerdict, slowProblem, verdictOf } from "../../domain/check/answer/CheckVerdict.ts"
import { codeName, servingName, servingProblem } from "../../domain/check/answer/GrpcVerdict.ts"
import { maskSecrets } from "../../domain/check/answer/SecretMask.ts"
import { lookupName } from "../../domain/monitor/settings/HostSettings.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import { askHealth, type HealthExchange } from "../../egress/GrpcHealth.ts"
import { certificateEvidence, failureVerdict, tlsProblems } from "../ConnectionVerdict.ts"
import { headersOf } from "../http/HttpEvidence.ts"
import { type HttpPlan, httpRequestOf, withPlan } from "../http/HttpPlan.ts"
import type { Probe } from "../Probe.ts"
import { bareEvidence, type ProbeResult, resultOf } from "../ProbeResult.ts"

const judge = (target: GrpcTarget, exchange: HealthExchange, now: number): CheckVerdict =>
  failureVerdict(exchange) ?? verdictOf([
    servingProblem(target.service, exchange),
    ...tlsProblems(exchange, target.host, target, now),
    slowProblem(target.degradedAfterMs, exchange.totalMs, "the health check")
  ])

/** `OK SERVING`, `UNAVAILABLE`; null without an answer. */
const answerOf = ({ grpcStatus, serving }: HealthExchange): string | null =>
  grpcStatus === null ? null : `${codeName(grpcStatus)}${serving === null ? "" : ` ${servingName(serving)}`}`

/** HTTP/2 headers of an answer without those that only frame it. */
const plainHeaders = (headers: HealthExchange["headers"]): HealthExchange["headers"] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(":")))

const toProbeResult = (target: GrpcTarget, plan: HttpPlan, exchange: HealthExchange, now: number): ProbeResult => {
  const { address, failure, httpStatus } = exchange
  const clean = (text: string): string => storable(maskSecrets(plan.secrets, text))
  return resultOf(judge(target, exchange, now), {
    statusCode: httpStatus,
    latencyMs: failure === null ? exchange.totalMs : null,
    timed: exchange,
    reached: httpStatus === null ? null : address,
    evidence: () =>
      bareEvidence("CALL", `grpc://${target.host}:${target.port}/grpc.health.v1.Health/Check`, {
        remoteAddress: address,
        responseHeaders: headersOf(plainHeaders(exchange.headers), plan.secrets, clean),
        body: answerOf(exchange),
        certificate: certificateEvidence(exchange, now)
      })
  }, clean)
}

/** The plan is made for its metadata. */
const noUrl = "https://grpc.invalid/"

export const checkGrpc: Probe<"grpc"> = (assignment, { guard, now }, done) => {
  const { target, timeoutMs } = assignment
  return withPlan(httpRequestOf(assignment, { ...target, url: noUrl }), done, (plan) => {
    const { accept: _, ...headers } = plan.first.headers
    const request = {
      host: lookupName(target.host) ?? target.host,
      port: target.port,
      secure: target.tls,
      service: target.service,
      headers,
      timeoutMs,
      tls: plan.tls
    }
    return askHealth(guard, request, (exchange) => done(Either.try(() => toProbeResult(target, plan, exchange, now()))))
  })
}
