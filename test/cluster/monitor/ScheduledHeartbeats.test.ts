/** A heartbeat with a schedule from its creation through rows and alarms: when it is due, postponed, missed and shown. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Runtime } from "effect"
import type { MonitorInput } from "../../../schema/monitor/Monitor.ts"
import { expectedAfter } from "../../../src/domain/monitor/schedule/Schedule.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { ReadMonitors } from "../../../src/operations/monitor/ReadMonitors.ts"
import { TakePings } from "../../../src/operations/monitor/TakePings.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { Heartbeats } from "../../../src/store/monitor/Heartbeats.ts"
import { newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const weekly = { schedule: "30 2 * * 1", timezone: "Europe/Berlin" }
const graceMs = 3_600_000

const setUp = (input: Partial<MonitorInput> = {}) =>
  Effect.gen(function*() {
    const { id: workspaceId } = yield* newWorkspace
    const manage = yield* ManageMonitors
    const reading = yield* ReadMonitors
    const pings = yield* TakePings
    const sql = yield* SqlClient.SqlClient
    const created = yield* manage.create(workspaceId, { name: "Report", ...weekly, ...input })
    const record = reading.record(workspaceId, created.id)
    return {
      workspaceId,
      id: created.id,
      created,
      manage,
      sql,
      record,
      ping: pings.take(created.pingUrl?.split("/").at(-1) ?? "", {}),
      reaches: (wanted: string) => until(record, ({ state }) => state === wanted),
      alarm: Effect.map(
        sql<{ readonly dueAt: Date }>`select due_at as "dueAt" from alarms where id = ${created.id}`,
        ([row]) => row?.dueAt ?? null
      ),
      /** Its last ping was so many days earlier, and the service has listened since. */
      pass: (days: number) =>
        Effect.gen(function*() {
          yield* sql`update listeners set began_at = '2020-01-01', since = '2020-01-01'`
          yield* sql`
            update heartbeats set last_ping_at = last_ping_at - ${days} * interval '1 day',
              expected_from = expected_from - ${days} * interval '1 day' where monitor_id = ${created.id}`
          yield* sql`update alarms set due_at = date_trunc('milliseconds', now()) where id = ${created.id}`
        })
    }
  })

const expectedFrom = (at: DateTime.Utc) => expectedAfter(weekly, at.epochMillis) ?? 0

layer(TakePings.Default.pipe(Layer.provideMerge(TestRunner)), { excludeTestServices: true })((it) => {
  it.effect("it waits for the first time of its schedule, and each ping for the one after it", () =>
    Effect.gen(function*() {
      const { alarm, created, ping, reaches } = yield* setUp()
      expect(created).toMatchObject({ kind: "heartbeat", periodSec: null, graceSec: 3600, state: "pending", ...weekly })
      expect(created.nextExpectedAt?.epochMillis).toBe(expectedFrom(created.createdAt))
      expect((yield* alarm)?.getTime()).toBe(expectedFrom(created.createdAt) + graceMs)
      const { at } = yield* ping
      const up = yield* reaches("up")
      expect(up.nextExpectedAt?.epochMillis).toBe(expectedFrom(at))
      expect((yield* alarm)?.getTime()).toBe(expectedFrom(at) + graceMs)
    }))

  it.effect("the alarms of those that were pinged in time are postponed together, without their actors", () =>
    Effect.gen(function*() {
      const heartbeats = yield* Heartbeats
      const { alarm, id, ping, reaches, sql, workspaceId } = yield* setUp()
      const { at } = yield* ping
      yield* reaches("up")
      const later = DateTime.add(yield* DateTime.now, { hours: 1 })
      // Nothing else claims an alarm that is due in an hour.
      yield* sql`update alarms set due_at = ${DateTime.toDateUtc(later)} where id = ${id}`
      const moved = yield* heartbeats.postpone(
        [{ workspaceId, id, kind: "monitor", dueAt: later, heldUntil: later }],
        yield* DateTime.now
      )
      expect([...moved]).toEqual([id])
      expect((yield* alarm)?.getTime()).toBe(expectedFrom(at) + graceMs)
      const overtaken = yield* heartbeats.postpone(
        [{ workspaceId, id, kind: "monitor", dueAt: later, heldUntil: later }],
        yield* DateTime.now
      )
      expect([...overtaken]).toEqual([])
    }))

  it.effect("one that missed its time and its grace is down, says when the ping was expected, and waits for no more", () =>
    Effect.gen(function*() {
      const { alarm, pass, ping, reaches, sql, workspaceId } = yield* setUp()
      yield* ping
      yield* reaches("up")
      yield* pass(8)
      yield* sql`select pg_notify('belltower_alarms', '')`
      const down = yield* reaches("down")
      expect(down.lastCheck?.error).toMatch(/^No ping for .* \(expected at \w+ \d+, \d{4}, 02:30 GMT\+[12], grace 1 hour\)$/)
      expect(down.nextExpectedAt?.epochMillis).toBeGreaterThan((yield* DateTime.now).epochMillis)
      expect(yield* alarm).toBeNull()
      const events = yield* Effect.flatMap(EventLog, (log) => log.after(workspaceId, "", ["monitor.down"], 10))
      expect(events).toMatchObject([
        { data: { monitor: { heartbeat: { ...weekly, periodSec: 604_800, graceSec: 3600 } } } }
      ])
      yield* ping
      yield* reaches("up")
    }))

  it.effect("an edit changes it to a period and back, and a pause expects nothing", () =>
    Effect.gen(function*() {
      const { alarm, created, id, manage, record, workspaceId } = yield* setUp()
      const period = yield* manage.update(workspaceId, id, { periodSec: 600 })
      expect(period).toMatchObject({ periodSec: 600, schedule: null, timezone: null, graceSec: 3600 })
      expect(period.nextExpectedAt?.epochMillis).toBeGreaterThan(created.createdAt.epochMillis + 599_000)
      const untimed = yield* manage.update(workspaceId, id, { mailFailure: "error", degradedAfterMs: 5000 })
      expect(untimed.nextExpectedAt).toEqual(period.nextExpectedAt)
      const daily = yield* manage.update(workspaceId, id, { schedule: "@daily", graceSec: 60 })
      expect(daily).toMatchObject({ periodSec: null, schedule: "@daily", timezone: "UTC", graceSec: 60 })
      const next = daily.nextExpectedAt?.epochMillis ?? 0
      expect(next % 86_400_000).toBe(0)
      yield* until(alarm, (due) => due?.getTime() === next + 60_000)
      yield* manage.update(workspaceId, id, { paused: true })
      expect((yield* record).nextExpectedAt).toBeNull()
    }))

  it.effect("an edit sets the deadline even if a turn with the settings before it has begun", () =>
    Effect.gen(function*() {
      const { alarm, id, manage, sql, workspaceId } = yield* setUp()
      const runtime = yield* Effect.runtime<never>()
      const own = sql`select from alarms where id = ${id} for update`
      const holdAlarm = sql.withTransaction(Effect.zipRight(own, Effect.sleep("1 second")))
      yield* sql`update alarms set due_at = now() + interval '1 second' where id = ${id}`
      yield* sql`select pg_notify('belltower_alarms', '')`
      const { edited, held } = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`select from heartbeats where monitor_id = ${id} for update`
        // By then its actor has read the settings, and waits for the row.
        yield* Effect.sleep("2500 millis")
        const edited = yield* manage.update(workspaceId, id, { periodSec: 60, graceSec: 60 })
        // On another connection: after the commit, nobody claims the alarm that the edit has set before the turn could write over it.
        const held = Runtime.runFork(runtime)(holdAlarm)
        yield* Effect.sleep("300 millis")
        return { edited, held }
      }))
      yield* held
      const deadline = (edited.nextExpectedAt?.epochMillis ?? 0) + 60_000
      yield* until(alarm, (due) => Math.abs((due?.getTime() ?? 0) - deadline) < 1000, "10 seconds")
    }))
})
