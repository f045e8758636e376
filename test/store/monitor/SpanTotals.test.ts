/** Uptime from running totals is that of the spans themselves, and reads the same few rows however many there are. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { type MaintenanceSpans, uptimeWindows, windowBorders, type WindowSpans } from "../../../src/domain/monitor/SpanTotals.ts"
import {
  nothing,
  share,
  type Span,
  type SpanState,
  type Tally,
  tally,
  uptime,
  type Window
} from "../../../src/domain/monitor/Uptime.ts"
import { Spans } from "../../../src/store/monitor/Spans.ts"
import { maintenanceSpans, maintenanceTimes, windowSpans } from "../../../src/store/monitor/SpanTotals.ts"
import { newMonitor, newWorkspace } from "../../pages/Fixtures.ts"
import { newComponent, newMaintenance } from "../../support/database/MaintenanceRows.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"

const hour = 3_600_000
const states = ["up", "down", "degraded", "unobserved", "paused", "pending"] as const
const ground = Spans.Default.pipe(Layer.provideMerge(TestDatabase))

const totalsOf = (workspaceId: WorkspaceId, id: MonitorId, now: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const borders = windowBorders(now)
    const [row] = yield* sql<
      { readonly spans: WindowSpans | null; readonly maintenance: ReadonlyArray<MaintenanceSpans> | null }
    >`
      select ${windowSpans(sql, workspaceId, sql`${id}`, borders)} as spans,
        ${maintenanceSpans(sql, workspaceId, sql`${id}`, sql.literal("planned.times"))} as maintenance
      from (select 1) one left join (${maintenanceTimes(sql, workspaceId, sql`select ${id}::text`, borders)}) planned on true`
    return row!
  })

/** A life of `count` spans over about 40 days, the same in each run. */
const lifeOf = (seed: number, count: number) => {
  let state = seed
  const next = (limit: number) => (state = (state * 48_271 + 11) % 2_147_483_647) % limit
  const ages = Array.from({ length: count }, () => next(40 * 24 * 60) / 60).sort((one, other) => other - one)
  return [...new Set(ages)].map((hoursAgo, index) => ({ hoursAgo, state: states[next(index % 3 === 0 ? 6 : 3)]! }))
}

/** The result of the definition: the time in each state, summed over all spans. */
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

/** Windows of the last 40 days, some of which overlap; the last one still runs. */
const windowsOf = (seed: number, now: number): ReadonlyArray<Window> => {
  const starts = Array.from({ length: 3 * seed }, (_, index) => 10 + (index * 37 * seed) % 950)
  return [
    ...starts.map((hoursAgo, index) => ({ from: now - hoursAgo * hour, to: now - Math.max(1, hoursAgo - 3 - index * 5) * hour })),
    { from: now - hour / 2, to: now }
  ]
}

/** The observed time of a window in which no maintenance ran, minute by minute. */
const outside = (spans: ReadonlyArray<Span>, maintenance: ReadonlyArray<Window>, { from, to }: Window): Tally => {
  const cuts = [...new Set([from, to, ...maintenance.flatMap((one) => [one.from, one.to])])]
    .filter((at) => at >= from && at <= to).sort((one, other) => one - other)
  return cuts.slice(1).reduce((sum, end, index) => {
    const part = { from: cuts[index]!, to: end }
    if (maintenance.some((one) => one.from <= part.from && one.to >= part.to)) return sum
    const { badMs, goodMs } = tally(spans, part)
    return { goodMs: sum.goodMs + goodMs, badMs: sum.badMs + badMs }
  }, nothing)
}

layer(ground, { excludeTestServices: true, timeout: "60 seconds" })("running totals of spans", (it) => {
  it.effect("give the uptime and coverage that the spans give, observed until now or not", () =>
    Effect.gen(function*() {
      const workspaceId = yield* newWorkspace()
      for (const [seed, count] of [[1, 1], [2, 2], [3, 9], [4, 40], [5, 200]] as const) {
        const id = yield* newMonitor(workspaceId, `life ${seed}`, lifeOf(seed, count))
        const now = Date.now()
        const { maintenance, spans } = yield* totalsOf(workspaceId, id, now)
        for (const until of [now, now - 2 * hour, now - 60 * hour]) {
          const expected = yield* summed(workspaceId, id, now, until)
          const found = uptimeWindows(spans, maintenance, until, now)
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

  it.effect("leave out the time of maintenance, of which overlapping windows are one, and of nothing else", () =>
    Effect.gen(function*() {
      const store = yield* Spans
      const [workspaceId, stranger] = [yield* newWorkspace(), yield* newWorkspace()]
      const now = Date.now()
      for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
        const id = yield* newMonitor(workspaceId, `life ${seed}`, lifeOf(seed, 10 * seed))
        const other = yield* newMonitor(workspaceId, `other ${seed}`, lifeOf(seed, 10 * seed))
        const own = yield* newComponent(workspaceId, [other, id])
        const second = yield* newComponent(workspaceId, [id])
        const windows = windowsOf(seed, now)
        for (const [index, { from, to }] of windows.entries()) {
          const components = [[own], [second], [own, second]][index % 3]!
          yield* newMaintenance(workspaceId, components, from, to >= now ? null : to)
        }
        yield* newMaintenance(workspaceId, [own], now - 20 * hour, now - 2 * hour, { affected: "operational" })
        yield* newMaintenance(workspaceId, [own], now - 20 * hour, null, { status: "scheduled" })
        yield* newMaintenance(workspaceId, [yield* newComponent(workspaceId, [])], now - 20 * hour, now)
        yield* newMaintenance(stranger, [own], now - 20 * hour, null)
        const spans = (yield* store.since(workspaceId, [id], DateTime.unsafeMake(0))).get(id) ?? []
        const read = yield* totalsOf(workspaceId, id, now)
        const found = uptimeWindows(read.spans, read.maintenance, now, now)
        for (const [name, hours] of [["24h", 24], ["7d", 168], ["30d", 720]] as const) {
          const window = { from: now - hours * hour, to: now }
          const expected = share(outside(spans, windows, window), window)
          expect(found[name]?.percent ?? -1, `${seed} ${name}`).toBeCloseTo(expected?.percent ?? -1, 2)
          expect(found[name]?.coveragePercent ?? -1).toBeCloseTo(expected?.coveragePercent ?? -1, 2)
        }
        const borders = [336, 168, 0].map((hours) => now - hours * hour)
        const [before, after] = (yield* store.tallies(workspaceId, [id], borders)).get(id) ?? []
        for (const [tallied, from, to] of [[before, borders[0]!, borders[1]!], [after, borders[1]!, now]] as const) {
          const expected = outside(spans, windows, { from, to })
          expect(Math.abs((tallied?.goodMs ?? NaN) - expected.goodMs)).toBeLessThan(200)
          expect(Math.abs((tallied?.badMs ?? NaN) - expected.badMs)).toBeLessThan(200)
        }
      }
    }))

  it.effect("stay right when old spans are deleted, and are null for a monitor without any or of another workspace", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const workspaceId = yield* newWorkspace()
      const id = yield* newMonitor(workspaceId, "old", lifeOf(7, 60))
      const now = Date.now()
      const read = Effect.map(totalsOf(workspaceId, id, now), ({ spans }) => uptimeWindows(spans, null, now, now))
      const before = yield* read
      yield* sql`delete from monitor_spans where monitor_id = ${id} and ended_at < now() - interval '31 days'`
      expect(yield* read).toEqual(before)
      expect((yield* totalsOf(yield* newWorkspace(), id, now)).spans).toBe(null)
      yield* sql`delete from monitor_spans where monitor_id = ${id}`
      expect((yield* totalsOf(workspaceId, id, now)).spans).toBe(null)
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
