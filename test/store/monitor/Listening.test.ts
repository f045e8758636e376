/** Since when no report can have been missed, while processes begin and end to listen. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { Listening } from "../../../src/store/monitor/Listening.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const setUp = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const listening = yield* Listening
  yield* sql`delete from listeners`
  return {
    listening,
    /** Whether no report can have been missed for an hour. */
    heardForAnHour: Effect.gen(function*() {
      const [row] = yield* sql<{ readonly now: Date }>`select statement_timestamp() as now`
      const now = DateTime.unsafeMake(row?.now ?? 0)
      return now.epochMillis - (yield* listening.at(now)).since >= 3_600_000
    }),
    /** Lets seconds pass: everything recorded becomes older. */
    pass: (seconds: number) =>
      sql`
        update listeners set began_at = began_at - make_interval(secs => ${seconds}),
          since = since - make_interval(secs => ${seconds}), beat_at = beat_at - make_interval(secs => ${seconds})`,
    /** A process that has listened without interruption for this long. */
    listensFor: (id: string, seconds: number) =>
      Effect.zipRight(
        listening.beat(id),
        sql`
          update listeners set began_at = now() - make_interval(secs => ${seconds}), since = now() - make_interval(secs => ${seconds})
          where id = ${id}`
      )
  }
})

layer(Listening.Default.pipe(Layer.provideMerge(TestDatabase)), { excludeTestServices: true })("reports", (it) => {
  it.effect("may have been missed while the only process was down, however short that was", () =>
    Effect.gen(function*() {
      const { heardForAnHour, listening, listensFor, pass } = yield* setUp
      yield* listensFor("one", 3600)
      yield* pass(2)
      expect(yield* heardForAnHour).toBe(true)
      // A kill -9 and a start 2 s after the last beat.
      yield* listening.begin("other")
      yield* pass(4)
      yield* listening.beat("other")
      expect(yield* heardForAnHour).toBe(false)
    }))

  it.effect("were received all the time if another process was listening when some began, even if those died early", () =>
    Effect.gen(function*() {
      const { heardForAnHour, listening, listensFor, pass } = yield* setUp
      yield* listensFor("one", 3600)
      yield* listening.begin("early")
      yield* listening.begin("other")
      yield* listening.beat("one")
      expect(yield* heardForAnHour).toBe(true)
      yield* pass(3)
      yield* listening.beat("other")
      // The process that listened before ends, and is forgotten. A test that halts for 6 s between two beats would interrupt the other.
      for (let beats = 0; beats < 16; beats++) {
        yield* pass(4)
        yield* listening.beat("other")
      }
      expect(yield* heardForAnHour).toBe(true)
    }))

  it.effect("may have been missed before two processes that began together", () =>
    Effect.gen(function*() {
      const { heardForAnHour, listening, listensFor, pass } = yield* setUp
      yield* listensFor("dead", 3600)
      yield* pass(1)
      yield* listening.begin("one")
      yield* listening.begin("other")
      yield* pass(4)
      yield* listening.beat("one")
      yield* listening.beat("other")
      expect(yield* heardForAnHour).toBe(false)
    }))

  it.effect("that were lost in spite of a process that listens interrupt it", () =>
    Effect.gen(function*() {
      const { heardForAnHour, listening, listensFor } = yield* setUp
      yield* listensFor("one", 3600)
      yield* listening.beat("other")
      expect(yield* heardForAnHour).toBe(true)
      yield* listening.interrupted("one")
      yield* listening.beat("other")
      expect(yield* heardForAnHour).toBe(false)
    }))
})
