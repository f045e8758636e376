/** Proves that a webhook wants a subscription: its endpoint repeats a challenge (Specification: Events, Subscriber handshake). */
import { DateTime, Effect } from "effect"
import type { ResponseHead } from "../../domain/check/answer/ResponseHead.ts"
import { echoes, verification, type VerifiedPage } from "../../domain/subscriber/SubscriberPayload.ts"
import { EgressGuard } from "../../egress/EgressGuard.ts"
import { type Exchange, exchange } from "../../egress/HttpExchange.ts"
import { deliveryHeaders } from "../alert/PostDelivery.ts"

const timeoutMs = 10_000
/** Bytes: longer answers do not repeat the challenge. */
const readLimit = 4096

const isRefusal = ({ statusCode }: ResponseHead): boolean => statusCode < 200 || statusCode >= 300

const repeats = ({ chunks }: Exchange, challenge: string): boolean => echoes(Buffer.concat(chunks).toString("utf8"), challenge)

const isAnswered = (seen: Exchange, challenge: string): boolean =>
  (seen.response !== null && isRefusal(seen.response)) || repeats(seen, challenge)

/** Null if the endpoint repeats the challenge, else the reason, without text of the response. */
export const handshake = Effect.fn("Handshake.try")(function*(url: URL, page: VerifiedPage, challenge: string) {
  const guard = yield* EgressGuard
  const body = verification(challenge, DateTime.formatIso(yield* DateTime.now), page)
  const seen = yield* exchange(guard, {
    url,
    method: "POST",
    headers: deliveryHeaders,
    body,
    timeoutMs,
    spentMs: 0,
    readLimit,
    keepLimit: readLimit,
    isEnough: (seen, answer) => answer(isAnswered(seen, challenge))
  })
  const { failure, response } = seen
  if (failure !== null || response === null) return failure?.message ?? "The endpoint did not answer"
  if (isRefusal(response)) return `The endpoint answered ${response.statusCode} to the challenge`
  return repeats(seen, challenge) ? null : "The endpoint did not repeat the challenge"
})
