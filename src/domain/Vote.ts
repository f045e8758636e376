/** The verdict of a round: what the regions that reported say together. */
import type { Outcome } from "../../schema/Check.ts"
import type { Sighting } from "../../schema/Machine.ts"

/** What a round decided, and the check that stands for it. */
export interface Verdict {
  readonly outcome: Outcome
  readonly check: Sighting
}

/**
 * Strictly more than half of the votes must say down, and a tie is not down; among the others likewise for degraded.
 * `expected` is the number of healthy regions that were to report: with fewer than half of them heard, the round decides
 * nothing, because one lonely voice is no majority of three.
 */
export const vote = (votes: ReadonlyArray<Sighting>, expected: number): Verdict | null => {
  const [first] = votes
  if (first === undefined || votes.length * 2 < expected) return null
  const downs = votes.filter((check) => check.outcome === "down")
  const [down] = downs
  if (down !== undefined && downs.length * 2 > votes.length) return { outcome: "down", check: down }
  const standing = votes.filter((check) => check.outcome !== "down")
  const slow = standing.filter((check) => check.outcome === "degraded")
  const [degraded] = slow
  if (degraded !== undefined && slow.length * 2 > standing.length) return { outcome: "degraded", check: degraded }
  const up = standing.find((check) => check.outcome === "up") ?? standing[0] ?? first
  return { outcome: "up", check: up }
}
