/** A bus that a test controls, and a probe worker on a clock of the test. */
import { Deferred, Effect, Layer, Queue, Stream } from "effect"
import type { Assignment, Beat, CheckResult } from "../../../schema/check/Bus.ts"
import { Bus, BusUnavailable, ShareSignal } from "../../../src/bus/Bus.ts"
import { run } from "../../../src/probe/Worker.ts"
import type { WorkerOptions } from "../../../src/probe/Worker.ts"
import { makeManualClock } from "../time/ManualClock.ts"

/** The worker begins at this time, ms since 1970. */
export const workerStart = 1_700_000_000_000

/** A bus that the test controls, and a worker on a test clock. */
export const makeWorkerBus = Effect.gen(function*() {
  const signals = yield* Queue.unbounded<ShareSignal>()
  const results = yield* Queue.unbounded<CheckResult>()
  const beats = yield* Queue.unbounded<Beat>()
  const asked = yield* Deferred.make<(assignment: Assignment) => Effect.Effect<CheckResult>>()
  const state = { away: false, batches: Array<number>() }
  const layer = Layer.succeed(Bus, {
    open: () => Effect.succeed(true),
    assign: () => Effect.void,
    partitions: Effect.succeed(new Map()),
    share: () => Stream.fromQueue(signals),
    report: (batch) =>
      Effect.suspend(() => {
        if (state.away) return new BusUnavailable({ cause: "away" })
        state.batches.push(batch.length)
        return Queue.offerAll(results, batch)
      }).pipe(Effect.asVoid),
    results: () => Effect.void,
    beat: (beat) => Effect.asVoid(Queue.offer(beats, beat)),
    beats: Stream.empty,
    publishTime: () => Effect.void,
    publishKeys: null,
    times: null,
    ask: () => Effect.never,
    answer: (_, look) => Effect.asVoid(Deferred.succeed(asked, look)),
    ping: Effect.void
  })
  const time = makeManualClock(workerStart)
  const work = (how: WorkerOptions) => Effect.fork(run(how).pipe(Effect.provide(layer), Effect.withClock(time.clock)))
  const assign = (...assignments: ReadonlyArray<Assignment>) =>
    Queue.offerAll(
      signals,
      assignments.map((assignment) =>
        ShareSignal.Changed({ partition: 0, change: { monitorId: assignment.monitorId, assignment } })
      )
    )
  const own = (...partitions: ReadonlyArray<number>) =>
    Queue.offer(signals, ShareSignal.Owned({ partitions: new Set(partitions), total: 2 }))
  return {
    layer,
    results,
    beats,
    asked,
    state,
    assign,
    own,
    work,
    pass: time.pass,
    jump: time.jump,
    now: () => time.clock.unsafeCurrentTimeMillis()
  }
})
