/** The frames of one live stream: the events after its cursor, then new ones, for ten minutes. */
import { Clock, Duration, Effect, Option, Stream } from "effect"
import { type Follower, Next } from "../operations/event/Follower.ts"
import type { FeedEntry } from "../operations/event/WorkspaceFeed.ts"

const pingEvery = Duration.toMillis("15 seconds")
const lifetime = Duration.toMillis("10 minutes")

const eventFrame = ({ id, json }: FeedEntry) => `id: ${id}\ndata: ${json}\n\n`

/** Has no id: checks cannot be replayed, so the client's position in the event log must not change. */
const checkFrame = (json: string) => `data: ${json}\n\n`

const ping = ": ping\n\n"

/** Sent first: the reconnect delay, ms, and the id after which the stream begins, where a client that drops resumes. */
const greeting = (start: string) => `retry: 2000\nid: ${start}\n\n`

/** The last comment to a client that is cut off; its position is the last id that it received. */
const tooSlow = ": closed: this client reads more slowly than events arrive. Reconnect with Last-Event-ID to continue.\n\n"

interface Clocks {
  readonly pingAt: number
  /** 0 after the last frame. */
  readonly closeAt: number
}

/** Produces frames on demand: unread events are in the shared feed or in the database, not in a buffer of the client. */
export const liveStream = Effect.fn("LiveStream.make")(function*(follower: Follower) {
  const start = yield* Clock.currentTimeMillis

  const next = (clocks: Clocks): Effect.Effect<Option.Option<readonly [string, Clocks]>> =>
    Effect.gen(function*() {
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        if (now >= clocks.closeAt) return Option.none()
        if (now >= clocks.pingAt) return Option.some([ping, { ...clocks, pingAt: now + pingEvery }] as const)
        const news = yield* follower.next(Math.min(clocks.pingAt, clocks.closeAt) - now)
        if (Next.$is("Closing")(news)) return Option.none()
        if (Next.$is("TooSlow")(news)) return Option.some([tooSlow, { ...clocks, closeAt: 0 }] as const)
        const frames = news.events.map(eventFrame).join("") + news.checks.map(checkFrame).join("")
        if (frames !== "") return Option.some([frames, clocks] as const)
      }
    })

  return Stream.unfoldEffect({ pingAt: start + pingEvery, closeAt: start + lifetime }, next).pipe(
    (frames) => Stream.concat(Stream.succeed(greeting(follower.start)), frames),
    Stream.encodeText,
    Stream.rechunk(1)
  )
})
