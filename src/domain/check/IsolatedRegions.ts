/** Finds a region that alone sees most of its targets fail: the fault is the region's, not the targets'. */
import type { Outcome } from "../../../schema/check/Check.ts"
import type { RegionId } from "../../../schema/check/Region.ts"

/** What each region last saw of one monitor. */
export type RegionOutcomes = ReadonlyMap<RegionId, { readonly outcome: Outcome; readonly at: number }>

/** Fewer monitors than this say nothing about a region. */
const enough = 20

/**
 * The regions in which more than half of the monitors (at least 20) that another region also sees, and sees standing, are
 * down. Only fresh looks (younger than `freshMs`) count. A monitor that no other region watches is no evidence either
 * way: an outage of everything at once is still told.
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
    for (const [region, look] of seen) {
      if (now - look.at > freshMs) continue
      let others = 0
      let othersDown = 0
      for (const [other, { at, outcome }] of seen) {
        if (other === region || now - at > freshMs) continue
        others += 1
        if (outcome === "down") othersDown += 1
      }
      if (others === 0 || othersDown > 0) continue
      standing.set(region, (standing.get(region) ?? 0) + 1)
      if (look.outcome === "down") isolated.set(region, (isolated.get(region) ?? 0) + 1)
    }
  }
  return new Set(
    [...isolated].filter(([region, count]) => {
      const all = standing.get(region) ?? 0
      return all >= enough && count * 2 > all
    }).map(([region]) => region)
  )
}
