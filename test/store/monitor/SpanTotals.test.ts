/** Uptime from running totals is that of the spans themselves, and reads the same few rows however many there are. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { uptimeWindows, windowBorders, type WindowSpans } from "../../../src/domain/monitor/SpanTotals.ts"
import { type SpanState, tally, uptime } from "../../../src/domain/monitor/Uptime.ts"
import { Spans } from "../../../src/store/monitor/Spans.ts"
import { windowSpans } from "../../../src/store/monitor/SpanTotals.ts"
import { newMonitor, newWorkspace } from "../../pages/Fixtures.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const hour = 3_600_000
const states = ["up", "down", "degraded", "unobserved", "paused", "pending"] as const
const ground = Spans.Default.pipe(Layer.provideMerge(TestDatabase))

const totalsOf = (workspaceId: WorkspaceId, id: MonitorId, now: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly spans: WindowSpans | null }>`
      select ${windowSpans(sql, workspaceId, sql`${id}`, windowBorders(now))} as spans`
    return row!.spans
  })

/** A life of `count` spans over about 40 days, the same in each run. */
const lifeOf = (seed: number, count: number) => {
  let state = seed
  const next = (limit: number) => (state = (state * 48_271 + 11) % 2_147_483_647) % limit
  const ages = Array.from({ length: count }, () => next(40 * 24 * 60) / 60).sort((one, other) => other - one)
  return [...new Set(ages)].map((hoursAgo, index) => ({ hoursAgo, state: states[next(index % 3 === 0 ? 6 : 3)]! }))
}

/** What the definition gives: the time in each state, summed over all spans. */
const summed = (workspaceId: WorkspaceId, id: MonitorId, now: number, until: number) =>
  Effect.gen(function*() {
    const spans = (yield* (yield* Spans).since(workspaceId, [id], DateTime.unsafeMake(0))).get(id) ?? []
    const observed = spans.map((span) => ({ ...span, endedAt: span.endedAt ?? Math.max(span.startedAt, until) }))
    return Object.fromEntries(
      [["24h", 24], ["7d", 168], ["30d", 720]].map(([name, hours]) =>
        [name, uptime(observed, { from: now - Number(hours) * hour, to: now })] as const
      )
    )
  })

layer(ground, { excludeTestServices: true, timeout: "60 seconds" })("running totals of spans", (it) => {
  it.effect("give the uptime and coverage that the spans give, observed until now or not", () =>
    Effect.gen(function*() {
      const workspaceId = yield* newWorkspace()
      for (const [seed, count] of [[1, 1], [2, 2], [3, 9], [4, 40], [5, 200]] as const) {
        const id = yield* newMonitor(workspaceId, `life ${seed}`, lifeOf(seed, count))
        const now = Date.now()
        const spans = yield* totalsOf(workspaceId, id, now)
        for (const until of [now, now - 2 * hour, now - 60 * hour]) {
          const expected = yield* summed(workspaceId, id, now, until)
          const found = uptimeWindows(spans, until, now)
          for (const name of ["24h", "7d", "30d"] as const) {
            expect(found[name]?.percent ?? null, `${seed} ${name}`).toEqual(expected[name]?.percent ?? null)
            expect(found[name]?.coveragePercent ?? 0).toBeCloseTo(expected[name]?.coveragePercent ?? 0, 2)
          }
        }
      }
    }))

  it.effect("give the observed time of adjoining windows, as the spans do, wherever observation stopped", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const spans = yield* Spans
      const workspaceId = yield* newWorkspace()
      const ids: Array<MonitorId> = []
      for (const [seed, count] of [[1, 1], [2, 2], [3, 9], [4, 40], [5, 200], [6, 70]] as const) {
        ids.push(yield* newMonitor(workspaceId, `weeks ${seed}`, lifeOf(seed, count)))
      }
      const none = yield* newMonitor(workspaceId, "without spans")
      yield* sql`delete from monitor_spans where monitor_id = ${none}`
      const now = Date.now()
      for (const [heardHoursAgo, endHoursAgo] of [[null, 0], [0, 0], [200, 0], [0, 60], [61, 60], [2000, 24]] as const) {
        const heard = heardHoursAgo === null ? null : now - heardHoursAgo * hour
        yield* sql`
          update monitor_states set machine = jsonb_build_object('lastRoundAt', ${heard}::float8) where workspace_id = ${workspaceId}`
        const borders = [336, 168, 0].map((hours) => now - (endHoursAgo + hours) * hour)
        const [from = 0, middle = 0, to = 0] = borders
        const observed = yield* spans.observed(workspaceId, [...ids, none], DateTime.unsafeMake(from), to)
        const tallies = yield* spans.tallies(workspaceId, [...ids, none], borders)
        for (const id of [...ids, none]) {
          const own = observed.get(id) ?? []
          const expected = [tally(own, { from, to: middle }), tally(own, { from: middle, to })]
          const found = tallies.get(id) ?? []
          expect(found.length).toBe(2)
          for (const [index, { badMs, goodMs }] of found.entries()) {
            // Spans of this test begin between two milliseconds, and the totals are whole ones.
            expect(Math.abs(goodMs - (expected[index]?.goodMs ?? NaN))).toBeLessThan(200)
            expect(Math.abs(badMs - (expected[index]?.badMs ?? NaN))).toBeLessThan(200)
          }
        }
      }
    }))

  it.effect("stay right when old spans are deleted, and are null for a monitor without any or of another workspace", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const workspaceId = yield* newWorkspace()
      const id = yield* newMonitor(workspaceId, "old", lifeOf(7, 60))
      const now = Date.now()
      const before = uptimeWindows(yield* totalsOf(workspaceId, id, now), now, now)
      yield* sql`delete from monitor_spans where monitor_id = ${id} and ended_at < now() - interval '31 days'`
      expect(uptimeWindows(yield* totalsOf(workspaceId, id, now), now, now)).toEqual(before)
      expect(yield* totalsOf(yield* newWorkspace(), id, now)).toBe(null)
      yield* sql`delete from monitor_spans where monitor_id = ${id}`
      expect(yield* totalsOf(workspaceId, id, now)).toBe(null)
    }))

  it.effect("cost the same with ten thousand spans: a few rows by the primary key", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const workspaceId = yield* newWorkspace()
      const id = yield* newMonitor(workspaceId, "flapping", [{ state: "up" satisfies SpanState, hoursAgo: 800 }])
      yield* sql`alter table monitor_spans disable trigger total_spans`
      yield* sql`
        insert into monitor_spans (monitor_id, workspace_id, started_at, ended_at, state)
        select ${id}, ${workspaceId}, now() - n * interval '4 minutes', now() - (n - 1) * interval '4 minutes', 'up'
        from generate_series(1, 10000) n`
      yield* sql`alter table monitor_spans enable trigger total_spans`
      yield* sql`analyze monitor_spans`
      const [plan] = yield* sql<{ readonly "QUERY PLAN": ReadonlyArray<object> }>`
        explain (analyze, format json) select ${windowSpans(sql, workspaceId, sql`${id}`, windowBorders(Date.now()))} as spans`
      const rows = [...JSON.stringify(plan).matchAll(/"Actual Rows":([\d.]+)/g)].map(([, count]) => Number(count))
      expect(Math.max(...rows)).toBeLessThanOrEqual(8)
      expect(JSON.stringify(plan)).not.toContain("Seq Scan")
    }))
})
