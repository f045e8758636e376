/** Processes whose machine's clock is wrong show the database's time. */
import { expect, layer } from "@effect/vitest"
import { Clock, DateTime, Effect, Layer } from "effect"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import * as SharedClock from "../../../src/store/postgres/SharedClock.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"
import { skewedClock } from "../../support/time/SkewedClock.ts"
import { until } from "../../support/time/Until.ts"

const hour = 3_600_000

layer(Layer.orDie(TestDatabase), { excludeTestServices: true })((it) => {
  it.effect("whether it is off from the start or set while they run", () =>
    Effect.gen(function*() {
      let off = hour
      const shared = SharedClock.layer.pipe(Layer.provideMerge(DatabaseClock.Default))
      const differs = Effect.gen(function*() {
        const shown = yield* Clock.currentTimeMillis
        const { now } = yield* DatabaseClock
        return Math.abs(DateTime.toEpochMillis(yield* now) - shown)
      })
      yield* Effect.gen(function*() {
        expect(yield* differs).toBeLessThan(1000)
        off = -hour
        yield* until(differs, (ms) => ms < 1000)
        off = 0
        yield* until(differs, (ms) => ms < 1000)
      }).pipe(Effect.provide(shared), Effect.withClock(skewedClock({ wall: () => off })))
    }))
})
