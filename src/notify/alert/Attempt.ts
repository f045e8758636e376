/** One attempt at one delivery: opens the channel's secrets, sends the message and judges the response. */
import { type DateTime, Duration, Effect } from "effect"
import { Answer, judge } from "../../domain/alert/DeliveryVerdict.ts"
import { EgressGuard, guardFor } from "../../egress/EgressGuard.ts"
import { openSecrets } from "../../store/alert/ChannelSecrets.ts"
import type { HeldDelivery } from "../../store/alert/DeliveryClaim.ts"
import { countAttempt } from "../Metrics.ts"
import { channelKinds } from "./channelKinds.ts"

/** Milliseconds from DNS resolution to the status of the response, and to the last byte that is read (Specification: Events, Retries). */
export const attemptTimeoutMs = 10_000

// Not traced, as everything on the way of each delivery.
const send = Effect.fnUntraced(
  function*({ body, channelId, eventId, sealed, settings, type, url, workspaceId }: HeldDelivery, timeoutMs: number) {
    const secrets = yield* openSecrets(sealed)
    const stored = { shown: { url, ...settings }, sealed: secrets.settings }
    const message = { eventId, workspaceId, channelId, body, signing: secrets.signing, timeoutMs }
    const guard = guardFor(yield* EgressGuard, { owner: workspaceId })
    return yield* Effect.provideService(channelKinds[type].send(message, stored), EgressGuard, guard)
  }
)

/**
 * The verdict, and how long the attempt took. Never fails: a defect is logged and counts as a failed attempt, which is retried.
 * `now` is read when the attempt has ended.
 */
export const attempt = Effect.fnUntraced(
  function*(delivery: HeldDelivery, now: Effect.Effect<DateTime.Utc>, timeoutMs: number = attemptTimeoutMs) {
    const [duration, answer] = yield* send(delivery, timeoutMs).pipe(
      Effect.catchAllDefect((defect) =>
        Effect.logError(`Delivery ${delivery.id} failed with an internal error`, defect).pipe(
          Effect.as(Answer.Unanswered({ reason: "Internal error in Belltower; see the server log" }))
        )
      ),
      Effect.timed
    )
    const verdict = judge(answer, delivery.attempts + 1, yield* now)
    yield* Effect.sync(() => countAttempt(delivery.type, verdict, Duration.toSeconds(duration)))
    return { verdict, latencyMs: Math.round(Duration.toMillis(duration)) }
  }
)
