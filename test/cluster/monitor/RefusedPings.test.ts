/** Pings that we could not store and answered with 503: the job did ping. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Runner from "../../../cluster/Runner.ts"
import { LocalBus } from "../../../src/bus/LocalBus.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { ReadMonitors } from "../../../src/operations/monitor/ReadMonitors.ts"
import { TakePings } from "../../../src/operations/monitor/TakePings.ts"
import { severedDatabase } from "../../support/database/SeveredDatabase.ts"
import { groundOn, newWorkspace } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const setUp = Effect.gen(function*() {
  const { id: workspaceId } = yield* newWorkspace
  const manage = yield* ManageMonitors
  const pings = yield* TakePings
  const reading = yield* ReadMonitors
  const sql = yield* SqlClient.SqlClient
  const newHeartbeat = Effect.gen(function*() {
    const { id, pingUrl } = yield* manage.create(workspaceId, { name: "Backup", periodSec: 86_400, graceSec: 60 })
    const token = pingUrl?.split("/").at(-1) ?? ""
    yield* pings.take(token, {})
    yield* until(reading.record(workspaceId, id), ({ state }) => state === "up")
    return { id, token }
  })
  return {
    pings,
    newHeartbeat,
    stateOf: (id: string) => Effect.map(reading.record(workspaceId, id), ({ state }) => state),
    stored: (id: string) =>
      sql<{ readonly outcome: string }>`select outcome from checks where monitor_id = ${id} order by at, id`.pipe(
        Effect.map((rows) => rows.map(({ outcome }) => outcome))
      ),
    /** The last stored ping becomes one of yesterday, and the deadline has passed, with the service listening all the time. */
    expire: (id: string) =>
      Effect.gen(function*() {
        yield* sql`update listeners set began_at = '2020-01-01', since = '2020-01-01'`
        yield* sql`
          update heartbeats set last_ping_at = last_ping_at - interval '1 day 50 seconds', expected_from = '2020-01-01'
          where monitor_id = ${id}`
      }),
    wake: (id: string) =>
      Effect.gen(function*() {
        yield* sql`update alarms set due_at = now() where id = ${id}`
        yield* sql`select pg_notify('belltower_alarms', '')`
        yield* until(sql`select 1 from alarms where id = ${id} and due_at <= now()`, (rows) => rows.length === 0)
      })
  }
})

describe("a ping that was refused while the database was away", () => {
  it.scopedLive("counts once the database is back, so that its job is not missed", () =>
    Effect.gen(function*() {
      const { cut, layer, mend } = yield* severedDatabase({ maxConnections: 5 })
      const runner = Layer.mergeAll(Runner.layer, ManageMonitors.Default, ReadMonitors.Default, TakePings.Default).pipe(
        Layer.provideMerge(groundOn(LocalBus.layer, layer))
      )
      yield* Effect.provide(
        Effect.gen(function*() {
          const { expire, newHeartbeat, pings, stateOf, stored, wake } = yield* setUp
          const daily = yield* newHeartbeat
          const failing = yield* newHeartbeat
          const repeated = yield* newHeartbeat
          for (const { id } of [daily, failing, repeated]) yield* expire(id)
          yield* cut
          const refused = yield* Effect.forEach(
            [[daily, "up"], [failing, "down"], [repeated, "down"]] as const,
            ([{ token }, status]) => Effect.flip(pings.take(token, { status }))
          )
          expect(refused.map(({ _tag }) => _tag)).toEqual(["unavailable", "unavailable", "unavailable"])
          yield* mend
          // This job repeats its ping, with a better result.
          yield* Effect.eventually(pings.take(repeated.token, {}))
          yield* until(stored(daily.id), (outcomes) => outcomes.join() === "up,up", "30 seconds")
          yield* until(stateOf(failing.id), (state) => state === "down")
          yield* wake(daily.id)
          expect(yield* stateOf(daily.id)).toBe("up")
          expect(yield* stored(repeated.id)).toEqual(["up", "up"])
          expect(yield* stateOf(repeated.id)).toBe("up")
        }),
        runner
      )
    }), 120_000)
})
