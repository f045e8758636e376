/** The latest checks of a workspace's monitors in each region: of the most frequent ones only, whatever their number. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { RegionId } from "../../../schema/check/Region.ts"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { makeCheckId } from "../../../src/domain/check/history/CheckKey.ts"
import { regionResults } from "../../../src/domain/check/round/RegionResults.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { Checks } from "../../../src/store/check/Checks.ts"
import { RegionChecks } from "../../../src/store/check/RegionChecks.ts"
import { Ground, newWorkspace, resultOf } from "../../support/program/TestRunner.ts"

const [eu, us] = [RegionId.make("eu"), RegionId.make("us")]

layer(Layer.provideMerge(ManageMonitors.Default, Ground), { excludeTestServices: true })("the results of a region", (it) => {
  const known = Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      insert into regions (id, first_seen_at, last_beat_at) select id, now(), now() from unnest(array['main', 'eu', 'us']) as id
      on conflict do nothing`
    return (yield* newWorkspace).id
  })

  const monitorOf = (workspaceId: WorkspaceId, intervalSec: number, regions: ReadonlyArray<RegionId>) =>
    Effect.flatMap(
      ManageMonitors,
      ({ create }) => create(workspaceId, { name: "Shop", url: "https://shop.test/", intervalSec, regions: [...regions] })
    )

  /** Stores checks that ended so many seconds ago. */
  const seen = (
    workspaceId: WorkspaceId,
    id: MonitorId,
    list: ReadonlyArray<readonly [RegionId, number, number, "up" | "down"]>
  ) =>
    Effect.flatMap(Checks, (checks) =>
      checks.insert(list.map(([region, ago, latencyMs, outcome]) => {
        const at = Date.now() - ago * 1000
        const checkId = makeCheckId(id, at, randomBytes(10))
        return {
          counted: true,
          result: resultOf({ id, workspaceId, revision: 1 }, 1, { at, checkId, region, latencyMs, outcome })
        }
      })))

  const read = (workspaceId: WorkspaceId) => Effect.flatMap(RegionChecks, ({ newest }) => newest(workspaceId, [eu, us]))

  describe("of a workspace", () => {
    it.effect("are the newest check of each of its monitors there, and of no other region or workspace", () =>
      Effect.gen(function*() {
        const [mine, theirs] = [yield* known, yield* known]
        const both = yield* monitorOf(mine, 60, [eu, us])
        const slow = yield* monitorOf(mine, 300, [eu])
        const other = yield* monitorOf(theirs, 10, [eu])
        yield* seen(mine, both.id, [[eu, 70, 900, "up"], [eu, 10, 100, "up"], [us, 5, 7, "down"]])
        yield* seen(mine, slow.id, [[eu, 60, 300, "up"]])
        yield* seen(theirs, other.id, [[eu, 1, 1, "up"]])
        const found = yield* read(mine)
        expect(regionResults(found.get(eu) ?? [])).toMatchObject({ lastCheck: { monitorId: both.id, latencyMs: 100 }, p50: 100 })
        expect(regionResults(found.get(us) ?? [])).toMatchObject({
          lastCheck: { monitorId: both.id, outcome: "down" },
          p50: null
        })
      }))

    it.effect("leave out monitors that are paused, deleted or no longer checked there", () =>
      Effect.gen(function*() {
        const workspaceId = yield* known
        const { remove, update } = yield* ManageMonitors
        const [paused, deleted, moved] = [
          yield* monitorOf(workspaceId, 60, [eu]),
          yield* monitorOf(workspaceId, 60, [eu]),
          yield* monitorOf(workspaceId, 60, [eu])
        ]
        for (const { id } of [paused, deleted, moved]) yield* seen(workspaceId, id, [[eu, 10, 10, "up"]])
        expect((yield* read(workspaceId)).get(eu)).toHaveLength(3)
        yield* update(workspaceId, paused.id, { paused: true })
        yield* remove(workspaceId, deleted.id)
        yield* update(workspaceId, moved.id, { regions: [us], intervalSec: 120 })
        const found = yield* read(workspaceId)
        expect([found.get(eu), found.get(us)]).toEqual([undefined, []])
        yield* update(workspaceId, paused.id, { paused: false })
        expect((yield* read(workspaceId)).get(eu)).toHaveLength(1)
      }))

    it.effect("are read with the same work however many monitors it has", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const workspaceId = yield* known
        const first = yield* monitorOf(workspaceId, 30, [eu])
        yield* seen(workspaceId, first.id, [[eu, 3, 20, "up"]])
        /** Rows that this connection has read and not yet reported. */
        const counted = Effect.map(
          sql<{ readonly rows: number }>`
            select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables`,
          ([row]) => row?.rows ?? 0
        )
        const work = Effect.gen(function*() {
          const before = yield* counted
          const found = yield* read(workspaceId)
          expect(found.get(eu)?.[0]).toMatchObject({ monitorId: first.id, latencyMs: 20 })
          return (yield* counted) - before
        }).pipe(sql.withTransaction)
        const few = yield* work
        yield* sql`
          insert into monitors select (m2).* from (
            select jsonb_populate_record(m, jsonb_build_object('id', 'mon_' || lpad(n::text, 26, '0'), 'interval_sec', 60)) as m2
            from monitors m, generate_series(1, 3000) as n where m.id = ${first.id}) made`
        yield* sql`analyze monitors`
        yield* sql`analyze monitor_regions`
        const many = yield* work
        expect(many).toBeLessThan(few + 60)
      }))
  })
})
