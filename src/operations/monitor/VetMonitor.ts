/** Rejects channels and regions that a monitor cannot use. */
import { Effect } from "effect"
import type { RegionId } from "../../../schema/check/Region.ts"
import type { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"
import { type Refusal, validationFailure } from "../../domain/Refusal.ts"
import { Channels } from "../../store/alert/Channels.ts"
import { Regions } from "../../store/check/Regions.ts"
import { DefaultRegion } from "../check/DefaultRegion.ts"

interface Given {
  readonly channelIds?: ReadonlyArray<ChannelId>
  readonly regions?: ReadonlyArray<RegionId>
}

/**
 * Builds the validation of an input. Channels must belong to the workspace. Regions must have had a probe, because a monitor
 * in a misspelled region would never be checked. Fails with `validation_failed`.
 */
export const makeVetMonitor = Effect.gen(function*() {
  const channels = yield* Channels
  const regions = yield* Regions
  const defaultRegion = yield* DefaultRegion

  const channelRefusals = Effect.fn("VetMonitor.channels")(function*(workspaceId: WorkspaceId, ids: ReadonlyArray<ChannelId>) {
    const unknown = ids.length === 0 ? [] : yield* channels.unknownIds(workspaceId, ids)
    return unknown.map((id): Refusal => ({
      path: `channelIds.${ids.indexOf(id)}`,
      message: `No channel ${id} in this workspace`
    }))
  })

  const regionRefusals = Effect.fn("VetMonitor.regions")(function*(wanted: ReadonlyArray<RegionId>) {
    const known = new Set<string>([defaultRegion, ...(yield* regions.known).map((region) => region.id)])
    return wanted.flatMap((region, index): ReadonlyArray<Refusal> =>
      known.has(region) ? [] : [{
        path: `regions.${index}`,
        message: `Unknown region ${region}: no probe has ever connected from it`,
        hint: `Known regions: ${[...known].join(", ")}`
      }]
    )
  })

  return Effect.fn("VetMonitor")(function*(workspaceId: WorkspaceId, given: Given) {
    const refusals = [
      ...(yield* channelRefusals(workspaceId, given.channelIds ?? [])),
      ...(given.regions === undefined ? [] : yield* regionRefusals(given.regions))
    ]
    if (refusals.length > 0) return yield* validationFailure(refusals)
  })
})
