/** Regions count as isolated if they alone see most of their targets fail in the results of the last minutes. */
import { Clock, Effect } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"
import type { RegionId } from "../../schema/check/Region.ts"
import type { WorkspaceId } from "../../schema/Ids.ts"
import { evidenceFor, isolatedRegions } from "../../src/domain/check/round/IsolatedRegions.ts"
import { Regions } from "../../src/store/check/Regions.ts"

/** A region's last result for a monitor; updated in place because every check brings one. */
interface LastSeen {
  outcome: CheckResult["outcome"]
  at: number
}

interface Seen {
  readonly workspaceId: WorkspaceId
  readonly regions: Map<RegionId, LastSeen>
}

type SeenByMonitor = Map<string, Seen>

const note = (seen: SeenByMonitor, { at, monitorId, outcome, region, workspaceId }: CheckResult): void => {
  const regions = seen.get(monitorId)?.regions
  const before = regions?.get(region)
  if (before !== undefined) {
    before.outcome = outcome
    before.at = at
  } else if (regions !== undefined) regions.set(region, { outcome, at })
  else seen.set(monitorId, { workspaceId, regions: new Map([[region, { outcome, at }]]) })
}

const forgetOld = (seen: SeenByMonitor, now: number): void => {
  for (const [id, { regions }] of seen) {
    for (const [region, { at }] of regions) if (now - at > evidenceFor) regions.delete(region)
    if (regions.size === 0) seen.delete(id)
  }
}

export const makeRegionIsolation = Effect.map(Regions, (regions) => {
  const seen: SeenByMonitor = new Map()
  /** The newest check of each region that was stored since the last judgement. */
  let newest = new Map<RegionId, number>()
  let isolated: ReadonlySet<RegionId> = new Set()

  /** Judges the regions again, and records whose results were stored and which are isolated. */
  const judge = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    forgetOld(seen, now)
    const before = isolated
    isolated = isolatedRegions(seen.values(), now)
    const fallen = [...isolated].filter((region) => !before.has(region))
    const stored = newest
    newest = new Map()
    return Effect.all([
      Effect.when(regions.stored(stored), () => stored.size > 0),
      Effect.when(regions.foundAlone(isolated), () => isolated.size > 0),
      fallen.length === 0 ? Effect.void : Effect.logWarning(
        `Region ${fallen.join(", ")} alone sees most of its targets fail; its results are stored but not counted`
      )
    ], { discard: true })
  })

  return {
    note: (result: CheckResult): void => note(seen, result),
    /** Notes that a result is stored. One that waits does not count: monitoring has stopped if nothing is stored. */
    stored: ({ at, region }: CheckResult): void => void newest.set(region, Math.max(at, newest.get(region) ?? at)),
    judge,
    isIsolated: (region: RegionId): boolean => isolated.has(region)
  }
})
