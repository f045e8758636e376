/** Requests a URL, follows its redirects and judges the response. Kinds that request a URL share it. */
import { Either, type Option } from "effect"
import type { Assignment } from "../../schema/check/Bus.ts"
import { daysLeft, expiryWarning } from "../domain/check/answer/Certificates.ts"
import { explainsStatus, type HttpFacts, parseJson } from "../domain/check/answer/HttpVerdict.ts"
import { maskSecrets } from "../domain/check/answer/SecretMask.ts"
import { failing, type Verdict } from "../domain/check/answer/Verdict.ts"
import { maskUrls } from "../domain/secret/UrlSecrets.ts"
import { storable } from "../domain/tools/Storable.ts"
import { decodeBody, type DecodedBody } from "../egress/BodyDecoder.ts"
import { causeOf } from "../egress/EgressGuard.ts"
import { heldBack } from "./ConnectionVerdict.ts"
import { type Chain, follow } from "./HttpChain.ts"
import { evidenceBodyLimit, evidenceOf } from "./HttpEvidence.ts"
import { type HttpPlan, withPlan } from "./HttpPlan.ts"
import type { AssignmentOf, ProbeExit, Tools } from "./Probe.ts"
import { type ProbeResult, tenths, timingsOf } from "./ProbeResult.ts"

/** Maximum size of the body that is read, bytes. */
const bodyLimit = 1_048_576

const factsOf = (plan: HttpPlan, chain: Chain, body: DecodedBody | null, now: number): HttpFacts => {
  const { certificate, last, totalMs } = chain
  let json: Option.Option<unknown> | null = null
  return {
    status: last.response?.statusCode ?? 0,
    statusText: last.response?.statusMessage ?? "",
    finalUrl: chain.redirects.length === 0 ? null : chain.hop.url.href,
    latencyMs: tenths(totalMs),
    header: (name) => {
      const value = last.response?.headers[name]
      return Array.isArray(value) ? value.join(", ") : value
    },
    body: () => body?.text ?? "",
    bodyComplete: body?.complete ?? true,
    json: () => (json ??= parseJson(body?.text ?? "")),
    distrusted: chain.distrusted?.message ?? null,
    sslDays: certificate === null ? null : daysLeft(certificate, now),
    expiresSoon: certificate === null
      ? null
      : expiryWarning(certificate, chain.hop.url.hostname, plan.expectations.target.sslExpiryDays, now)
  }
}

/** The body is decoded if expectations read it, an error text quotes it, or its encoding may not be what it claims. */
const readsBody = ({ expectations }: HttpPlan, { failure, last: { response } }: Chain): boolean =>
  failure === null && response !== null &&
  (expectations.needsBody || response.headers["content-encoding"] !== undefined ||
    explainsStatus(expectations, response.statusCode ?? 0))

const failureOf = (chain: Chain, body: DecodedBody | null): Verdict | null => {
  if (chain.failure !== null && chain.last.distrust !== null && chain.distrusted !== null) {
    return heldBack(chain.distrusted.message)
  }
  if (chain.failure !== null) return failing(causeOf(chain.failure), chain.failure.message)
  if (body?.broken === true) {
    return failing("protocol_error", `The body is not valid ${chain.last.response?.headers["content-encoding"] ?? ""} data`)
  }
  return null
}

const answerOf = (plan: HttpPlan, chain: Chain, body: DecodedBody | null, at: number) => ({
  at,
  failure: failureOf(chain, body),
  facts: factsOf(plan, chain, body, at)
})

const toProbeResult = (plan: HttpPlan, chain: Chain, body: DecodedBody | null, verdict: Verdict, now: number): ProbeResult => {
  const { assertions, cause, error, outcome } = verdict
  return {
    outcome,
    cause,
    error: error === null ? null : storable(maskSecrets(plan.secrets, maskUrls(error))),
    statusCode: chain.last.response?.statusCode ?? null,
    latencyMs: chain.last.response === null ? null : tenths(chain.totalMs),
    timings: timingsOf(chain.last),
    reached: chain.last.response === null ? null : chain.last.address,
    evidence: evidenceOf({ chain, secrets: plan.secrets, assertions, body, now })
  }
}

/** The part of another kind that reads a response beyond the http check of it. */
export interface Reading {
  readonly bodyLimit: number
  readonly read: (seen: ProbeResult, body: DecodedBody | null) => ProbeResult
}

/** An http monitor reads nothing beyond its expectations. */
export const noReading: Reading = { bodyLimit, read: (seen) => seen }

/** Not an Effect: this is the hottest path of a worker. */
const carryOut = (
  plan: HttpPlan,
  assignment: Assignment,
  { guard, judging, now }: Tools,
  { bodyLimit, read }: Reading,
  done: (seen: ProbeExit) => void
): () => void => {
  const { target } = plan.expectations
  const needsBody = plan.expectations.needsBody || read !== noReading.read
  // One byte more than the evidence shows, so that it knows of a rest.
  const keptBytes = needsBody ? bodyLimit : evidenceBodyLimit + 1
  const limits = {
    followRedirects: target.followRedirects,
    timeoutMs: assignment.timeoutMs,
    readLimit: bodyLimit,
    keepLimit: keptBytes,
    opensDistrusted: plan.isPublic
  }
  let stopDecoding: (() => void) | null = null
  let stopJudging: (() => void) | null = null
  const settle = (chain: Chain, body: DecodedBody | null, at: number, verdict: Either.Either<Verdict, unknown>): void =>
    done(Either.flatMap(verdict, (known) => Either.try(() => read(toProbeResult(plan, chain, body, known, at), body))))
  const conclude = (chain: Chain, body: DecodedBody | null): void =>
    Either.match(Either.try(() => answerOf(plan, chain, body, now())), {
      onLeft: (defect) => done(Either.left(defect)),
      onRight: ({ at, facts, failure }) => {
        if (failure !== null) return settle(chain, body, at, Either.right(failure))
        stopJudging = judging.judge(assignment, plan.expectations, facts, (verdict) => settle(chain, body, at, verdict))
      }
    })
  const giveUp = follow(
    guard,
    limits,
    plan.first,
    now,
    Either.match({
      onLeft: (defect) => done(Either.left(defect)),
      onRight: (chain) => {
        const { failure, last } = chain
        if (last.response === null || failure !== null || !(needsBody || readsBody(plan, chain))) conclude(chain, null)
        else stopDecoding = decodeBody(last, keptBytes, (body) => conclude(chain, body))
      }
    })
  )
  return () => {
    giveUp()
    stopDecoding?.()
    stopJudging?.()
  }
}

/** Checks a URL like an http monitor, and then lets another kind read the response. */
export const checkUrl = (
  assignment: AssignmentOf<"http">,
  tools: Tools,
  reading: Reading,
  done: (seen: ProbeExit) => void
): () => void => withPlan(assignment, tools.key, done, (plan) => carryOut(plan, assignment, tools, reading, done))
