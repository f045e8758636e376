/** A check as it is kept: everything but its monitor, which many checks share, and its evidence, which few have. */
import type { Check, CheckSummary } from "../../../../schema/check/Check.ts"

export interface StoredCheck extends Omit<CheckSummary, "at">, Pick<Check, "counted" | "timings"> {
  /** Milliseconds since 1970. */
  readonly at: number
  /** The id of the check that this one repeats, or "quota"; null if no evidence was left out. */
  readonly omitted: string | null
}

/** Newest first; of the same time, the id that was made last. */
export const newestFirst = (one: StoredCheck, other: StoredCheck): number =>
  other.at - one.at || (one.id < other.id ? 1 : one.id > other.id ? -1 : 0)
