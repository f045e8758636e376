/** Many heartbeats miss their pings at the same time: their turns share transactions, and none waits for another's lock. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { TakePings } from "../../../src/operations/monitor/TakePings.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const population = 40

const makeHeartbeats = Effect.gen(function*() {
  const { id: workspaceId } = yield* newWorkspace
  const manage = yield* ManageMonitors
  const input = { name: "Backup", periodSec: 600, graceSec: 60 }
  const created = yield* Effect.replicateEffect(manage.create(workspaceId, input), population)
  return { workspaceId, ids: created.map(({ id }) => id) }
})

/** Makes the alarms of a workspace due, with the service listening since long ago. */
const becomeDue = (workspaceId: WorkspaceId) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`update listeners set began_at = '2020-01-01', since = '2020-01-01'`
    yield* sql`update alarms set due_at = now() where workspace_id = ${workspaceId}`
    yield* sql`select pg_notify('belltower_alarms', '')`
  })

const downs = (workspaceId: WorkspaceId) => Effect.flatMap(EventLog, (log) => log.after(workspaceId, "", ["monitor.down"], 1000))

layer(TakePings.Default.pipe(Layer.provideMerge(TestRunner)), { excludeTestServices: true })((it) => {
  it.effect("missed heartbeats share transactions, and each is reported, stored and settled once", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { ids, workspaceId } = yield* makeHeartbeats
      yield* sql`update heartbeats set expected_from = expected_from - interval '1 hour' where workspace_id = ${workspaceId}`
      yield* becomeDue(workspaceId)
      yield* until(downs(workspaceId), ({ length }) => length === population)
      const [{ transactions } = { transactions: 0 }] = yield* sql<{ readonly transactions: number }>`
        select count(distinct xmin::text)::int as transactions from events
        where workspace_id = ${workspaceId} and type = 'monitor.down'`
      expect(transactions).toBeLessThan(population / 2)
      const checks = yield* sql<{ readonly cause: string }>`select cause from checks where workspace_id = ${workspaceId}`
      expect(checks.map(({ cause }) => cause)).toEqual(Array.from({ length: population }, () => "missed_ping"))
      // Nothing more is expected of a heartbeat that is down.
      expect(yield* sql`select 1 from alarms where kind = 'monitor' and id = any(${ids}::text[])`).toHaveLength(0)
    }), 60_000)

  it.effect("a heartbeat whose row is locked holds up no other, and is reported once it is free", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { ids: [locked = ""], workspaceId } = yield* makeHeartbeats
      const holding = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      // The due alarms wake their actors only after the row is locked.
      yield* sql`update heartbeats set expected_from = expected_from - interval '1 hour' where workspace_id = ${workspaceId}`
      const holder = yield* sql`select 1 from heartbeats where monitor_id = ${locked} for update`.pipe(
        Effect.zipRight(Deferred.succeed(holding, undefined)),
        Effect.zipRight(Deferred.await(release)),
        sql.withTransaction,
        Effect.fork
      )
      yield* Deferred.await(holding)
      yield* becomeDue(workspaceId)
      yield* until(downs(workspaceId), ({ length }) => length === population - 1)
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(holder)
      yield* until(downs(workspaceId), ({ length }) => length === population)
    }), 60_000)
})
