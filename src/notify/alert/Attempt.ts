/** One attempt at one delivery: opens the channel's secrets, sends the message and judges the response. */
import { Cause, DateTime, Duration, Effect, Option, Struct } from "effect"
import type { ChannelType } from "../../../schema/alert/Channel.ts"
import type { AddedWayKind } from "../../../schema/oncall/Way.ts"
import { Answer, internalError, judge, type Moved } from "../../domain/alert/DeliveryVerdict.ts"
import { type AddressPermits, everyPermit } from "../../domain/check/address/PermitsAt.ts"
import { notNeeded } from "../../domain/paging/PersonalSteps.ts"
import { isWayTarget, kindOfWay } from "../../domain/paging/WayTarget.ts"
import { EgressGuard, guardFor } from "../../egress/EgressGuard.ts"
import { Channels } from "../../store/alert/Channels.ts"
import { openSecrets } from "../../store/alert/ChannelSecrets.ts"
import type { HeldDelivery } from "../../store/alert/DeliveryClaim.ts"
import { openAddress } from "../../store/paging/ContactWays.ts"
import { Pagings } from "../../store/paging/Pagings.ts"
import type { Vault } from "../../store/Vault.ts"
import { sampledTrace } from "../../telemetry/Tracing.ts"
import { promptly, stoodStill } from "../delivery/Promptly.ts"
import { countAttempt } from "../Metrics.ts"
import { wayKinds } from "../way/wayKinds.ts"
import type { ChannelServices } from "./ChannelKind.ts"
import { channelKinds } from "./channelKinds.ts"

/** Milliseconds from DNS resolution to the status of the response, and to the last byte that is read (Specification: Events, Retries). */
export const attemptTimeoutMs = 10_000

export type AttemptServices = ChannelServices | Channels | Pagings | Vault

const withoutAttempt = {
  // A page that nobody needs any more must not ring.
  unwanted: Answer.Impossible({ reason: notNeeded }),
  taken: Answer.Accepted({}),
  // The result of the other attempt counts.
  overtaken: Answer.Unanswered({ reason: "Another process took this page over" })
} as const

const sendPage = Effect.fnUntraced(
  function*(kind: AddedWayKind, delivery: HeldDelivery, timeoutMs: number, permits: AddressPermits) {
    const { body, channelId, eventId, sealed, workspaceId } = delivery
    const way = wayKinds[kind]
    if (way === undefined || sealed === null) return Answer.Impossible({ reason: `This server cannot page by ${kind}` })
    const address = yield* openAddress(channelId, sealed)
    const { begin } = yield* Pagings
    const isRepeated = delivery.begun > 0
    const start = yield* promptly(begin(workspaceId, delivery))
    if (Option.isNone(start)) return stoodStill
    if (start.value !== "begun") return withoutAttempt[start.value]
    delivery.begun++
    const message = { eventId, workspaceId, channelId, body, signing: [], timeoutMs, isRepeated }
    const guard = guardFor(yield* EgressGuard, { owner: workspaceId, permits })
    return yield* Effect.provideService(way.send(message, address), EgressGuard, guard)
  }
)

// Untraced, like all that runs for each delivery.
const sendAlert = Effect.fnUntraced(
  function*(
    delivery: HeldDelivery & { readonly type: ChannelType },
    timeoutMs: number,
    permits: AddressPermits
  ) {
    const { body, channelId, eventId, sealed, settings, type, url, workspaceId } = delivery
    const secrets = yield* openSecrets(channelId, sealed)
    const stored = { shown: { url, ...settings }, sealed: secrets.settings }
    const message = { eventId, workspaceId, channelId, body, signing: secrets.signing, timeoutMs }
    const guard = guardFor(yield* EgressGuard, { owner: workspaceId, permits })
    return yield* Effect.provideService(channelKinds[type].send(message, stored), EgressGuard, guard)
  }
)

const send = (delivery: HeldDelivery, timeoutMs: number, permits: AddressPermits) => {
  const { type } = delivery
  return isWayTarget(type)
    ? sendPage(kindOfWay(type), delivery, timeoutMs, permits)
    : sendAlert({ ...delivery, type }, timeoutMs, permits)
}

/** Stores where a service has moved a channel's target, unless somebody has changed its settings meanwhile. */
const follow = Effect.fnUntraced(
  function*({ channelId, settings: sentTo, workspaceId }: HeldDelivery, { note, settings }: Moved) {
    const { change } = yield* Channels
    const now = yield* DateTime.now
    yield* change(workspaceId, channelId, ({ channel, secrets }) =>
      Effect.succeed({
        channel: channel.chatId === sentTo.chatId ? { ...Struct.omit(channel, "problem"), ...settings, updatedAt: now } : channel,
        secrets
      }))
    yield* Effect.logInfo(`Channel ${channelId} moved: ${note}`)
  },
  (work, { channelId }) =>
    // The next delivery moves it.
    Effect.catchAllDefect(work, (defect) =>
      Effect.logWarning(`The new target of channel ${channelId} was not stored`, Cause.die(defect)))
)

/**
 * The verdict, and how long the attempt took. Never fails: a defect is logged and counts as a failed attempt, which is retried.
 * `now` is read when the attempt has ended.
 */
export const attempt = Effect.fnUntraced(
  function*(
    delivery: HeldDelivery,
    now: Effect.Effect<DateTime.Utc>,
    timeoutMs: number = attemptTimeoutMs,
    permits = everyPermit
  ) {
    const [duration, answer] = yield* send(delivery, timeoutMs, permits).pipe(
      Effect.catchAllDefect((defect) =>
        Effect.logError(`Delivery ${delivery.id} failed with an internal error`, Cause.die(defect)).pipe(
          Effect.as(internalError)
        )
      ),
      Effect.timed
    )
    if (answer._tag === "Answered" && answer.moved !== undefined) yield* follow(delivery, answer.moved)
    const verdict = judge(answer, delivery.attempts + 1, yield* now)
    const trace = yield* sampledTrace
    yield* Effect.sync(() => countAttempt(delivery.type, verdict, Duration.toSeconds(duration), trace))
    return { verdict, latencyMs: Math.round(Duration.toMillis(duration)) }
  }
)
