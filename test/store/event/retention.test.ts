/** Nothing of the history is kept for ever, and nothing goes that is still needed. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer } from "effect"
import { CheckPartitions } from "../../../src/store/check/CheckPartitions.ts"
import { RetentionSettings } from "../../../src/store/check/Retention.ts"
import { ExpiredHistory } from "../../../src/store/event/ExpiredHistory.ts"
import { newMonitor, newWorkspace } from "../../pages/Fixtures.ts"
import { holding } from "../../support/database/LockedWorkspace.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"
import { until } from "../../support/time/Until.ts"

const settings = Layer.succeed(RetentionSettings, { checksDays: 7, historyDays: 100 })
const ground = Layer.mergeAll(ExpiredHistory.Default, CheckPartitions.Default).pipe(
  Layer.provide(settings),
  Layer.provideMerge(TestDatabase)
)

layer(ground, { excludeTestServices: true, timeout: "60 seconds" })("expired history", (it) => {
  it.effect("goes: events that became deliveries, and spans that ended; the current span stays", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const expired = yield* ExpiredHistory
      const workspaceId = yield* newWorkspace()
      const id = yield* newMonitor(workspaceId, "old", [{ state: "up", hoursAgo: 9000 }, { state: "down", hoursAgo: 8000 }])
      yield* sql`
        insert into events (workspace_id, id, type, at, data, fanned_out)
        select ${workspaceId}, 'evt_' || n, 'monitor.up', now() - n * interval '30 days', '{}', n <> 5 from generate_series(1, 6) n`
      const now = yield* DateTime.now
      expect(yield* expired.events(now)).toBe(false)
      expect(yield* expired.spans("monitor_spans", now)).toBe(false)
      expect(yield* sql`select id from events where workspace_id = ${workspaceId} order by id`)
        .toEqual(["evt_1", "evt_2", "evt_3", "evt_5"].map((event) => ({ id: event })))
      expect(yield* sql`select state from monitor_spans where monitor_id = ${id}`).toEqual([{ state: "down" }])
    }))

  it.effect("goes with its partitions, also when several processes begin at the same time", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const partitions = yield* CheckPartitions
      const old = ["check_blocks_20200101", "check_blocks_20200102", "check_blocks_20200103"]
      for (const [day, name] of old.entries()) {
        yield* sql.unsafe(`create table if not exists ${name} partition of check_blocks
          for values from ('2020-01-0${day + 1}') to ('2020-01-0${day + 2}')`)
      }
      yield* Effect.forEach([1, 2, 3, 4], () => partitions.maintain(), { concurrency: "unbounded", discard: true })
      expect(yield* sql`select relname from pg_class where ${sql.in("relname", old)}`).toEqual([])
    }))

  it.effect("goes with its partitions once no transaction reads them any more, and by one process after the other", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const partitions = yield* CheckPartitions
      const name = "check_blocks_20200104"
      yield* sql.unsafe(`create table ${name} partition of check_blocks for values from ('2020-01-04') to ('2020-01-05')`)
      const isThere = Effect.map(sql`select 1 from pg_class where relname = ${name}`, (rows) => rows.length > 0)
      const dumped = yield* holding((other) => other`select count(*) from check_blocks`)
      yield* partitions.maintain()
      yield* dumped
      expect(yield* isThere).toBe(true)
      const changed = yield* holding((other) => other`select pg_advisory_xact_lock(hashtext('belltower_partitions'))`)
      const dropping = yield* Effect.fork(partitions.maintain())
      yield* until(sql`select 1 from pg_locks where locktype = 'advisory' and not granted`, (rows) => rows.length > 0)
      yield* changed
      yield* Fiber.join(dropping)
      expect(yield* isThere).toBe(false)
    }))

  it.effect("goes batch by batch until nothing of it is left, also that of components and checks that were set aside", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const expired = yield* ExpiredHistory
      const workspaceId = yield* newWorkspace()
      const [pageId, componentId] = ["pg_expired", "cmp_expired"]
      yield* sql`
        insert into pages (id, workspace_id, name, slug, visibility, theme, branding, settings, seo, created_at, updated_at)
        values (${pageId}, ${workspaceId}, 'Old', 'old', 'public', '{}', '{}', '{}', '{}', now(), now())`
      yield* sql`
        insert into components (id, workspace_id, page_id, name, key, monitor_ids, aggregate, manual, show_uptime,
          show_response_times, hidden, position, created_at, updated_at)
        values (${componentId}, ${workspaceId}, ${pageId}, 'API', 'api', '{}', 'worst', true, true, false, false, 1, now(), now())`
      yield* sql`
        insert into events (workspace_id, id, type, at, data, fanned_out)
        select ${workspaceId}, 'evt_' || n, 'monitor.up', now() - interval '200 days', '{}', true from generate_series(1, 1500) n`
      yield* sql`
        insert into component_spans (component_id, workspace_id, started_at, ended_at, state)
        select ${componentId}, ${workspaceId}, now() - interval '150 days' + n * interval '1 minute',
          now() - interval '150 days' + (n + 1) * interval '1 minute', 'operational' from generate_series(1, 1200) n`
      yield* sql`
        insert into checks_set_aside (id, at, workspace_id, monitor_id, reason, data, set_aside_at)
        select 'chk_' || n, now(), ${workspaceId}, 'mon_1', 'test', '{}', now() - n * interval '5 days' from generate_series(1, 2) n`
      const now = yield* DateTime.now
      expect([yield* expired.events(now), yield* expired.events(now)]).toEqual([true, false])
      const spans = expired.spans("component_spans", now)
      expect([yield* spans, yield* spans]).toEqual([true, false])
      yield* Effect.flatMap(CheckPartitions, (partitions) => partitions.maintain())
      const left = (table: string) => sql`select 1 from ${sql(table)} where workspace_id = ${workspaceId}`
      expect((yield* left("events")).length).toBe(0)
      expect((yield* sql`select 1 from component_spans where component_id = ${componentId} and ended_at is not null`).length)
        .toBe(0)
      expect(yield* sql`select id from checks_set_aside where workspace_id = ${workspaceId}`).toEqual([{ id: "chk_1" }])
    }))

  it.effect("goes with its partitions: blocks and evidence with the checks, half hours after 31 days, days with the history", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const partitions = yield* CheckPartitions
      const nameOf = (table: string, daysAgo: number) =>
        `${table}_${new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10).replaceAll("-", "")}`
      const rangeOf = (daysAgo: number) => {
        const start = Math.floor(Date.now() / 86_400_000 - daysAgo) * 86_400_000
        return sql.literal(`from ('${new Date(start).toISOString()}') to ('${new Date(start + 86_400_000).toISOString()}')`)
      }
      for (const [table, daysAgo] of [["check_blocks", 9], ["check_evidence", 9], ["check_rollups", 40]] as const) {
        yield* sql`create table ${sql(nameOf(table, daysAgo))} partition of ${sql(table)} for values ${rangeOf(daysAgo)}`
      }
      yield* partitions.maintain()
      const names = new Set((yield* sql<{ readonly name: string }>`
        select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid`).map(({ name }) => name))
      const there = (table: string, daysAgo: number) => names.has(nameOf(table, daysAgo))
      expect([there("check_blocks", 9), there("check_evidence", 9), there("check_rollups", 40)]).toEqual([false, false, false])
      expect([there("check_blocks", 7), there("check_evidence", 7), there("check_rollups", 31)]).toEqual([true, true, true])
      expect([there("check_blocks", -1), there("check_rollups", -1)]).toEqual([true, true])
    }))
})
