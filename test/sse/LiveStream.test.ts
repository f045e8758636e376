/** The pings and the end of a live stream, on a clock that the test controls. */
import { expect, layer } from "@effect/vitest"
import { Chunk, DateTime, Effect, Fiber, Layer, Queue, Stream, TestClock } from "effect"
import { EventId, WorkspaceId } from "../../schema/Ids.ts"
import { makeFollower } from "../../src/operations/event/FollowEvents.ts"
import { end, type Listener, makeListener } from "../../src/operations/event/Listener.ts"
import { liveStream } from "../../src/sse/LiveStream.ts"
import { EventLog } from "../../src/store/event/EventLog.ts"

const workspaceId = WorkspaceId.make("ws_1")

/** A log without events. */
const quietLog = Layer.succeed(
  EventLog,
  EventLog.make({
    append: () => Effect.succeed([]),
    newest: () => Effect.succeed([]),
    after: () => Effect.succeed([])
  })
)

/** An endless log, which counts its reads. */
const endlessLog = (reads: { count: number }) =>
  EventLog.make({
    append: () => Effect.succeed([]),
    newest: () => Effect.succeed([]),
    after: (_, __, ___, limit) =>
      Effect.map(DateTime.now, (at) => {
        reads.count++
        return Array.from({ length: limit }, (_, i) => ({
          id: EventId.make(`evt_${String(reads.count).padStart(10, "0")}${String(i).padStart(10, "0")}`),
          type: "test.ping" as const,
          at,
          data: {}
        }))
      })
  })

layer(quietLog)("a live stream", (it) => {
  const streamOf = (listener: Listener = makeListener(workspaceId, "", false)) =>
    Effect.flatMap(EventLog, (log) => liveStream(makeFollower(log, listener, null)))

  const text = (bytes: Iterable<Uint8Array>) => Buffer.concat([...bytes]).toString()

  it.scoped("pings every 15 seconds", () =>
    Effect.gen(function*() {
      const frames = yield* Queue.unbounded<string>()
      const stream = yield* streamOf()
      yield* Effect.fork(Stream.runForEach(stream, (bytes) => frames.offer(text([bytes]))))
      expect(yield* frames.take).toBe("retry: 2000\n\n")
      for (let i = 0; i < 3; i++) {
        yield* TestClock.adjust("14999 millis")
        expect(yield* frames.size).toBe(0)
        yield* TestClock.adjust("1 millis")
        expect(yield* frames.take).toBe(": ping\n\n")
      }
    }))

  it.scoped("reads no further than its client does", () =>
    Effect.gen(function*() {
      const reads = { count: 0 }
      const stream = yield* Effect.provideService(
        streamOf(),
        EventLog,
        endlessLog(reads)
      )
      const pull = yield* Stream.toPull(stream)
      yield* pull
      expect(reads.count).toBe(0)
      yield* pull
      yield* pull
      expect(reads.count).toBe(2)
    }))

  it.scoped("ends after ten minutes", () =>
    Effect.gen(function*() {
      const stream = yield* streamOf()
      const all = yield* Effect.fork(Stream.runCollect(stream))
      yield* TestClock.adjust("10 minutes")
      const frames = text(Chunk.toReadonlyArray(yield* Fiber.join(all)))
      expect(frames.match(/: ping/g)).toHaveLength(39)
    }))

  it.scoped("ends immediately when the process shuts down", () =>
    Effect.gen(function*() {
      const listener = makeListener(workspaceId, "", false)
      const all = yield* Effect.fork(Stream.runCollect(yield* streamOf(listener)))
      yield* TestClock.adjust("1 second")
      end(listener)
      yield* Fiber.join(all)
    }))
})
