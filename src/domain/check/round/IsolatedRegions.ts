/** Finds regions in which most targets fail while they work elsewhere: the region is at fault, not the targets. */
import type { Outcome } from "../../../../schema/check/Check.ts"
import type { RegionId } from "../../../../schema/check/Region.ts"

/** The last outcome of one monitor in each region. */
export type RegionOutcomes = ReadonlyMap<RegionId, { readonly outcome: Outcome; readonly at: number }>

/** Fewer monitors are too small a sample to judge a region. */
const minMonitors = 20

/**
 * A region is isolated if more than half of its comparable monitors are down in it. A monitor is comparable if other regions
 * also check it and none of them sees it down; at least 20 are required. Only checks younger than `freshMs` count. A monitor
 * that no other region checks is no evidence, so a real outage of all targets is still reported.
 */
export const isolatedRegions = (
  monitors: Iterable<RegionOutcomes>,
  now: number,
  freshMs: number
): ReadonlySet<RegionId> => {
  const standing = new Map<RegionId, number>()
  const isolated = new Map<RegionId, number>()
  for (const seen of monitors) {
    if (seen.size < 2) continue
    for (const [region, latest] of seen) {
      if (now - latest.at > freshMs) continue
      let others = 0
      let othersDown = 0
      for (const [other, { at, outcome }] of seen) {
        if (other === region || now - at > freshMs) continue
        others += 1
        if (outcome === "down") othersDown += 1
      }
      if (others === 0 || othersDown > 0) continue
      standing.set(region, (standing.get(region) ?? 0) + 1)
      if (latest.outcome === "down") isolated.set(region, (isolated.get(region) ?? 0) + 1)
    }
  }
  return new Set(
    [...isolated].filter(([region, count]) => {
      const all = standing.get(region) ?? 0
      return all >= minMonitors && count * 2 > all
    }).map(([region]) => region)
  )
}
