/** Since when no report can have been missed, while processes begin and end to listen. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { Listening } from "../../../src/store/monitor/Listening.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const setUp = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const listening = yield* Listening
  yield* sql`delete from listening`
  return {
    listening,
    /** Lets seconds pass: everything recorded becomes older. */
    pass: (seconds: number) =>
      sql`update listening set since = since - make_interval(secs => ${seconds}), beat_at = beat_at - make_interval(secs => ${seconds})`,
    /** The service has listened without interruption for this long. */
    begunBefore: (seconds: number) => sql`update listening set since = now() - make_interval(secs => ${seconds})`,
    /** How long reports have been received without interruption, s. */
    age: Effect.gen(function*() {
      const [row] = yield* sql<{ readonly now: Date }>`select now() as now`
      const now = DateTime.unsafeMake(row?.now ?? 0)
      return Math.round(DateTime.distance(yield* listening.since(now), now) / 1000)
    })
  }
})

layer(Listening.Default.pipe(Layer.provideMerge(TestDatabase)), { excludeTestServices: true })("reports", (it) => {
  it.effect("may have been missed while the only process was down, however short that was", () =>
    Effect.gen(function*() {
      const { age, begunBefore, listening, pass } = yield* setUp
      yield* listening.beat()
      yield* begunBefore(3600)
      yield* pass(2)
      expect(yield* age).toBe(3602)
      // A kill -9 and a start 2 s after the last beat.
      const start = yield* listening.start
      expect(yield* age).toBe(0)
      yield* listening.resume(start)
      yield* listening.beat()
      expect(yield* age).toBe(0)
    }))

  it.effect("were received all the time if another process was listening when one began", () =>
    Effect.gen(function*() {
      const { age, begunBefore, listening } = yield* setUp
      yield* listening.beat()
      yield* begunBefore(3600)
      const start = yield* listening.start
      expect(yield* age).toBe(0)
      // Of the other process.
      yield* listening.beat()
      yield* listening.resume(start)
      expect(yield* age).toBe(3600)
    }))

  it.effect("may have been missed before two processes that began together", () =>
    Effect.gen(function*() {
      const { age, begunBefore, listening } = yield* setUp
      yield* listening.beat()
      yield* begunBefore(3600)
      const one = yield* listening.start
      const other = yield* listening.start
      yield* listening.resume(one)
      yield* listening.beat()
      yield* listening.resume(other)
      yield* listening.beat()
      expect(yield* age).toBe(0)
    }))

  it.effect("that were lost in spite of a process that listens interrupt it", () =>
    Effect.gen(function*() {
      const { age, listening, pass } = yield* setUp
      yield* listening.beat()
      yield* pass(5)
      yield* listening.interrupted
      expect(yield* age).toBe(0)
    }))
})
