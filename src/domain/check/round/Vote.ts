/** Combines the reports of a round's regions into one verdict. */
import type { Outcome } from "../../../../schema/check/Check.ts"
import type { Observation } from "../../../../schema/monitor/Machine.ts"

export interface RoundVerdict {
  readonly outcome: Outcome
  readonly check: Observation
}

/**
 * A round is down if strictly more than half of the votes are down, and degraded by the same majority of the others. A probe that fails
 * its self-check has no vote. Null without votes, or while the `missing` healthy regions could still change the verdict.
 */
export const vote = (reports: ReadonlyArray<Observation>, missing: number): RoundVerdict | null => {
  const votes = reports.every(({ trusted }) => trusted) ? reports : reports.filter((check) => check.trusted)
  const [first] = votes
  if (first === undefined) return null
  // Most rounds have one region.
  if (votes.length === 1 && missing === 0) return { outcome: first.outcome, check: first }
  const downs = votes.filter((check) => check.outcome === "down")
  const [down] = downs
  const all = votes.length + missing
  if (down !== undefined && downs.length * 2 > all) return { outcome: "down", check: down }
  if ((downs.length + missing) * 2 > all) return null
  const standing = votes.filter((check) => check.outcome !== "down")
  const slow = standing.filter((check) => check.outcome === "degraded")
  const [degraded] = slow
  if (degraded !== undefined && slow.length * 2 > standing.length) return { outcome: "degraded", check: degraded }
  const up = standing.find((check) => check.outcome === "up") ?? standing[0] ?? first
  return { outcome: "up", check: up }
}
