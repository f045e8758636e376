/** Proves that a webhook wants a subscription: its endpoint repeats a challenge (Specification: Events, Subscriber handshake). */
import { DateTime, Effect } from "effect"
import { echoes, verification, type VerifiedPage } from "../../domain/subscriber/SubscriberPayload.ts"
import { EgressGuard } from "../../egress/EgressGuard.ts"
import { exchange } from "../../egress/HttpExchange.ts"
import { deliveryHeaders } from "../alert/PostDelivery.ts"

const timeoutMs = 10_000
/** Bytes: longer answers do not repeat the challenge. */
const readLimit = 4096

/** Null if the endpoint repeats the challenge, else the reason, without text of the response. */
export const handshake = Effect.fn("Handshake.try")(function*(url: URL, page: VerifiedPage, challenge: string) {
  const guard = yield* EgressGuard
  const body = verification(challenge, DateTime.formatIso(yield* DateTime.now), page)
  const { chunks, failure, response } = yield* exchange(guard, {
    url,
    method: "POST",
    headers: deliveryHeaders,
    body,
    timeoutMs,
    spentMs: 0,
    readLimit,
    keepLimit: readLimit
  })
  if (failure !== null || response === null) return failure?.message ?? "The endpoint did not answer"
  const status = response.statusCode ?? 0
  if (status < 200 || status >= 300) return `The endpoint answered ${status} to the challenge`
  return echoes(Buffer.concat(chunks).toString("utf8"), challenge) ? null : "The endpoint did not repeat the challenge"
})
