/** The websocket check: connects, sends the monitor's message, and waits for the expected answer. */
import { Either } from "effect"
import type { WebsocketTarget } from "../../../schema/monitor/kinds/websocket.ts"
import { type CheckVerdict, slowProblem, verdictOf } from "../../domain/check/answer/CheckVerdict.ts"
import { maskSecrets } from "../../domain/check/answer/SecretMask.ts"
import { maskUrls } from "../../domain/secret/UrlSecrets.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import { bareHost } from "../../egress/Connection.ts"
import { type Conversation, startConversation } from "../../egress/WebSocketExchange.ts"
import { certificateEvidence, failureVerdict, tlsProblems } from "../ConnectionVerdict.ts"
import { evidenceBodyLimit, headersOf } from "../http/HttpEvidence.ts"
import { type HttpPlan, httpRequestOf, withPlan } from "../http/HttpPlan.ts"
import type { Probe } from "../Probe.ts"
import { bareEvidence, type ProbeResult, resultOf } from "../ProbeResult.ts"

/** http and https are accepted as other names of ws and wss. */
const withScheme = (url: string, schemes: "http" | "ws"): string => url.replace(/^(?:http|ws)(s?):/i, `${schemes}$1:`)

const judge = (target: WebsocketTarget, seen: Conversation, now: number): CheckVerdict => {
  const host = bareHost(new URL(target.url).hostname)
  return failureVerdict(seen) ?? verdictOf([
    ...tlsProblems(seen, host, target, now),
    slowProblem(target.degradedAfterMs, seen.totalMs, target.keyword === null ? "a WebSocket" : "the expected message")
  ])
}

const toProbeResult = (target: WebsocketTarget, plan: HttpPlan, seen: Conversation, now: number): ProbeResult => {
  const { address, failure, headers, lastMessage, statusCode, totalMs } = seen
  const clean = (text: string): string => storable(maskSecrets(plan.secrets, maskUrls(text)))
  return resultOf(judge(target, seen, now), {
    statusCode,
    latencyMs: failure === null ? totalMs : null,
    timed: seen,
    reached: statusCode === null ? null : address,
    evidence: () =>
      bareEvidence("WEBSOCKET", clean(target.url), {
        remoteAddress: address,
        responseHeaders: headersOf(headers, plan.secrets, clean),
        body: lastMessage === null ? null : clean(lastMessage).slice(0, evidenceBodyLimit),
        bodyTruncated: lastMessage !== null && lastMessage.length > evidenceBodyLimit,
        certificate: certificateEvidence(seen, now)
      })
  }, clean)
}

export const checkWebsocket: Probe<"websocket"> = (assignment, { guard, now }, done) => {
  const { target, timeoutMs } = assignment
  return withPlan(httpRequestOf(assignment, { ...target, url: withScheme(target.url, "http") }), done, (plan) => {
    const { accept: _, ...headers } = plan.first.headers
    const request = {
      url: new URL(withScheme(plan.first.url.href, "ws")),
      headers,
      message: plan.first.body,
      awaits: target.keyword,
      timeoutMs,
      tls: plan.tls
    }
    return startConversation(guard, request, (seen) => done(Either.try(() => toProbeResult(target, plan, seen, now()))))
  })
}
