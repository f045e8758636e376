/** Webhook channels: the team payload by HTTP POST, signed as Standard Webhooks asks. */
import { DateTime, Effect } from "effect"
import { isIP } from "node:net"
import { Answer } from "../../../domain/alert/DeliveryVerdict.ts"
import { parseRetryAfter } from "../../../domain/alert/RetrySchedule.ts"
import { signedHeaders } from "../../../domain/alert/Signature.ts"
import { webhookHeaderProblems } from "../../../domain/alert/WebhookHeaders.ts"
import { EgressGuard } from "../../../egress/EgressGuard.ts"
import { exchange } from "../../../egress/HttpExchange.ts"
import type { ChannelKind, GivenSettings, Message, Problem } from "../ChannelKind.ts"

const userAgent = "Belltower-Webhook/1.0"

/** The answer's body says nothing to us; more of it than this is not waited for. */
const readLimit = 65_536

/** Why an address written as numbers cannot be used; names are judged at each attempt, by what they then resolve to. */
const blockedLiteral = (url: URL) =>
  Effect.flatMap(EgressGuard, (guard) => {
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
    return isIP(host) === 0
      ? Effect.succeed(null)
      : Effect.async<string | null>((resume) =>
        guard.addressesOf(host, (failure) => resume(Effect.succeed(failure === null ? null : failure.message)))
      )
  })

const urlProblems = Effect.fn("webhook.urlProblems")(function*(text: string) {
  const url = new URL(text)
  if (url.username !== "" || url.password !== "") {
    return [{ path: "url", message: "The URL must not carry a user name or password; send them in headers.authorization" }]
  }
  const blocked = yield* blockedLiteral(url)
  return blocked === null ? [] : [{ path: "url", message: blocked }]
})

const problems = Effect.fn("webhook.problems")(function*({ headers = {}, url }: GivenSettings) {
  const ofUrl: ReadonlyArray<Problem> = url === undefined ? [] : yield* urlProblems(url)
  const ofHeaders = webhookHeaderProblems(headers).map(({ message, name }) => ({ path: `headers.${name}`, message }))
  return [...ofUrl, ...ofHeaders]
})

const send = Effect.fn("webhook.send")(function*({ body, eventId, secrets, timeoutMs, url }: Message) {
  if (url === null || !URL.canParse(url)) return Answer.Impossible({ reason: "The channel has no valid URL" })
  const guard = yield* EgressGuard
  const now = yield* DateTime.now
  const { failure, response } = yield* exchange(guard, {
    url: new URL(url),
    method: "POST",
    headers: {
      ...secrets.headers,
      "user-agent": userAgent,
      "content-type": "application/json",
      ...signedHeaders(secrets.signing, { id: eventId, body }, DateTime.toEpochMillis(now))
    },
    body,
    timeoutMs,
    spentMs: 0,
    readLimit,
    keepLimit: 0
  })
  if (failure?._tag === "BlockedTarget") return Answer.Impossible({ reason: failure.message })
  if (failure !== null || response === null) return Answer.Unanswered({ reason: failure?.message ?? "No answer" })
  return Answer.Answered({
    statusCode: response.statusCode ?? 0,
    retryAfter: parseRetryAfter(response.headers["retry-after"], yield* DateTime.now)
  })
})

export const webhook: ChannelKind = {
  takes: ["url", "headers"],
  needs: ["url"],
  signs: true,
  problems,
  send
}
