/** The frames of one live stream: what is behind its cursor, then what comes, for ten minutes. */
import { Clock, Duration, Effect, Option, Schema, Stream } from "effect"
import { LiveCheck } from "../../schema/check/LiveCheck.ts"
import { Event, type EventType } from "../../schema/event/Event.ts"
import { EventLog } from "../store/event/EventLog.ts"
import type { Listener } from "./Listener.ts"

const pingEvery = Duration.toMillis("15 seconds")
const lifetime = Duration.toMillis("10 minutes")

/** Events are read and written in pages of so many, the next one when the client has taken the last: no reader grows memory. */
const pageSize = 200

const encodeEvent = Schema.encodeSync(Schema.parseJson(Event))
const encodeCheck = Schema.encodeSync(LiveCheck)

const eventFrame = (event: Event) => `id: ${event.id}\ndata: ${encodeEvent(event)}\n\n`

/** Without an id: it cannot be replayed, and the client's place in the log stays what it was. */
const checkFrame = (live: LiveCheck) => {
  const { check, monitorId } = encodeCheck(live)
  return `data: ${JSON.stringify({ type: "check.completed", at: check.at, data: { monitorId, check } })}\n\n`
}

const ping = ": ping\n\n"

/** First of all, so that the client hears at once that it is connected; milliseconds to wait before it reconnects. */
const greeting = "retry: 2000\n\n"

interface Clocks {
  readonly pingAt: number
  readonly closeAt: number
}

/**
 * One effect makes the next frames when the client is ready for them. Before it looks it closes the latch, so that a wake
 * meanwhile is not lost; what was not taken yet stays behind the cursor.
 */
export const liveStream = Effect.fn("LiveStream.make")(function*(
  listener: Listener,
  types: ReadonlyArray<EventType> | null
) {
  const log = yield* EventLog
  const start = yield* Clock.currentTimeMillis

  /** A database that is away ends no stream: the hub's next look wakes it again. */
  const readPage = Effect.suspend(() => log.after(listener.workspaceId, listener.cursor, types, pageSize)).pipe(
    Effect.catchAllDefect((defect) => Effect.as(Effect.logWarning("A live stream could not read its events", defect), []))
  )

  const takeEvents = Effect.suspend(() => {
    if (!listener.dirty) return Effect.succeed("")
    listener.dirty = false
    return Effect.map(readPage, (events) => {
      listener.cursor = events.at(-1)?.id ?? listener.cursor
      listener.dirty ||= events.length === pageSize
      return events.map(eventFrame).join("")
    })
  })

  const takeChecks = Effect.sync(() => listener.checks.splice(0).map(checkFrame).join(""))

  const next = (clocks: Clocks): Effect.Effect<Option.Option<readonly [string, Clocks]>> =>
    Effect.gen(function*() {
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        if (listener.ended || now >= clocks.closeAt) return Option.none()
        if (now >= clocks.pingAt) return Option.some([ping, { ...clocks, pingAt: now + pingEvery }] as const)
        yield* listener.latch.close
        const frames = (yield* takeEvents) + (yield* takeChecks)
        if (frames !== "") return Option.some([frames, clocks] as const)
        const wait = Math.min(clocks.pingAt, clocks.closeAt) - now
        if (!listener.dirty && !listener.ended) yield* Effect.timeoutOption(listener.latch.await, wait)
      }
    })

  return Stream.unfoldEffect({ pingAt: start + pingEvery, closeAt: start + lifetime }, next).pipe(
    (frames) => Stream.concat(Stream.succeed(greeting), frames),
    Stream.encodeText,
    Stream.rechunk(1)
  )
})
