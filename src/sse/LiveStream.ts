/** The frames of one live stream: what is behind its cursor, then what happens, for ten minutes. */
import { Clock, Duration, Effect, Option, Schema, Stream } from "effect"
import { LiveCheck } from "../../schema/check/LiveCheck.ts"
import { Event } from "../../schema/event/Event.ts"
import type { Follower, News } from "../operations/event/FollowEvents.ts"

const pingEvery = Duration.toMillis("15 seconds")
const lifetime = Duration.toMillis("10 minutes")

const encodeEvent = Schema.encodeSync(Schema.parseJson(Event))
const encodeCheck = Schema.encodeSync(LiveCheck)

const eventFrame = (event: Event) => `id: ${event.id}\ndata: ${encodeEvent(event)}\n\n`

/** Without an id: it cannot be replayed, and the client's place in the log stays what it was. */
const checkFrame = (live: LiveCheck) => {
  const { check, monitorId } = encodeCheck(live)
  return `data: ${JSON.stringify({ type: "check.completed", at: check.at, data: { monitorId, check } })}\n\n`
}

const framesOf = ({ checks, events }: News) => events.map(eventFrame).join("") + checks.map(checkFrame).join("")

const ping = ": ping\n\n"

/** Sent first, so that the client knows immediately that it is connected; milliseconds to wait before it reconnects. */
const greeting = "retry: 2000\n\n"

interface Clocks {
  readonly pingAt: number
  readonly closeAt: number
}

/** One effect makes the next frames when the client is ready for them; what was not read yet stays behind the cursor. */
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
