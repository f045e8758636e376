/** The websocket check: connects, sends the monitor's message, and waits for the expected answer. */
import { Effect, Either } from "effect"
import type { WebsocketTarget } from "../../../schema/monitor/kinds/websocket.ts"
import { describeCertificate, expiryWarning, explainDistrust } from "../../domain/check/answer/Certificates.ts"
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
import { maskUrls } from "../../domain/secret/UrlSecrets.ts"
import { storable } from "../../domain/tools/Storable.ts"
import { bareHost } from "../../egress/Connection.ts"
import { type Conversation, startConversation } from "../../egress/WebSocketExchange.ts"
import { bareEvidence } from "../BareEvidence.ts"
import { causeOf } from "../CauseOf.ts"
import { evidenceBodyLimit, headersOf } from "../HttpEvidence.ts"
import { type HttpPlan, planOf } from "../HttpPlan.ts"
import { type Probe, type ProbeResult, unanswered } from "../ProbeResult.ts"
import { httpRequestOf } from "../RequestPlan.ts"
import { tenths, timingsOf } from "../TimingsOf.ts"

/** http and https are accepted as other names of ws and wss. */
const withScheme = (url: string, schemes: "http" | "ws"): string => url.replace(/^(?:http|ws)(s?):/i, `${schemes}$1:`)

const judge = (target: WebsocketTarget, seen: Conversation, now: number): Verdict => {
  const { certificate, distrust, failure, statusCode, totalMs } = seen
  const host = bareHost(new URL(target.url).hostname)
  const distrusted = distrust === null ? null : explainDistrust(distrust, host, certificate)
  if (failure !== null) {
    return distrusted !== null && statusCode === null && causeOf(failure) === "tls_error"
      ? unasked("certificate", `${distrusted}. Nothing was sent, because the request may hold secrets`)
      : failing(causeOf(failure), failure.message)
  }
  return verdictOf([
    distrustProblem(distrusted),
    expiryProblem(certificate === null ? null : expiryWarning(certificate, host, target.sslExpiryDays, now)),
    slowProblem(target.degradedAfterMs, totalMs, target.keyword === null ? "a WebSocket" : "the expected message")
  ])
}

const toProbeResult = (target: WebsocketTarget, plan: HttpPlan, seen: Conversation, now: number): ProbeResult => {
  const { cause, error, outcome } = judge(target, seen, now)
  const { address, certificate, distrust, failure, headers, lastMessage, statusCode, totalMs } = seen
  const clean = (text: string): string => storable(maskSecrets(plan.secrets, maskUrls(text)))
  const answered = failure === null
  return {
    outcome,
    cause,
    error: error === null ? null : clean(error),
    statusCode,
    latencyMs: answered ? tenths(totalMs) : null,
    timings: timingsOf(seen),
    reached: statusCode === null ? null : address,
    evidence: Effect.sync(() =>
      bareEvidence("WEBSOCKET", clean(target.url), {
        remoteAddress: address,
        responseHeaders: headersOf(headers, plan.secrets, clean),
        body: lastMessage === null ? null : clean(lastMessage).slice(0, evidenceBodyLimit),
        bodyTruncated: lastMessage !== null && lastMessage.length > evidenceBodyLimit,
        certificate: certificate === null ? null : describeCertificate(certificate, distrust, now)
      })
    )
  }
}

const nothingToStop = (): void => {}

export const checkWebsocket: Probe<"websocket"> = (assignment, { guard, key, now }, done) => {
  const { target, timeoutMs } = assignment
  const request = httpRequestOf(assignment, { ...target, url: withScheme(target.url, "http") })
  return Either.match(planOf(request, key), {
    onLeft: (problem) => {
      done(Either.right(unanswered("internal_error", problem)))
      return nothingToStop
    },
    onRight: (plan) => {
      const { accept: _, ...headers } = plan.first.headers
      return startConversation(
        guard,
        {
          url: new URL(withScheme(plan.first.url.href, "ws")),
          headers,
          message: plan.first.body,
          awaits: target.keyword,
          timeoutMs,
          opensDistrusted: plan.isPublic
        },
        (seen) => done(Either.try(() => toProbeResult(target, plan, seen, now())))
      )
    }
  })
}
