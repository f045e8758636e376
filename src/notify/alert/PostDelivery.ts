/** One delivery by HTTP POST through the egress guard, for webhooks and chat services. */
import { DateTime, Effect } from "effect"
import { isIP } from "node:net"
import { Answer } from "../../domain/alert/DeliveryVerdict.ts"
import { parseRetryAfter } from "../../domain/alert/RetrySchedule.ts"
import { EgressGuard } from "../../egress/EgressGuard.ts"
import { exchange } from "../../egress/HttpExchange.ts"
import type { Problem } from "./ChannelKind.ts"

/** The headers of every delivery. */
export const deliveryHeaders = { "user-agent": "Belltower-Webhook/1.0", "content-type": "application/json" } as const

/** Bytes. The response body does not affect the verdict, so reading stops here. */
const readLimit = 65_536

/** Rejects a URL whose host is a blocked IP address. Host names are checked at each attempt, after DNS resolution. */
export const blockedProblems = Effect.fn("PostDelivery.blockedProblems")(function*(path: string, url: URL) {
  const guard = yield* EgressGuard
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  if (isIP(host) === 0) return []
  const blocked = yield* Effect.async<string | null>((resume) =>
    guard.addressesOf(host, (failure) => resume(Effect.succeed(failure === null ? null : failure.message)))
  )
  const problems: ReadonlyArray<Problem> = blocked === null ? [] : [{ path, message: blocked }]
  return problems
})

export const postDelivery = Effect.fnUntraced(function*(request: {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
}) {
  const guard = yield* EgressGuard
  const { failure, response } = yield* exchange(guard, { ...request, method: "POST", spentMs: 0, readLimit, keepLimit: 0 })
  if (failure?._tag === "BlockedTarget") return Answer.Impossible({ reason: failure.message })
  if (failure !== null || response === null) return Answer.Unanswered({ reason: failure?.message ?? "No answer" })
  return Answer.Answered({
    statusCode: response.statusCode ?? 0,
    retryAfter: parseRetryAfter(response.headers["retry-after"], yield* DateTime.now)
  })
})
