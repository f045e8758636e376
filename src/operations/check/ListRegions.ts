/** Lists the regions that checks run from, with the health of each and what the workspace's monitors last saw there. */
import { Effect } from "effect"
import type { RegionId } from "../../../schema/check/Region.ts"
import type { RegionRecord } from "../../../schema/check/RegionRecord.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { regionResults } from "../../domain/check/round/RegionResults.ts"
import { RegionHealth } from "../../services/check/RegionHealth.ts"
import { RegionChecks } from "../../store/check/RegionChecks.ts"
import { DefaultRegion } from "./DefaultRegion.ts"

export class ListRegions extends Effect.Service<ListRegions>()("belltower/ListRegions", {
  effect: Effect.gen(function*() {
    const regions = yield* RegionHealth
    const checks = yield* RegionChecks
    const defaultRegion = yield* DefaultRegion

    /** Looking for the last results costs more than all else, so lists of names leave them out. */
    const list = Effect.fn("ListRegions.list")(function*(workspaceId: WorkspaceId, results: boolean) {
      const all = yield* regions.all
      const newest = results ? yield* checks.newest(workspaceId, all.map(({ id }) => id)) : new Map<RegionId, []>()
      return all.map((region): RegionRecord => ({
        ...region,
        isDefault: region.id === defaultRegion,
        ...regionResults(newest.get(region.id) ?? [])
      }))
    })

    return { list }
  })
}) {}
