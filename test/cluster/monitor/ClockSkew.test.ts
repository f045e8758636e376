/** Machines with wrong clocks: heartbeats are stamped and judged by the database's clock. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { ReadMonitors } from "../../../src/operations/monitor/ReadMonitors.ts"
import { TakePings } from "../../../src/operations/monitor/TakePings.ts"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import { newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"
import { skewedClock } from "../../support/time/SkewedClock.ts"
import { until } from "../../support/time/Until.ts"

const minute = 60_000

/** A deployment whose runner and api run on a machine with a wrong clock. */
const offBy = (ms: number) =>
  TakePings.Default.pipe(Layer.provideMerge(TestRunner), Layer.provide(Layer.setClock(skewedClock({ both: ms }))))

const setUp = (graceSec: number) =>
  Effect.gen(function*() {
    const { id: workspaceId } = yield* newWorkspace
    const manage = yield* ManageMonitors
    const reading = yield* ReadMonitors
    const pings = yield* TakePings
    const sql = yield* SqlClient.SqlClient
    const { id, pingUrl } = yield* manage.create(workspaceId, { name: "Backup", periodSec: 600, graceSec })
    const state = Effect.map(reading.record(workspaceId, id), (record) => record.state)
    const alarm = Effect.map(
      sql<{ readonly dueIn: number }>`select extract(epoch from due_at - now())::float8 as "dueIn" from alarms where id = ${id}`,
      ([row]) => row?.dueIn ?? 0
    )
    return {
      ping: pings.take(pingUrl?.split("/").at(-1) ?? "", {}),
      becomes: (wanted: string) => until(state, (found) => found === wanted),
      state,
      alarmDueWithin: (from: number, to: number) => until(alarm, (dueIn) => dueIn > from && dueIn <= to),
      /** Simulates a last ping that many seconds ago, with the service listening since; then the alarm fires. */
      silentFor: (seconds: number) =>
        Effect.gen(function*() {
          yield* sql`update listeners set began_at = '2020-01-01', since = '2020-01-01'`
          yield* sql`
            update heartbeats set last_ping_at = now() - make_interval(secs => ${seconds}), expected_from = now() - interval '1 day'
            where monitor_id = ${id}`
          yield* sql`update alarms set due_at = now() where id = ${id}`
          yield* sql`select pg_notify('belltower_alarms', '')`
        })
    }
  })

for (const [how, ms] of [["a minute ahead", minute], ["a minute behind", -minute]] as const) {
  describe(`on a machine that is ${how}`, () => {
    layer(offBy(ms), { excludeTestServices: true })((it) => {
      it.effect("a ping is stamped, and its deadline set, by the database's clock", () =>
        Effect.gen(function*() {
          const { alarmDueWithin, becomes, ping } = yield* setUp(30)
          const clock = yield* DatabaseClock
          yield* alarmDueWithin(600, 630)
          const before = yield* clock.now
          const { at } = yield* ping
          const after = yield* clock.now
          const between = { minimum: DateTime.subtract(before, { seconds: 1 }), maximum: DateTime.add(after, { seconds: 1 }) }
          expect(DateTime.between(at, between)).toBe(true)
          yield* becomes("up")
          yield* alarmDueWithin(600, 630)
        }))

      it.effect(
        "a job within its deadline raises no alarm, and a late one raises it immediately",
        () =>
          Effect.gen(function*() {
            const { alarmDueWithin, becomes, ping, silentFor, state } = yield* setUp(0)
            yield* ping
            yield* becomes("up")
            yield* silentFor(570)
            yield* alarmDueWithin(15, 30)
            expect(yield* state).toBe("up")
            yield* silentFor(615)
            yield* becomes("down")
          })
      )
    })
  })
}
