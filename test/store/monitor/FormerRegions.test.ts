/** The outbox remembers in which regions a monitor was, so that only those learn that it left. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { RegionId } from "../../../schema/check/Region.ts"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { RegionRemoval } from "../../../src/store/check/RegionRemoval.ts"
import { Regions } from "../../../src/store/check/Regions.ts"
import { Assignments } from "../../../src/store/monitor/Assignments.ts"
import { WorkspaceRemoval } from "../../../src/store/workspace/WorkspaceRemoval.ts"
import { Ground, newWorkspace } from "../../support/program/TestRunner.ts"

const [eu, us, ap] = [RegionId.make("eu"), RegionId.make("us"), RegionId.make("ap")]

/** Nothing empties the outbox here. */
const world = Layer.mergeAll(ManageMonitors.Default, RegionRemoval.Default).pipe(Layer.provideMerge(Ground))

const create = (workspaceId: WorkspaceId, regions: ReadonlyArray<RegionId>) =>
  Effect.gen(function*() {
    const known = yield* Regions
    yield* Effect.forEach([eu, us, ap], (id) => known.heard(id, DateTime.unsafeMake(0)))
    const manage = yield* ManageMonitors
    return yield* manage.create(workspaceId, { name: "Shop", url: "https://shop.test/", regions })
  })

const formerRegions = (id: MonitorId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly regions: ReadonlyArray<string> | null }>`
        select former_regions as regions from assignment_outbox where monitor_id = ${id}`,
      (rows) => rows.map(({ regions }) => regions === null ? null : [...regions].toSorted())
    ))

layer(world, { excludeTestServices: true })("The outbox", (it) => {
  it.effect("gathers the regions of a monitor over edits that wait, and those of its deletion", () =>
    Effect.gen(function*() {
      const { id: workspaceId } = yield* newWorkspace
      const { id } = yield* create(workspaceId, [eu])
      const manage = yield* ManageMonitors
      expect(yield* formerRegions(id)).toEqual([[]])
      yield* manage.update(workspaceId, id, { regions: [us] })
      expect(yield* formerRegions(id)).toEqual([["eu"]])
      yield* manage.update(workspaceId, id, { regions: [us, ap] })
      expect(yield* formerRegions(id)).toEqual([["eu", "us"]])
      yield* manage.remove(workspaceId, id)
      expect(yield* formerRegions(id)).toEqual([["ap", "eu", "us"]])
      const [line] = (yield* (yield* Assignments).gone(100, [])).filter(({ monitorId }) => monitorId === id)
      expect([...line?.formerRegions ?? []].toSorted()).toEqual(["ap", "eu", "us"])
    }))

  it.effect("of a workspace that is deleted has the regions of its monitors", () =>
    Effect.gen(function*() {
      const { id: workspaceId } = yield* newWorkspace
      const { id } = yield* create(workspaceId, [eu, us])
      yield* Effect.flatMap(WorkspaceRemoval, (removal) => removal.remove(workspaceId))
      expect(yield* formerRegions(id)).toEqual([["eu", "us"]])
    }))

  it.effect("sends an assignment again to the monitor's regions, and a removal to all", () =>
    Effect.gen(function*() {
      const { id: workspaceId } = yield* newWorkspace
      const [kept, gone] = [yield* create(workspaceId, [eu]), yield* create(workspaceId, [eu])]
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from monitors where id = ${gone.id}`
      yield* sql`delete from assignment_outbox`
      const lines = [kept, gone].map(({ id: monitorId }) => ({ monitorId, workspaceId }))
      yield* Effect.flatMap(Assignments, (assignments) => assignments.queueAgain(lines))
      expect([yield* formerRegions(kept.id), yield* formerRegions(gone.id)]).toEqual([[[]], [null]])
    }))

  it.effect("takes a removed region's monitors also while edits of them wait", () =>
    Effect.gen(function*() {
      const { id: workspaceId } = yield* newWorkspace
      const { id } = yield* create(workspaceId, [eu])
      yield* Effect.flatMap(ManageMonitors, (manage) => manage.update(workspaceId, id, { regions: [ap] }))
      yield* (yield* RegionRemoval).remove(ap, us)
      expect(yield* formerRegions(id)).toEqual([["ap", "eu"]])
    }))

  it.effect("is filled again for a region with the monitors that name it only", () =>
    Effect.gen(function*() {
      const { id: workspaceId } = yield* newWorkspace
      const [inEu, inBoth, inUs] = [
        yield* create(workspaceId, [eu]),
        yield* create(workspaceId, [us, eu]),
        yield* create(workspaceId, [us])
      ]
      const { page } = yield* Assignments
      const all = { lines: 1_000, bytes: 1_000_000 }
      const mine = new Set<string>([inEu.id, inBoth.id, inUs.id])
      const idsOf = (region: RegionId | null) =>
        Effect.map(page("", all, region), (lines) => lines.map(({ monitorId }) => monitorId).filter((id) => mine.has(id)))
      expect(yield* idsOf(eu)).toEqual([inEu.id, inBoth.id].toSorted())
      expect(yield* idsOf(null)).toEqual([...mine].toSorted())
    }))
})
