/** Regions count as isolated if they alone see most of their targets fail in the results of the last minutes. */
import { Clock, Effect } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"
import type { RegionId } from "../../schema/check/Region.ts"
import type { WorkspaceId } from "../../schema/Ids.ts"
import { evidenceFor, isolatedRegions, mayBeIsolated } from "../../src/domain/check/round/IsolatedRegions.ts"
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

interface Sight {
  readonly monitors: Map<string, Seen>
  /** How many of the last results say down. */
  downs: number
}

const downsOf = (outcome: CheckResult["outcome"] | undefined): number => outcome === "down" ? 1 : 0

const note = (sight: Sight, { at, monitorId, outcome, region, workspaceId }: CheckResult): void => {
  const regions = sight.monitors.get(monitorId)?.regions
  const before = regions?.get(region)
  sight.downs += downsOf(outcome) - downsOf(before?.outcome)
  if (before !== undefined) {
    before.outcome = outcome
    before.at = at
  } else if (regions !== undefined) regions.set(region, { outcome, at })
  else sight.monitors.set(monitorId, { workspaceId, regions: new Map([[region, { outcome, at }]]) })
}

/** How often old results are forgotten, ms: a look at all monitors, which changes no judgement. */
const forgetEvery = 60_000

const forgetOld = (sight: Sight, now: number): void => {
  for (const [id, { regions }] of sight.monitors) {
    for (const [region, { at, outcome }] of regions) {
      if (now - at <= evidenceFor) continue
      regions.delete(region)
      sight.downs -= downsOf(outcome)
    }
    if (regions.size === 0) sight.monitors.delete(id)
  }
}

const noRegions: ReadonlySet<RegionId> = new Set()

export const makeRegionIsolation = Effect.map(Regions, (regions) => {
  const sight: Sight = { monitors: new Map(), downs: 0 }
  let forgotAt = 0
  /** The newest check of each region that was stored since the last judgement. */
  let newest = new Map<RegionId, number>()
  let isolated: ReadonlySet<RegionId> = new Set()

  /** Judges the regions again, and records whose results were stored and which are isolated. */
  const judge = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (Math.abs(now - forgotAt) >= forgetEvery) {
      forgotAt = now
      forgetOld(sight, now)
    }
    const before = isolated
    isolated = mayBeIsolated(sight.downs) ? isolatedRegions(sight.monitors.values(), now) : noRegions
    const fallen = [...isolated].filter((region) => !before.has(region))
    const back = [...before].filter((region) => !isolated.has(region))
    const stored = newest
    newest = new Map()
    return Effect.all([
      Effect.when(regions.stored(stored), () => stored.size > 0),
      Effect.when(regions.foundAlone(isolated), () => isolated.size > 0),
      Effect.forEach(fallen, (region) =>
        Effect.logWarning(
          `Region ${region} alone sees most of its targets fail; until that ends, its results are stored but not counted. ` +
            "Look at the network of its probes."
        )),
      Effect.forEach(back, (region) => Effect.logInfo(`The results of region ${region} count again`))
    ], { discard: true })
  })

  return {
    note: (result: CheckResult): void => note(sight, result),
    /** Notes that a result is stored. One that waits does not count: monitoring has stopped if nothing is stored. */
    stored: ({ at, region }: CheckResult): void => void newest.set(region, Math.max(at, newest.get(region) ?? at)),
    judge,
    isIsolated: (region: RegionId): boolean => isolated.has(region)
  }
})
