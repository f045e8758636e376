/** The removal of a region that is gone for good. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { RegionId } from "../../../schema/check/Region.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { RegionRemoval } from "../../../src/store/check/RegionRemoval.ts"
import { monitorRow, newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"

const region = (id: string, silentSec: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.as(
      sql`insert into regions (id, first_seen_at, last_beat_at) values (${id}, now(), now() - make_interval(secs => ${silentSec}))`,
      RegionId.make(id)
    ))

const isKnown = (id: RegionId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => Effect.map(sql`select 1 from regions where id = ${id}`, (rows) => rows.length === 1)
  )

const refusal = (id: RegionId, to: RegionId | null = null) =>
  Effect.flatMap(RegionRemoval, (regions) => Effect.map(Effect.flip(regions.remove(id, to)), ({ message }) => message))

layer(RegionRemoval.Default.pipe(Layer.provideMerge(TestRunner)), { excludeTestServices: true })("A region", (it) => {
  it.effect("that beats is kept, and one that does not exist is named with the known ones", () =>
    Effect.gen(function*() {
      const beating = yield* region("beating", 3)
      expect(yield* refusal(beating)).toMatch(
        /^Probes of the region beating are running: the last beat was [34] s ago\. Stop them/
      )
      expect(yield* isKnown(beating)).toBe(true)
      expect(yield* refusal(RegionId.make("nowhere"))).toMatch(/^There is no region nowhere\. Known regions: beating/)
    }))

  it.effect("without monitors is removed", () =>
    Effect.gen(function*() {
      const gone = yield* region("unused", 60)
      expect(yield* (yield* RegionRemoval).remove(gone, null)).toBe(0)
      expect(yield* isKnown(gone)).toBe(false)
    }))

  it.effect("with monitors is kept until another region takes them, each once", () =>
    Effect.gen(function*() {
      const [gone, other] = [yield* region("gone", 60), yield* region("other", 60)]
      const { id: workspaceId } = yield* newWorkspace
      const manage = yield* ManageMonitors
      const create = (regions: ReadonlyArray<RegionId>) =>
        manage.create(workspaceId, { name: "Shop", url: "https://shop.test/", regions })
      const [alone, both, untouched] = [yield* create([gone]), yield* create([other, gone]), yield* create([other])]
      expect(yield* refusal(gone)).toMatch(
        /^2 monitors of 1 workspace would no longer be checked from the region gone, for example mon_/
      )
      expect(yield* refusal(gone, RegionId.make("nowhere"))).toContain("There is no region nowhere")
      expect(yield* refusal(gone, gone)).toContain("another region")

      const sql = yield* SqlClient.SqlClient
      const before = yield* monitorRow(workspaceId, untouched.id)
      yield* sql`delete from assignment_outbox`
      expect(yield* (yield* RegionRemoval).remove(gone, other)).toBe(2)
      expect(yield* isKnown(gone)).toBe(false)
      for (const { id } of [alone, both]) {
        const row = yield* monitorRow(workspaceId, id)
        expect([row.regions, row.revision]).toEqual([["other"], before.revision + 1])
      }
      expect((yield* monitorRow(workspaceId, untouched.id)).revision).toBe(before.revision)
    }))
})
