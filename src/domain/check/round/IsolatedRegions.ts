/** Finds regions in which most targets fail while they work elsewhere: the region is at fault, not the targets. */
import type { Outcome } from "../../../../schema/check/Check.ts"
import type { RegionId } from "../../../../schema/check/Region.ts"
import type { WorkspaceId } from "../../../../schema/Ids.ts"

/** The last outcome of one monitor in each region, and whose monitor it is. */
export interface SeenMonitor {
  readonly workspaceId: WorkspaceId
  readonly regions: ReadonlyMap<RegionId, { readonly outcome: Outcome; readonly at: number }>
}

/** Results older than this are compared with nothing, ms. */
const fresh = 180_000

/** For how long a good result that is compared with nothing shows that the region works, ms: two intervals of 5 minutes. */
export const evidenceFor = 600_000

/** Fewer monitors are too small a sample to judge a region. */
const minMonitors = 20

/** So many workspaces must see a region fail, unless there are fewer: those of one host's customers may all be refused by it. */
const minWorkspaces = 3

/** The monitors of one workspace, counted for a region. */
interface Tally {
  /** Monitors that another region sees too, and none sees down. */
  comparable: number
  /** Those of them that are down in this region. */
  failing: number
  /** Monitors that no other region sees, and that are not down. */
  working: number
}

type Tallies = Map<RegionId, Map<WorkspaceId, Tally>>

const tallyOf = (tallies: Tallies, region: RegionId, workspace: WorkspaceId): Tally => {
  let ofRegion = tallies.get(region)
  if (ofRegion === undefined) tallies.set(region, ofRegion = new Map<WorkspaceId, Tally>())
  let tally = ofRegion.get(workspace)
  if (tally === undefined) ofRegion.set(workspace, tally = { comparable: 0, failing: 0, working: 0 })
  return tally
}

/** A monitor in the other regions: no recent check, down in at least one, or down in none. */
const seenElsewhere = ({ regions }: SeenMonitor, region: RegionId, now: number): "unseen" | "down" | "good" => {
  let elsewhere: "unseen" | "good" = "unseen"
  for (const [other, { at, outcome }] of regions) {
    if (other === region || now - at > fresh) continue
    if (outcome === "down") return "down"
    elsewhere = "good"
  }
  return elsewhere
}

const count = (tallies: Tallies, monitor: SeenMonitor, now: number): void => {
  for (const [region, { at, outcome }] of monitor.regions) {
    const age = now - at
    const elsewhere = age > evidenceFor ? "down" : seenElsewhere(monitor, region, now)
    if (elsewhere === "good" && age <= fresh) {
      const tally = tallyOf(tallies, region, monitor.workspaceId)
      tally.comparable += 1
      if (outcome === "down") tally.failing += 1
    } else if (elsewhere === "unseen" && outcome !== "down") tallyOf(tallies, region, monitor.workspaceId).working += 1
  }
}

const sum = (tallies: ReadonlyArray<Tally>, of: (tally: Tally) => number): number =>
  tallies.reduce((total, tally) => total + of(tally), 0)

const isIsolated = (tallies: ReadonlyArray<Tally>): boolean => {
  const comparable = sum(tallies, (one) => one.comparable)
  if (comparable < minMonitors) return false
  const failing = sum(tallies, (one) => one.failing)
  if (tallies.length === 1) return failing * 2 > comparable
  const failingWorkspaces = tallies.filter((one) => one.failing * 2 > one.comparable + one.working).length
  return failing * 2 > comparable + sum(tallies, (one) => one.working) &&
    failingWorkspaces * 2 > tallies.length &&
    failingWorkspaces >= Math.min(minWorkspaces, tallies.length)
}

/** Whether a region can be isolated where so many results say down: most of its sample must. Spares the look at all monitors. */
export const mayBeIsolated = (downs: number): boolean => downs * 2 > minMonitors

/**
 * A region is isolated if more than half of its monitors are down in it while other regions see them and none sees them down; at
 * least 20 monitors must be so comparable. A monitor that no other region sees shows that the region works while it is not down; if
 * it is down it is no evidence, so a real outage of all targets is still reported.
 *
 * One workspace decides nothing about a region that works for others, whatever it checks (a host may refuse one region's probes):
 * more than half of the workspaces with evidence must see most of their monitors fail there, and at least three of them or all. The
 * only workspace with evidence is judged by its comparable monitors alone.
 */
export const isolatedRegions = (monitors: Iterable<SeenMonitor>, now: number): ReadonlySet<RegionId> => {
  const tallies: Tallies = new Map()
  for (const monitor of monitors) count(tallies, monitor, now)
  return new Set([...tallies].filter(([, ofRegion]) => isIsolated([...ofRegion.values()])).map(([region]) => region))
}
