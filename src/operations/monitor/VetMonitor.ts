/** Rejects targets, channels and regions that a monitor cannot use. */
import { Effect } from "effect"
import type { RegionId } from "../../../schema/check/Region.ts"
import type { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"
import type { MonitorKind } from "../../../schema/monitor/MonitorKind.ts"
import { type Refusal, validationFailure } from "../../domain/Refusal.ts"
import { EgressGuard } from "../../egress/EgressGuard.ts"
import { Channels } from "../../store/alert/Channels.ts"
import { Regions } from "../../store/check/Regions.ts"
import { DefaultRegion } from "../check/DefaultRegion.ts"

interface Given {
  readonly kind?: MonitorKind
  readonly url?: string | null
  readonly host?: string | null
  readonly channelIds?: ReadonlyArray<ChannelId>
  readonly regions?: ReadonlyArray<RegionId>
}

/** The hosts that a monitor of this input would connect to. A dns monitor asks about its host instead. */
const hostsOf = ({ host, kind, url }: Given): ReadonlyArray<readonly [path: string, host: string]> => [
  ...(url === undefined || url === null ? [] : [["url", new URL(url).hostname] as const]),
  ...(host === undefined || host === null || kind === "dns" ? [] : [["host", host] as const])
]

/**
 * Builds the validation of an input. Targets must not be private as they are written; the egress guard decides about names at each check. Channels must belong to the workspace. Regions must have had a probe, because a monitor
 * in a misspelled region would never be checked. Fails with `validation_failed`.
 */
export const makeVetMonitor = Effect.gen(function*() {
  const channels = yield* Channels
  const regions = yield* Regions
  const defaultRegion = yield* DefaultRegion
  const egress = yield* EgressGuard

  const targetRefusals = (given: Given): ReadonlyArray<Refusal> =>
    hostsOf(given).flatMap(([path, host]) => {
      const message = egress.refusalOf(host)
      return message === null ? [] : [{ path, message }]
    })

  const channelRefusals = Effect.fn("VetMonitor.channels")(function*(workspaceId: WorkspaceId, ids: ReadonlyArray<ChannelId>) {
    const unknown = ids.length === 0 ? [] : yield* channels.unknownIds(workspaceId, ids)
    return unknown.map((id): Refusal => ({
      path: `channelIds.${ids.indexOf(id)}`,
      message: `No channel ${id} in this workspace`,
      hint: "List alert channels with GET /api/v1/channels"
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
      ...targetRefusals(given),
      ...(yield* channelRefusals(workspaceId, given.channelIds ?? [])),
      ...(given.regions === undefined ? [] : yield* regionRefusals(given.regions))
    ]
    if (refusals.length > 0) return yield* validationFailure(refusals)
  })
})
