/** Lists the regions that checks run from, with the health of each. */
import { Effect } from "effect"
import { RegionHealth } from "../../../cluster/check/RegionHealth.ts"
import type { Region } from "../../../schema/check/Region.ts"
import { DefaultRegion } from "./DefaultRegion.ts"

export class ListRegions extends Effect.Service<ListRegions>()("belltower/ListRegions", {
  effect: Effect.gen(function*() {
    const regions = yield* RegionHealth
    const defaultRegion = yield* DefaultRegion

    const list: Effect.Effect<ReadonlyArray<Region>> = Effect.map(
      regions.all,
      (all) => all.map((region) => ({ ...region, isDefault: region.id === defaultRegion }))
    )

    return { list }
  })
}) {}
