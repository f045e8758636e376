/** The verdict of a round: what the regions that reported say together. */
import type { Outcome } from "../../../schema/check/Check.ts"
import type { Observation } from "../../../schema/monitor/Machine.ts"

/** What a round decided, and the check that stands for it. */
export interface Verdict {
  readonly outcome: Outcome
  readonly check: Observation
}

/**
 * Strictly more than half of the votes must say down, and a tie is not down; among the others likewise for degraded. A probe
 * that distrusts itself has reported, but has no vote. Null where nobody has one, and while the `missing` healthy regions that
 * have not reported could still turn the verdict: one lonely voice is no majority of three.
 */
export const vote = (reports: ReadonlyArray<Observation>, missing: number): Verdict | null => {
  const votes = reports.filter((check) => check.trusted)
  const [first] = votes
  if (first === undefined) return null
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
