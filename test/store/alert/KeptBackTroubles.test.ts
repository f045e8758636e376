/** Alerts that wait for a parent, while a review releases them at the moment at which their monitor recovers. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { makeReviewKeptBack, makeSiftEvents } from "../../../cluster/alert/KeptBackAlerts.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { EventId, MonitorId } from "../../../schema/Ids.ts"
import { settleNew } from "../../../src/domain/monitor/settings/MonitorSettings.ts"
import { makeId } from "../../../src/domain/tools/Id.ts"
import { mutedUntil } from "../../../src/store/alert/MuteScope.ts"
import { OutagesInMaintenance } from "../../../src/store/incident/OutagesInMaintenance.ts"
import { Monitors } from "../../../src/store/monitor/Monitors.ts"
import { Ground, newWorkspace } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

/** A monitor that is down, and whose alert has waited for its parent, which is up again. */
const setUp = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const monitors = yield* Monitors
  const { id: workspaceId } = yield* newWorkspace
  const settings = yield* settleNew(
    { name: "Shop", url: "https://shop.test/" },
    { channelIds: [], regions: [RegionId.make("main")] }
  )
  const now = Date.now()
  const monitorId = MonitorId.make(makeId("mon", now, randomBytes(10)))
  yield* monitors.insert(workspaceId, monitorId, settings)
  yield* sql`update monitor_states set state = 'down' where monitor_id = ${monitorId}`
  const event = (type: "monitor.down" | "monitor.up", at: number): WorkspaceEvent => {
    const data: unknown = { monitor: { _id: monitorId } }
    return {
      id: EventId.make(makeId("evt", at, randomBytes(10))),
      workspaceId,
      type,
      at: DateTime.unsafeMake(at),
      data
    } as WorkspaceEvent
  }
  const down = event("monitor.down", now)
  yield* sql`
    insert into events (workspace_id, id, type, at, data, fanned_out)
    values (${workspaceId}, ${down.id}, 'monitor.down', now(), '{}', true)`
  yield* sql`
    insert into dependent_troubles (monitor_id, workspace_id, told, waiting_event_id, due_at)
    values (${monitorId}, ${workspaceId}, false, ${down.id}, now())`
  const unsent = sql`select from events where workspace_id = ${workspaceId} and id = ${down.id} and not fanned_out`
  return { sql, unsent, up: event("monitor.up", now + 1000), at: DateTime.unsafeMake(now + 5000) }
})

/** A runner's handling of due alerts. */
const reviewed = (at: DateTime.Utc) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const reviewSome = yield* makeReviewKeptBack
    yield* sql.withTransaction(reviewSome(at, [], () => {}))
  })

layer(Layer.provideMerge(OutagesInMaintenance.Default, Ground), { excludeTestServices: true })("an alert that waited", (it) => {
  it.effect("is sent no more once its monitor has recovered, even if a review releases it in the same moment", () =>
    Effect.gen(function*() {
      const sift = yield* makeSiftEvents
      const { at, sql, unsent, up } = yield* setUp
      const released = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const review = yield* reviewed(at).pipe(
        Effect.zipRight(Deferred.succeed(released, undefined)),
        Effect.zipRight(Deferred.await(goOn)),
        sql.withTransaction,
        Effect.fork
      )
      yield* Deferred.await(released)
      const fanOut = yield* Effect.fork(sql.withTransaction(sift([up], at)))
      const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      yield* until(waiting, (rows) => rows.length > 0)
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(review)
      // Nobody heard of the trouble, so nobody hears of its end.
      expect((yield* Fiber.join(fanOut)).sent).toEqual([])
      expect(yield* unsent).toEqual([])
    }))

  it.effect("is released by a review while its monitor is still in trouble", () =>
    Effect.gen(function*() {
      const { at, unsent } = yield* setUp
      yield* reviewed(at)
      expect(yield* unsent).toHaveLength(1)
    }))

  it.effect("costs a look at the mutes that run, by an index that holds no others", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const plan = Effect.zipRight(
        // The tables of a test are so small that PostgreSQL would read all of them.
        sql`set local enable_seqscan = off`,
        sql<{ readonly "QUERY PLAN": string }>`
          explain select muted.until from monitors m ${mutedUntil(sql)} where m.workspace_id = 'ws_1' and m.id = 'mon_1'`
      )
      const text = (yield* sql.withTransaction(plan)).map((row) => row["QUERY PLAN"]).join("\n")
      expect(text).toMatch(/Index Scan (?:using|on) running_mutes/)
    }))
})
