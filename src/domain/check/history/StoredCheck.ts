/** A check as it is kept: everything but its monitor, which many checks share, and its evidence, which few have. */
import type { Cause, Outcome, Timings } from "../../../../schema/check/Check.ts"
import type { RegionId } from "../../../../schema/check/Region.ts"
import type { CheckId } from "../../../../schema/Ids.ts"

export interface StoredCheck {
  readonly id: CheckId
  /** Milliseconds since 1970. */
  readonly at: number
  readonly region: RegionId
  readonly outcome: Outcome
  readonly counted: boolean
  readonly statusCode: number | null
  readonly latencyMs: number | null
  readonly error: string | null
  readonly cause: Cause | null
  readonly timings: Timings | null
  readonly hasEvidence: boolean
  /** The id of the check that this one repeats, or "quota"; null if no evidence was left out. */
  readonly omitted: string | null
}

/** Newest first; checks of the same time in order of their ids. */
export const newestFirst = (one: StoredCheck, other: StoredCheck): number =>
  other.at - one.at || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)
