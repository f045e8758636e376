/** Rejects targets, channels and regions that a monitor cannot use. */
import { Effect } from "effect"
import type { RegionId } from "../../../schema/check/Region.ts"
import type { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"
import type { MonitorKind } from "../../../schema/monitor/MonitorKind.ts"
import { type Refusal, validationFailure } from "../../domain/Refusal.ts"
import { EgressGuard } from "../../egress/EgressGuard.ts"
import { RegionHealth } from "../../services/check/RegionHealth.ts"
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

/** The hosts that a monitor of this input would connect to. dns and domain monitors ask others about their host. */
const hostsOf = ({ host, kind, url }: Given): ReadonlyArray<readonly [path: string, host: string]> => [
  ...(url === undefined || url === null ? [] : [["url", new URL(url).hostname] as const]),
  ...(host === undefined || host === null || kind === "dns" || kind === "domain" ? [] : [["host", host] as const])
]

/** Equipment that some kinds need and probes may lack, and how to get it. */
const missingEquipment = {
  browser: (region: RegionId) => ({
    message: `No probe in region ${region} has Chromium and can isolate it, which browser monitors need`,
    hint:
      "Install it where the probes run (Debian: apt-get install chromium-headless-shell), or set BELLTOWER_CHROMIUM to its path; " +
      "the probes' logs say whether they can isolate it"
  }),
  script: (region: RegionId) => ({
    message: `No probe in region ${region} can isolate scripts`,
    hint:
      "Allow the probes to make namespaces, or set BELLTOWER_ISOLATION=best where everybody who can create monitors is trusted"
  }),
  ping: (region: RegionId) => ({
    message: `No probe in region ${region} can send ICMP, which ping monitors need`,
    hint: "Install ping where the probes run (Debian: apt-get install iputils-ping), or use a tcp monitor"
  })
}

/**
 * Builds the validation of an input. Targets must not be private as they are written; the egress guard decides about names at
 * each check. Channels must belong to the workspace. Regions must have had a probe, because a monitor
 * in a misspelled region would never be checked. Fails with `validation_failed`.
 */
export const makeVetMonitor = Effect.gen(function*() {
  const channels = yield* Channels
  const regions = yield* Regions
  const defaultRegion = yield* DefaultRegion
  const egress = yield* EgressGuard
  const health = yield* RegionHealth

  const targetRefusals = (workspaceId: WorkspaceId, given: Given): ReadonlyArray<Refusal> =>
    hostsOf(given).flatMap(([path, host]) => {
      const message = egress.refusalOf(host, { owner: workspaceId })
      return message === null ? [] : [{ path, message }]
    })

  const channelRefusals = Effect.fnUntraced(function*(workspaceId: WorkspaceId, ids: ReadonlyArray<ChannelId>) {
    const unknown = ids.length === 0 ? [] : yield* channels.unknownIds(workspaceId, ids)
    return unknown.map((id): Refusal => ({
      path: `channelIds.${ids.indexOf(id)}`,
      message: `No channel ${id} in this workspace`,
      hint: "List alert channels with GET /api/v1/channels"
    }))
  })

  const regionRefusals = Effect.fnUntraced(function*(wanted: ReadonlyArray<RegionId>) {
    const known = new Set<string>([defaultRegion, ...(yield* regions.known).map((region) => region.id)])
    return wanted.flatMap((region, index): ReadonlyArray<Refusal> =>
      known.has(region) ? [] : [{
        path: `regions.${index}`,
        message: `Unknown region ${region}: no probe has ever connected from it`,
        hint: `Known regions: ${[...known].join(", ")}`
      }]
    )
  })

  /** A region that has not reported yet may have the equipment. */
  const equipmentRefusals = ({ kind, regions: wanted = [defaultRegion] }: Given): ReadonlyArray<Refusal> =>
    kind !== "browser" && kind !== "ping" && kind !== "script"
      ? []
      : wanted.filter((region) => health.lacks(kind, region)).map((region): Refusal => ({
        path: "kind",
        ...missingEquipment[kind](region)
      }))

  return Effect.fnUntraced(function*(workspaceId: WorkspaceId, given: Given) {
    const refusals = [
      ...targetRefusals(workspaceId, given),
      ...equipmentRefusals(given),
      ...(yield* channelRefusals(workspaceId, given.channelIds ?? [])),
      ...(given.regions === undefined ? [] : yield* regionRefusals(given.regions))
    ]
    if (refusals.length > 0) return yield* validationFailure(refusals)
  })
})
