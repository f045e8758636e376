/** Since when no report can have been missed, while processes begin and end to listen. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import * as fc from "fast-check"
import { beat, type ListeningProcess } from "../../../src/domain/monitor/ListeningProcesses.ts"
import { Listening } from "../../../src/store/monitor/Listening.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"

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
      yield* listensFor("one", 3601)
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
      yield* listensFor("one", 3601)
      yield* listening.begin("early")
      yield* listening.begin("other")
      // A beat in the millisecond in which another begins does not show that it came later.
      yield* pass(1)
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
      yield* listensFor("dead", 3601)
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
      yield* listensFor("one", 3601)
      yield* listening.beat("other")
      expect(yield* heardForAnHour).toBe(true)
      yield* listening.interrupted("one")
      yield* listening.beat("other")
      expect(yield* heardForAnHour).toBe(false)
    }))

  it.effect("are received beside each other by processes that none replaces", () =>
    Effect.gen(function*() {
      const { listening, listensFor, pass } = yield* setUp
      yield* listensFor("one", 3601)
      expect(yield* listening.count).toBe(1)
      // A restart: the former process beats until it ends.
      yield* listening.begin("other")
      yield* pass(9)
      yield* listening.beat("one")
      yield* listening.beat("other")
      expect(yield* listening.count).toBe(1)
      for (let seconds = 0; seconds < 24; seconds += 8) {
        yield* pass(8)
        yield* listening.beat("other")
      }
      expect(yield* listening.count).toBe(1)
      // A process that stood still and goes on beside the one that took over.
      yield* listening.beat("one")
      expect(yield* listening.count).toBe(1)
      for (let seconds = 0; seconds < 32; seconds += 8) {
        yield* pass(8)
        yield* listening.beat("one")
        yield* listening.beat("other")
      }
      expect(yield* listening.count).toBe(2)
    }))

  it.effect("are recorded by a beat that waits for no other process", () =>
    Effect.gen(function*() {
      const { listening, listensFor } = yield* setUp
      const sql = yield* SqlClient.SqlClient
      yield* listensFor("one", 3601)
      yield* listening.beat("other")
      const isLocked = yield* Deferred.make<void>()
      const mayEnd = yield* Deferred.make<void>()
      const recording = yield* sql.withTransaction(
        sql`select from listeners where id = 'other' for update`.pipe(
          Effect.zipRight(Deferred.succeed(isLocked, undefined)),
          Effect.zipRight(Deferred.await(mayEnd))
        )
      ).pipe(Effect.fork)
      yield* Deferred.await(isLocked)
      yield* Effect.timeout(listening.beat("one"), "20 seconds")
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(recording)
    }))

  it.effect("are recorded by a beat as the decision says, for any records", () =>
    Effect.gen(function*() {
      const { listening } = yield* setUp
      const sql = yield* SqlClient.SqlClient
      const ms = (column: string) => sql.literal(`round(extract(epoch from ${column}) * 1000)::float8`)
      const records = Effect.map(
        sql<ListeningProcess>`
          select id, ${ms("began_at")} as began, ${ms("since")} as since, ${ms("beat_at")} as beat from listeners`,
        (rows) => rows.toSorted((one, other) => one.id.localeCompare(other.id))
      )
      /** How long ago, ms: on both sides of the limits, and in the future. */
      const age = fc.oneof(fc.integer({ min: -15_000, max: 70_000 }), fc.integer({ min: 0, max: 9_000 }))
      const record = fc.record({ began: age, since: fc.oneof(fc.constant(0), fc.nat(60_000)), beat: age })
      const samples = fc.sample(fc.array(record, { minLength: 0, maxLength: 4 }), { numRuns: 150, seed: 7 })
      let changedOthers = 0
      for (const sample of samples) {
        yield* sql`delete from listeners`
        for (const [index, { beat, began, since }] of sample.entries()) {
          yield* sql`
            insert into listeners (id, began_at, since, beat_at)
            select ${String(index)}, date_trunc('milliseconds', statement_timestamp()) - make_interval(secs => ${began / 1000}),
                   date_trunc('milliseconds', statement_timestamp()) - make_interval(secs => ${(began + since) / 1000}),
                   date_trunc('milliseconds', statement_timestamp()) - make_interval(secs => ${beat / 1000})`
        }
        const before = yield* records
        yield* listening.beat("0")
        const after = yield* records
        const now = after.find(({ id }) => id === "0")?.beat ?? 0
        const expected = beat(before, "0", now).toSorted((one, other) => one.id.localeCompare(other.id))
        expect({ sample, records: after }).toEqual({ sample, records: expected })
        if (after.length !== before.length || after.some((one, at) => one.since !== before[at]?.since)) changedOthers++
      }
      // Both the beat that changes nothing else and the others occurred.
      expect(changedOthers).toBeGreaterThan(20)
      expect(samples.length - changedOthers).toBeGreaterThan(20)
    }))
})
