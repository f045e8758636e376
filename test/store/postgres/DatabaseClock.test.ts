/** The database's clock as a process tracks it, whatever happens to its own. */
import { expect, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"
import { skewedClock } from "../../support/time/SkewedClock.ts"

/** A machine whose time the test sets. */
const makeMachine = () => {
  let setBy = 0
  return {
    clock: skewedClock({ wall: () => setBy }),
    set: (ms: number) =>
      Effect.sync(() => {
        setBy += ms
      })
  }
}

const hour = 3_600_000

const newDatabaseClock = Effect.scoped(Effect.map(Layer.build(DatabaseClock.Default), Context.get(DatabaseClock)))

layer(Layer.orDie(TestDatabase), { excludeTestServices: true })((it) => {
  it.effect("is known without a query, and does not change when the machine's time is set", () =>
    Effect.gen(function*() {
      const { clock, set } = makeMachine()
      yield* set(-hour)
      const database = yield* Effect.withClock(newDatabaseClock, clock)
      const isNear = Effect.gen(function*() {
        const asked = yield* Effect.flatMap(newDatabaseClock, ({ now }) => now)
        return Math.abs(database.estimate() - DateTime.toEpochMillis(asked)) < 1000
      })
      expect([database.isDoubtful(), yield* isNear]).toEqual([true, false])
      yield* database.now
      expect([database.isDoubtful(), yield* isNear]).toEqual([false, true])
      yield* set(hour)
      // It may have been asleep for an hour, or its time was set: only a query can tell.
      expect([database.isDoubtful(), yield* isNear]).toEqual([true, true])
      yield* database.now
      expect([database.isDoubtful(), yield* isNear]).toEqual([false, true])
    }))

  it.effect("never goes back when an answer that came slowly is followed by a faster one", () =>
    Effect.gen(function*() {
      // By this clock, each reading of it takes as long.
      let slowness = 0
      let passed = 0n
      const real = skewedClock({ both: 0 })
      const nanos = () => real.unsafeCurrentTimeNanos() + (passed += BigInt(slowness) * 1_000_000n)
      const database = yield* Effect.withClock(newDatabaseClock, { ...real, unsafeCurrentTimeNanos: nanos })
      slowness = 900
      yield* database.now
      slowness = 0
      const before = database.estimate()
      yield* database.now
      const after = database.estimate()
      expect(after).toBeGreaterThanOrEqual(before)
      expect(after - before).toBeLessThan(450)
    }))
})
