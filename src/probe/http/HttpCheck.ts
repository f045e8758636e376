/** Requests a URL, follows its redirects and judges the response. Kinds that request a URL share it. */
import { Effect, Either } from "effect"
import type { Assignment } from "../../../schema/check/Bus.ts"
import { isFineUnended, isReadEnough, unneededMs } from "../../domain/check/answer/BodyNeed.ts"
import { daysLeft, expiryWarning, outdatedTls } from "../../domain/check/answer/Certificates.ts"
import { type CheckVerdict, failing } from "../../domain/check/answer/CheckVerdict.ts"
import { explainsStatus, type HttpFacts } from "../../domain/check/answer/HttpVerdict.ts"
import { shownHeader } from "../../domain/check/answer/ResponseHead.ts"
import { maskSecrets } from "../../domain/check/answer/SecretMask.ts"
import { maskUrls } from "../../domain/secret/UrlSecrets.ts"
import { parseExactJson } from "../../domain/tools/json/ExactJson.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import { cut } from "../../domain/tools/text/TrimText.ts"
import { decodeBody, type DecodedBody } from "../../egress/BodyDecoder.ts"
import { causeOf } from "../../egress/EgressGuard.ts"
import type { AssignmentOf, ProbeExit, Tools } from "../Probe.ts"
import { type ProbeResult, tenths, timingsOf } from "../ProbeResult.ts"
import { type Chain, firstToEnd, follow } from "./HttpChain.ts"
import { evidenceBodyLimit, evidenceOf } from "./HttpEvidence.ts"
import { type HttpPlan, withPlan } from "./HttpPlan.ts"

/** Maximum size of the body that is read, bytes. */
const bodyLimit = 1_048_576

/** The part of the time that the target did not need. */
const unneededIn = ({ expectations }: HttpPlan, { last, totalMs }: Chain): number =>
  last.isAwaited || last.response === null
    ? 0
    : unneededMs(last.response.headers, last.bodyMs, totalMs, expectations.target.degradedAfterMs)

const latencyOf = (plan: HttpPlan, chain: Chain): number => tenths(chain.totalMs - unneededIn(plan, chain))

export const factsOf = (plan: HttpPlan, chain: Chain, body: DecodedBody | null, now: number): HttpFacts => {
  const { last, served } = chain
  const first = firstToEnd(served)
  let json: ReturnType<typeof parseExactJson> | null = null
  return {
    status: last.response?.statusCode ?? 0,
    statusText: last.response?.statusMessage ?? "",
    finalUrl: chain.redirects.length === 0 ? null : chain.hop.url.href,
    latencyMs: latencyOf(plan, chain),
    header: (name) => shownHeader(last.response?.headers[name]),
    body: () => body?.text ?? "",
    bodyComplete: body?.complete ?? true,
    json: () => (json ??= parseExactJson(body?.text ?? "")),
    sslDays: first === null ? null : Math.min(...served.map(({ certificate }) => daysLeft(certificate, now))),
    expiresSoon: first === null ? null : expiryWarning(first.path, first.host, plan.expectations.target.sslExpiryDays, now),
    outdatedTls: plan.tls.verify
      ? served.map(({ host, tlsVersion }) => outdatedTls(tlsVersion, host)).find((one) => one !== null) ?? null
      : null
  }
}

/** The body is decoded if expectations read it, an error text quotes it, or its encoding may not be what it claims. */
const readsBody = ({ expectations }: HttpPlan, { failure, last: { response } }: Chain): boolean =>
  failure === null && response !== null &&
  (expectations.needsBody || response.headers["content-encoding"] !== undefined ||
    explainsStatus(expectations, response.statusCode))

const failureOf = ({ expectations }: HttpPlan, chain: Chain, body: DecodedBody | null): CheckVerdict | null => {
  if (chain.failure !== null) return failing(causeOf(chain.failure), chain.failure.message)
  const problem = body?.problem ?? null
  return problem !== null && (problem.isBroken || expectations.needsBody)
    ? failing("protocol_error", `The body ${problem.message}`)
    : null
}

/** The error, with what may explain it. */
const explained = (error: string, body: DecodedBody | null): string =>
  body === null || body.unknown === null
    ? error
    : `${error} (the Content-Encoding "${cut(body.unknown, 40)}" is unknown, so the body was read as it came)`

const answerOf = (plan: HttpPlan, chain: Chain, body: DecodedBody | null, at: number) => ({
  at,
  failure: failureOf(plan, chain, body),
  facts: factsOf(plan, chain, body, at)
})

const toProbeResult = (
  plan: HttpPlan,
  chain: Chain,
  body: DecodedBody | null,
  verdict: CheckVerdict,
  now: number
): ProbeResult => {
  const { assertions, cause, error, outcome } = verdict
  return {
    outcome,
    cause,
    error: error === null ? null : storable(maskSecrets(plan.secrets, maskUrls(explained(error, body)))),
    statusCode: chain.last.response?.statusCode ?? null,
    latencyMs: chain.last.response === null ? null : latencyOf(plan, chain),
    timings: timingsOf(chain.last, unneededIn(plan, chain)),
    reached: chain.last.response === null ? null : chain.last.address,
    evidence: Effect.suspend(() => evidenceOf({ chain, secrets: plan.secrets, assertions, body, now }))
  }
}

/** The part of another kind that reads a response beyond the http check of it. */
export interface Reading {
  readonly bodyLimit: number
  readonly read: (seen: ProbeResult, body: DecodedBody | null) => ProbeResult
}

/** An http monitor reads nothing beyond its expectations. */
export const noReading: Reading = { bodyLimit, read: (seen) => seen }

/** A check under way. */
interface Run {
  readonly plan: HttpPlan
  readonly assignment: Assignment
  readonly tools: Tools
  readonly reading: Reading
  /** Something reads the body for the verdict. */
  readonly needsBody: boolean
  readonly keptBytes: number
  /** Cancels what decodes or judges at the moment. */
  stop: () => void
}

/** Before this, it is not worth judging the beginning of a body: most end sooner, ms. */
const judgedAfterMs = 400

/** Whether the verdict on the beginning of a body is that on all of it, whatever follows. */
const judgeBeginning = (run: Run, chain: Chain, answer: (isEnough: boolean) => void): void => {
  const { assignment, keptBytes, plan, reading, tools: { judging, now } } = run
  run.stop = decodeBody({ ...chain.last, bodyComplete: false }, keptBytes, (body) => {
    const { failure, facts } = answerOf(plan, { ...chain, failure: null }, body, now())
    if (failure !== null) return answer(true)
    const judged = judging.judge(assignment, plan.expectations, facts, (verdict) =>
      answer(Either.match(verdict, {
        onLeft: () => false,
        onRight: ({ cause, outcome }) => cause !== "body_too_large" && (reading === noReading || outcome === "down")
      })))
    run.stop = judged ?? (() => {})
  })
}

/** Whether nothing that may still come of the last body can change the verdict. */
const isEnough = (run: Run, chain: Chain, answer: (isEnough: boolean) => void): void => {
  const { last: { bodyMs, quietMs, response }, totalMs } = chain
  if (response === null) return answer(false)
  if (!run.needsBody) {
    const { degradedAfterMs } = run.plan.expectations.target
    return answer(isReadEnough({ bodyMs, quietMs, totalMs, headers: response.headers }, degradedAfterMs))
  }
  if (bodyMs < judgedAfterMs) answer(false)
  else judgeBeginning(run, chain, answer)
}

/** The chain, without its failure if that is only a body that need not have ended in time. */
const settleUnended = (run: Run, chain: Chain, done: (chain: Chain) => void): void => {
  const { failure, last } = chain
  if (failure === null || last.response === null || causeOf(failure) !== "timeout") return done(chain)
  const settle = (isFine: boolean): void =>
    done(isFine ? { ...chain, failure: null, last: { ...last, failure: null, isAwaited: false } } : chain)
  if (run.needsBody) judgeBeginning(run, chain, settle)
  else settle(isFineUnended({ ...last, headers: last.response.headers }))
}

const conclude = (run: Run, chain: Chain, body: DecodedBody | null, done: (seen: ProbeExit) => void): void => {
  const { assignment, plan, reading: { read }, tools: { judging, now } } = run
  Either.match(Either.try(() => answerOf(plan, chain, body, now())), {
    onLeft: (defect) => done(Either.left(defect)),
    onRight: ({ at, facts, failure }) => {
      const settle = (verdict: Either.Either<CheckVerdict, unknown>): void =>
        done(Either.flatMap(verdict, (known) => Either.try(() => read(toProbeResult(plan, chain, body, known, at), body))))
      if (failure !== null) return settle(Either.right(failure))
      run.stop = judging.judge(assignment, plan.expectations, facts, settle) ?? (() => {})
    }
  })
}

/** Not an Effect: this is the hottest path of a worker. */
const carryOut = (
  plan: HttpPlan,
  assignment: Assignment,
  tools: Tools,
  reading: Reading,
  done: (seen: ProbeExit) => void
): () => void => {
  const { target } = plan.expectations
  const needsBody = plan.expectations.needsBody || reading !== noReading
  // A byte more than the evidence shows: then there is a rest.
  const keptBytes = needsBody ? reading.bodyLimit : evidenceBodyLimit + 1
  const run: Run = { plan, assignment, tools, reading, needsBody, keptBytes, stop: () => {} }
  const limits = {
    followRedirects: target.followRedirects,
    timeoutMs: assignment.timeoutMs,
    readLimit: reading.bodyLimit,
    keepLimit: keptBytes,
    tls: plan.tls,
    isEnough: (soFar: Chain, answer: (isEnough: boolean) => void) => isEnough(run, soFar, answer)
  }
  const read = (chain: Chain): void => {
    if (chain.last.response === null || chain.failure !== null || !(needsBody || readsBody(plan, chain))) {
      return conclude(run, chain, null, done)
    }
    run.stop = decodeBody(chain.last, keptBytes, (body) => conclude(run, chain, body, done))
  }
  const giveUp = follow(
    tools.guard,
    limits,
    plan.first,
    tools.now,
    Either.match({ onLeft: (defect) => done(Either.left(defect)), onRight: (chain) => settleUnended(run, chain, read) })
  )
  return () => {
    giveUp()
    run.stop()
  }
}

/** Checks a URL like an http monitor, and then lets another kind read the response. */
export const checkUrl = (
  assignment: AssignmentOf<"http">,
  tools: Tools,
  reading: Reading,
  done: (seen: ProbeExit) => void
): () => void => withPlan(assignment, done, (plan) => carryOut(plan, assignment, tools, reading, done))
