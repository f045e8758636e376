/** The pings and the end of a live stream, on a clock that the test controls. */
import { expect, layer } from "@effect/vitest"
import { Chunk, DateTime, Effect, Fiber, Layer, Option, Queue, Stream, TestClock } from "effect"
import { EventId, WorkspaceId } from "../../schema/Ids.ts"
import { makeFairQueue } from "../../src/domain/tools/queues/FairQueue.ts"
import { makeFairSlots, neverFull } from "../../src/loops/FairSlots.ts"
import { makeFollower } from "../../src/operations/event/Follower.ts"
import { end, extend, type Listener, makeFeed, makeListener } from "../../src/operations/event/WorkspaceFeed.ts"
import { liveStream } from "../../src/sse/StreamRoute.ts"
import { EventLog } from "../../src/store/event/EventLog.ts"
import { nothing } from "../../src/store/postgres/Read.ts"

const workspaceId = WorkspaceId.make("ws_1")

/** A log without events. */
const quietLog = Layer.succeed(
  EventLog,
  EventLog.make({
    append: () => Effect.succeed([]),
    appendAll: () => Effect.succeed(new Map()),
    appendAfter: () => Effect.void,
    find: () => Effect.succeedNone,
    readNewest: () => nothing([]),
    after: () => Effect.succeed([])
  })
)

/** An endless log, which counts its reads. */
const endlessLog = (reads: { count: number }) =>
  EventLog.make({
    append: () => Effect.succeed([]),
    appendAll: () => Effect.succeed(new Map()),
    appendAfter: () => Effect.void,
    find: () => Effect.succeedNone,
    readNewest: () => nothing([]),
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
  const streamOf = (listener: Listener = makeListener("", false), feed = makeFeed(workspaceId, ""), pings = false) =>
    Effect.gen(function*() {
      const turns = makeFairSlots(makeFairQueue<() => void>({ slots: 1, mostPerOwner: 1 }), neverFull)
      return yield* liveStream(makeFollower(yield* EventLog, turns, feed, listener, null), pings)
    })

  const text = (bytes: Iterable<Uint8Array>) => Buffer.concat([...bytes]).toString()

  it.scoped("pings every 15 seconds", () =>
    Effect.gen(function*() {
      const frames = yield* Queue.unbounded<string>()
      const stream = yield* streamOf()
      yield* Effect.fork(Stream.runForEach(stream, (bytes) => frames.offer(text([bytes]))))
      expect(yield* frames.take).toBe(`retry: 2000\nid: evt_${"0".repeat(26)}\n\n`)
      for (let i = 0; i < 3; i++) {
        yield* TestClock.adjust("14999 millis")
        expect(yield* frames.size).toBe(0)
        yield* TestClock.adjust("1 millis")
        expect(yield* frames.take).toBe(": ping\n\n")
      }
    }))

  it.scoped("pings with an event, too, for a browser that asks", () =>
    Effect.gen(function*() {
      const frames = yield* Queue.unbounded<string>()
      const stream = yield* streamOf(makeListener("", false), makeFeed(workspaceId, ""), true)
      yield* Effect.fork(Stream.runForEach(stream, (bytes) => frames.offer(text([bytes]))))
      yield* frames.take
      yield* TestClock.adjust("15 seconds")
      expect(yield* frames.take).toBe(": ping\n\nevent: ping\ndata: {}\n\n")
    }))

  it.scoped("reads no further than its client does", () =>
    Effect.gen(function*() {
      const reads = { count: 0 }
      // The feed begins far behind the cursor, so the stream catches up from the database.
      const feed = makeFeed(workspaceId, "evt_8")
      const stream = yield* Effect.provideService(streamOf(makeListener("", false), feed), EventLog, endlessLog(reads))
      const pull = yield* Stream.toPull(stream)
      yield* pull
      expect(reads.count).toBe(0)
      yield* pull
      yield* pull
      expect(reads.count).toBe(2)
    }))

  it.scoped("of a client that reads too slowly ends with a comment, and holds no more than the shared feed meanwhile", () =>
    Effect.gen(function*() {
      const feed = makeFeed(workspaceId, "")
      const entry = (id: number) => ({
        id: `evt_${String(id).padStart(8, "0")}`,
        type: "test.ping" as const,
        json: "x".repeat(500)
      })
      const frames = yield* Stream.toPull(yield* streamOf(makeListener("", false), feed))
      yield* frames
      extend(feed, [entry(1)])
      expect(text(yield* frames)).toContain("id: evt_00000001\n")
      extend(feed, Array.from({ length: 500 }, (_, index) => entry(index + 2)))
      const page = text(yield* frames)
      expect(page.length).toBeLessThan(100_000)
      // The client stops reading while thousands of events arrive.
      for (let round = 0; round < 20; round++) {
        extend(feed, Array.from({ length: 500 }, (_, index) => entry(1000 * (round + 1) + index)))
        expect(feed.length).toBeLessThanOrEqual(1024 * 1024)
        expect(feed.entries.length).toBeLessThanOrEqual(1000)
      }
      expect(text(yield* frames)).toMatch(/^: closed: .*Last-Event-ID/)
      expect(Option.isNone(yield* Effect.flip(frames))).toBe(true)
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
      const listener = makeListener("", false)
      const all = yield* Effect.fork(Stream.runCollect(yield* streamOf(listener)))
      yield* TestClock.adjust("1 second")
      end(listener)
      yield* Fiber.join(all)
    }))
})
