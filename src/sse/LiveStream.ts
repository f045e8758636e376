/** The frames of one live stream: the events after its cursor, then new ones, for ten minutes. */
import { Clock, Duration, Effect, Option, Schema, Stream } from "effect"
import { LiveCheck } from "../../schema/check/LiveCheck.ts"
import { Event } from "../../schema/event/Event.ts"
import type { Follower, News } from "../operations/event/FollowEvents.ts"

const pingEvery = Duration.toMillis("15 seconds")
const lifetime = Duration.toMillis("10 minutes")

const encodeEvent = Schema.encodeSync(Schema.parseJson(Event))
const encodeCheck = Schema.encodeSync(LiveCheck)

const eventFrame = (event: Event) => `id: ${event.id}\ndata: ${encodeEvent(event)}\n\n`

/** Has no id: checks cannot be replayed, so the client's position in the event log must not change. */
const checkFrame = (live: LiveCheck) => {
  const { check, monitorId } = encodeCheck(live)
  return `data: ${JSON.stringify({ type: "check.completed", at: check.at, data: { monitorId, check } })}\n\n`
}

const framesOf = ({ checks, events }: News) => events.map(eventFrame).join("") + checks.map(checkFrame).join("")

const ping = ": ping\n\n"

/** Sent first, so the client sees the connection immediately. Sets the reconnect delay, ms. */
const greeting = "retry: 2000\n\n"

interface Clocks {
  readonly pingAt: number
  readonly closeAt: number
}

/** Produces frames on demand: unread events stay in the database after the cursor, not in memory. */
export const liveStream = Effect.fn("LiveStream.make")(function*(follower: Follower) {
  const start = yield* Clock.currentTimeMillis

  const next = (clocks: Clocks): Effect.Effect<Option.Option<readonly [string, Clocks]>> =>
    Effect.gen(function*() {
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        if (now >= clocks.closeAt) return Option.none()
        if (now >= clocks.pingAt) return Option.some([ping, { ...clocks, pingAt: now + pingEvery }] as const)
        const news = yield* follower.next(Math.min(clocks.pingAt, clocks.closeAt) - now)
        if (Option.isNone(news)) return Option.none()
        const frames = framesOf(news.value)
        if (frames !== "") return Option.some([frames, clocks] as const)
      }
    })

  return Stream.unfoldEffect({ pingAt: start + pingEvery, closeAt: start + lifetime }, next).pipe(
    (frames) => Stream.concat(Stream.succeed(greeting), frames),
    Stream.encodeText,
    Stream.rechunk(1)
  )
})
