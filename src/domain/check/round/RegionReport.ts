/** The results of a monitor in each region over some hours, from rollups and the newest checks. */
import type { CheckSummary } from "../../../../schema/check/Check.ts"
import type { Region, RegionId } from "../../../../schema/check/Region.ts"
import type { MonitorRegion } from "../../../../schema/check/RegionViews.ts"
import type { Rules } from "../../../../schema/monitor/Monitor.ts"
import { silence } from "../../monitor/MonitorMachine.ts"
import type { Rollup } from "../history/CheckRollup.ts"
import { emptyTally, mergeRegions, statsOf } from "../history/CheckTally.ts"

interface RegionFacts {
  readonly rules: Pick<Rules, "intervalSec" | "timeoutMs" | "regions">
  /** False for a monitor that is paused or pushed, which has no late results. */
  readonly expected: boolean
  readonly rollup: Rollup
  readonly lastChecks: ReadonlyMap<RegionId, CheckSummary>
  readonly known: ReadonlyArray<Pick<Region, "id" | "healthy" | "reason" | "clockSkewMs">>
}

/** The start of the last half hour in which each region reported, ms. */
export const lastReports = (rollup: Rollup): ReadonlyMap<RegionId, number> =>
  new Map(
    [...rollup].sort(([one], [other]) => one - other).flatMap(([at, tallies]) =>
      [...tallies.keys()].map((region) => [region, at] as const)
    )
  )

const lateSec = (last: CheckSummary | null, { expected, rules }: RegionFacts, now: number): number | null => {
  const silent = last === null ? 0 : now - last.at.epochMillis
  return expected && silent > silence(rules) ? Math.round((silent - rules.intervalSec * 1000) / 1000) : null
}

/** The monitor's regions and all others that reported, in order of their ids. */
export const regionReport = (facts: RegionFacts, now: number): ReadonlyArray<MonitorRegion> => {
  const tallies = mergeRegions([...facts.rollup.values()])
  const ids = [...new Set([...facts.rules.regions, ...tallies.keys()])].sort()
  const expects = new Set(facts.rules.regions)
  return ids.map((region) => {
    const tally = tallies.get(region) ?? emptyTally
    const health = facts.known.find(({ id }) => id === region)
    const lastCheck = facts.lastChecks.get(region) ?? null
    return {
      region,
      healthy: health?.healthy ?? true,
      reason: health?.reason ?? null,
      clockSkewMs: health?.clockSkewMs ?? null,
      lastCheck,
      lateSec: expects.has(region) ? lateSec(lastCheck, facts, now) : null,
      ...statsOf(tally),
      uncounted: tally.uncounted
    }
  })
}
