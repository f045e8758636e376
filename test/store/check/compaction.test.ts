/** Compaction is split among runners: each monitor has one of them at a time, and neither a death nor a broken row costs a check. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { randomBytes } from "node:crypto"
import { makeCompaction } from "../../../cluster/check/CheckCompactor.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { makeCheckId } from "../../../src/domain/check/history/CheckKey.ts"
import { horizonOf } from "../../../src/domain/check/history/CompactionPace.ts"
import { CheckPartitions } from "../../../src/store/check/CheckPartitions.ts"
import { Checks } from "../../../src/store/check/Checks.ts"
import { CompactChecks } from "../../../src/store/check/CompactChecks.ts"
import { CompactionRounds, type HeldRange } from "../../../src/store/check/CompactionRounds.ts"
import { run } from "../../../src/store/postgres/Read.ts"
import { newMonitor } from "../../pages/Fixtures.ts"
import { Ground, newWorkspace, resultOf } from "../../support/program/TestRunner.ts"

const hour = 3_600_000
/** The time before which rows are due; compaction itself may be an hour ahead of it by the time it runs. */
const horizon = horizonOf(Date.now())

interface Own {
  readonly workspaceId: WorkspaceId
  readonly id: MonitorId
}

/** A monitor with a check a minute over the two hours before the current one. */
const newChecked = (workspaceId: WorkspaceId) =>
  Effect.gen(function*() {
    const id = yield* newMonitor(workspaceId, "Shop", [{ state: "up", hoursAgo: 48 }])
    const results = Array.from({ length: 120 }, (_, index) => {
      const at = horizon - 2 * hour + index * 60_000
      return resultOf({ id, workspaceId, revision: 1 }, index, {
        at,
        checkId: makeCheckId(id, at, randomBytes(10)),
        region: RegionId.make("main")
      })
    })
    yield* Effect.flatMap(Checks, (checks) => checks.insert(results.map((result) => ({ result, counted: true }))))
    return { id, workspaceId }
  })

/** A round of two ranges: up to a monitor, and from it on. */
const splitAt = (border: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`delete from compaction_ranges`
    yield* sql`
      insert into compaction_ranges (place, horizon, first_id, before_id)
      values (1, ${new Date(horizon)}, '', ${border}), (2, ${new Date(horizon)}, ${border}, null)`
  })

const freshStart = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from compaction_ranges`
  yield* sql`delete from compaction_rounds`
})

const rowsOf = ({ id }: Own) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly n: number }>`select count(*)::int as n from checks where monitor_id = ${id}`,
      ([row]) => row?.n
    ))

const blocksOf = ({ id }: Own) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly n: number }>`select coalesce(sum(checks), 0)::int as n from check_blocks where monitor_id = ${id}`,
      ([row]) => row?.n
    ))

/** All that is due in a range, without pauses; how many rows moved, and whether the range was lost. */
const drain = (range: HeldRange) =>
  Effect.gen(function*() {
    const compact = yield* CompactChecks
    let moved = 0
    for (const { name } of yield* compact.tables) {
      for (let from: string | null = range.first; from !== null;) {
        const done: { readonly rows: number; readonly next: string | null } | null = yield* compact.step(
          range,
          name,
          from,
          range.horizon
        )
        if (done === null) return { moved, lost: true }
        moved += done.rows
        from = done.next
      }
    }
    return { moved, lost: false }
  })

layer(Ground, { excludeTestServices: true, timeout: "120 seconds" })("compaction by several runners", (it) => {
  it.effect("gives each range to one runner, which touches no monitor of another range", () =>
    Effect.gen(function*() {
      yield* Effect.flatMap(CheckPartitions, (partitions) => partitions.maintain())
      const rounds = yield* CompactionRounds
      const { id: workspaceId } = yield* newWorkspace
      const [one, other] = [yield* newChecked(workspaceId), yield* newChecked(workspaceId)]
      yield* splitAt(other.id)
      const [second, first, none] = [yield* rounds.claim, yield* rounds.claim, yield* rounds.claim]
      expect([first?.place, second?.place, none]).toEqual([1, 2, null])
      yield* drain(second!)
      expect([yield* rowsOf(one), yield* blocksOf(one)]).toEqual([120, 0])
      expect([yield* rowsOf(other), yield* blocksOf(other)]).toEqual([0, 120])
      yield* drain(first!)
      expect([yield* rowsOf(one), yield* blocksOf(one)]).toEqual([0, 120])
      yield* freshStart
    }))

  it.effect("continues the range of a runner that died, and keeps one that wakes up later from touching it", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const rounds = yield* CompactionRounds
      const { id: workspaceId } = yield* newWorkspace
      const own = yield* newChecked(workspaceId)
      yield* splitAt(own.id)
      const dead = (yield* rounds.claim)!
      expect(dead.first).toBe(own.id)
      yield* sql`update compaction_ranges set held_until = now() - interval '1 second' where place = 2`
      const successor = (yield* rounds.claim)!
      expect(successor.first).toBe(own.id)
      expect(yield* drain(dead)).toEqual({ moved: 0, lost: true })
      expect(yield* rowsOf(own)).toBe(120)
      expect((yield* drain(successor)).lost).toBe(false)
      expect([yield* rowsOf(own), yield* blocksOf(own)]).toEqual([0, 120])
      yield* rounds.complete(dead)
      expect(yield* sql`select place from compaction_ranges where place = 2`).toHaveLength(1)
      yield* freshStart
    }))

  it.effect("begins a round once, ends it after all of its ranges, and begins no other before", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const rounds = yield* CompactionRounds
      yield* freshStart
      yield* Effect.all([rounds.begin(horizon), rounds.begin(horizon)], { concurrency: "unbounded" })
      yield* rounds.begin(horizon + hour)
      const range = (yield* rounds.claim)!
      expect([range.isEnd, range.first, range.before, range.horizon]).toEqual([false, "", null, horizon])
      expect(yield* rounds.claim).toBe(null)
      yield* rounds.complete(range)
      const end = (yield* rounds.claim)!
      expect(end.isEnd).toBe(true)
      yield* rounds.complete(end)
      yield* rounds.begin(horizon)
      expect(yield* sql`select 1 from compaction_ranges`).toHaveLength(0)
      yield* rounds.begin(horizon + hour)
      expect(yield* sql`select 1 from compaction_ranges`).toHaveLength(2)
      yield* freshStart
    }))

  it.effect("splits the monitors among ranges without a gap", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const rounds = yield* CompactionRounds
      const { id: workspaceId } = yield* newWorkspace
      yield* newChecked(workspaceId)
      yield* sql`
        insert into monitors select copy.*
        from (select * from monitors limit 1) m cross join generate_series(1, 450) n
        cross join lateral jsonb_populate_record(null::monitors, to_jsonb(m) || jsonb_build_object('id', m.id || '_' || n)) copy`
      yield* freshStart
      yield* rounds.begin(horizon)
      const ranges = yield* sql<{ readonly first: string; readonly before: string | null }>`
        select first_id as first, before_id as before from compaction_ranges where place > 0 order by place`
      expect(ranges.length).toBe(3)
      expect(ranges.map(({ first }) => first)).toEqual(["", ...ranges.slice(0, -1).map(({ before }) => before)])
      expect(ranges.at(-1)?.before).toBe(null)
      yield* sql`delete from monitors where id like '%\\_%\\_%'`
      yield* freshStart
    }))

  it.effect("loses and doubles nothing when several compact the same checks", () =>
    Effect.gen(function*() {
      const checks = yield* Checks
      const { id: workspaceId } = yield* newWorkspace
      const all = yield* Effect.forEach([1, 2, 3, 4], () => newChecked(workspaceId))
      const compact = yield* makeCompaction
      const moved = yield* Effect.all([compact, compact, compact], { concurrency: "unbounded" })
      expect(moved.reduce((sum, rows) => sum + rows, 0)).toBeGreaterThanOrEqual(480)
      for (const one of all) {
        expect(yield* blocksOf(one)).toBe(120)
        const stats = yield* run(checks.readStats(workspaceId, one.id, DateTime.unsafeMake(horizon - 3 * hour)))
        expect(stats.checks).toBe(120)
      }
      yield* freshStart
    }))

  it.effect("sets a check aside that cannot be encoded, and compacts all others", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { id: workspaceId } = yield* newWorkspace
      const [one, broken, other] = yield* Effect.forEach([1, 2, 3], () => newChecked(workspaceId))
      const at = new Date(horizon - hour)
      yield* sql`update checks set latency_ms = 'Infinity' where monitor_id = ${broken!.id} and at = ${at}`
      yield* Effect.flatten(makeCompaction)
      expect(yield* Effect.forEach([one!, broken!, other!], blocksOf)).toEqual([120, 119, 120])
      expect(yield* Effect.forEach([one!, broken!, other!], rowsOf)).toEqual([0, 0, 0])
      const aside = yield* sql<{ readonly monitorId: string; readonly at: Date; readonly reason: string }>`
        select monitor_id as "monitorId", at, reason from checks_set_aside`
      expect(aside).toEqual([{ monitorId: broken!.id, at, reason: expect.stringContaining("Infinity") as string }])
      yield* freshStart
    }))

  it.effect("compacts the other monitors when a block that is there cannot be read", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { id: workspaceId } = yield* newWorkspace
      const [one, broken] = [yield* newChecked(workspaceId), yield* newChecked(workspaceId)]
      yield* Effect.flatten(makeCompaction)
      expect(yield* blocksOf(one)).toBe(120)
      yield* sql`update check_blocks set data = 'no block', checks = 1 where monitor_id = ${broken.id}`
      yield* freshStart
      const late = resultOf({ id: broken.id, workspaceId, revision: 1 }, 500, { at: horizon - hour + 7 })
      const fine = resultOf({ id: one.id, workspaceId, revision: 1 }, 500, { at: horizon - hour + 7 })
      yield* Effect.flatMap(Checks, (checks) => checks.insert([late, fine].map((result) => ({ result, counted: true }))))
      yield* Effect.flatten(makeCompaction)
      expect(yield* blocksOf(one)).toBe(121)
      expect(yield* sql`select id from checks_set_aside where monitor_id = ${broken.id}`).toEqual([{ id: late.checkId }])
      yield* freshStart
    }))
})
