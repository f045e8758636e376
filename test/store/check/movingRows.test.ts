/** Rows that wait in the default partition move into their own without being missed meanwhile, and none is refused. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Clock, DateTime, Duration, Effect, Fiber, Layer } from "effect"
import { CheckPartitions } from "../../../src/store/check/CheckPartitions.ts"
import { RetentionSettings } from "../../../src/store/check/Retention.ts"
import { newMonitor, newWorkspace } from "../../pages/Fixtures.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"

const ground = CheckPartitions.Default.pipe(
  Layer.provide(Layer.succeed(RetentionSettings, { checksDays: 7, historyDays: 100 })),
  Layer.provideMerge(TestDatabase)
)

/** A clock that is ahead of the real one. */
const ahead = (days: number): Clock.Clock => {
  const real = Clock.make()
  const ms = Duration.toMillis(Duration.days(days))
  return {
    ...real,
    unsafeCurrentTimeMillis: () => real.unsafeCurrentTimeMillis() + ms,
    currentTimeMillis: Effect.map(real.currentTimeMillis, (now) => now + ms)
  }
}

layer(ground, { excludeTestServices: true, timeout: "120 seconds" })("rows in the default partition", (it) => {
  it.effect("are always read and written while their own is attached", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const partitions = yield* CheckPartitions
      const workspaceId = yield* newWorkspace()
      const monitorId = yield* newMonitor(workspaceId, "moved", [])
      const misses: Array<number> = []
      let added = 0
      // After weeks in which no process ran.
      for (const days of [40, 80, 120, 160, 200]) {
        const at = DateTime.toDateUtc(DateTime.add(yield* DateTime.now, { days }))
        const add = (id: string) =>
          sql`
            insert into job_logs (at, id, monitor_id, workspace_id, run_id, signal, octets, text)
            values (${at}, ${id}, ${monitorId}, ${workspaceId}, 'run_1', 'log', 1, 'x')`
        for (let n = 0; n < 20; n++) yield* add(`${days}_${n}`)
        const reading = Effect.gen(function*() {
          const rows = yield* sql`select 1 from job_logs where monitor_id = ${monitorId} and at = ${at} limit 1`
          if (rows.length === 0) misses.push(days)
        })
        const writing = Effect.suspend(() => {
          added += 1
          return add(`${days}_more_${added}`)
        })
        const readers = yield* Effect.fork(Effect.all(
          [...Array.from({ length: 6 }, () => Effect.forever(reading)), Effect.forever(writing)],
          { concurrency: "unbounded" }
        ))
        yield* Effect.withClock(partitions.maintain(), ahead(days))
        yield* Effect.sleep("50 millis")
        const ended = yield* Fiber.interrupt(readers)
        expect([days, ended._tag === "Failure" && String(ended.cause).includes("violates")]).toEqual([days, false])
      }
      expect(misses).toEqual([])
      expect(added).toBeGreaterThan(10)
    }))
})
