/** The health of the monitoring itself, by late checks: regions that have stopped, and monitors that are not checked. */
import type { RegionId } from "../../../schema/check/Region.ts"
import { type Finding, fine, type HealthState } from "../health/Health.ts"
import { counted } from "../tools/text/Counted.ts"
import type { Judgement } from "./OverdueWatch.ts"

/** A region that has stored a check within this time is at work, ms. */
const atWorkFor = 60_000

/** `idle`: nothing is due there. `stopped`: monitors are due, and no check of them is stored. */
type RegionPace = "checking" | "idle" | "stopped"

export interface RegionReport {
  readonly id: RegionId
  /** ms since 1970; null if no check was ever stored. */
  readonly newestCheckAt: number | null
  /** When checks were last stored, ms since 1970; null if never. */
  readonly lastResultAt: number | null
  readonly pace: RegionPace
}

export const regionReports = (
  known: ReadonlyArray<Omit<RegionReport, "pace">>,
  { overdue, unseen }: Judgement<{ readonly id: RegionId }>,
  now: number
): ReadonlyArray<RegionReport> => {
  const stopped = new Set([...overdue, ...unseen].map(({ id }) => id))
  return known.map(({ id, lastResultAt, newestCheckAt }) => ({
    id,
    newestCheckAt,
    lastResultAt,
    pace: stopped.has(id) ? "stopped" : newestCheckAt !== null && now - newestCheckAt <= atWorkFor ? "checking" : "idle"
  }))
}

/** How long ago the newest check of a region was, whole seconds; null if there is none. */
export const newestAge = ({ newestCheckAt }: RegionReport, now: number): number | null =>
  newestCheckAt === null ? null : Math.max(0, Math.round((now - newestCheckAt) / 1000))

/** How late the results of a region are stored, s; null if none were stored within the last minute. */
export const resultDelay = ({ lastResultAt, newestCheckAt }: RegionReport, now: number): number | null =>
  lastResultAt === null || newestCheckAt === null || now - lastResultAt > atWorkFor
    ? null
    : Math.max(0, lastResultAt - newestCheckAt) / 1000

/** Failing once checks have stopped and no other region still delivers any. */
export const regionsFinding = (regions: ReadonlyArray<RegionReport>, now: number): Finding => {
  const details = {
    regions: Object.fromEntries(regions.map((one) => [one.id, { pace: one.pace, newestCheckAgeSec: newestAge(one, now) }]))
  }
  const stopped = regions.filter(({ pace }) => pace === "stopped")
  if (stopped.length === 0) return { ...fine, details }
  const state: HealthState = regions.some(({ pace }) => pace === "checking") ? "degraded" : "failing"
  const ages = stopped.map((one) => {
    const age = newestAge(one, now)
    return age === null ? `${one.id} (no check yet)` : `${one.id} (newest check ${age} s ago)`
  })
  return { state, reason: `Monitors are due, but no checks are stored of: ${ages.join(", ")}`, details }
}

/** `limit`: how many late monitors were looked at. */
export const monitorsFinding = ({ overdue, unseen }: Judgement<unknown>, limit: number): Finding => {
  const count = overdue.length + unseen.length
  const details = { overdue: overdue.length, withoutProbe: unseen.length }
  if (count === 0) return { ...fine, details }
  const number = count >= limit ? `${limit} or more monitors are` : counted(count, "monitor is", "monitors are")
  return { state: "degraded", reason: `${number} overdue for a check`, details }
}
