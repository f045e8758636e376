/** Which failed checks keep evidence: the first ten, each new kind, and ever fewer repetitions, within the workspace's quota. */
import type { CheckResult } from "../../../../schema/check/Bus.ts"
import type { CheckId } from "../../../../schema/Ids.ts"

type Seen = Pick<CheckResult, "outcome" | "cause" | "statusCode" | "error">

/** Successive checks that were not up, as one worker saw them. */
export interface FailureStreak {
  /** The kind of failure: checks of the same kind show the same evidence. */
  readonly failure: string
  /** Checks with this failure since it last changed. */
  readonly repeats: number
  readonly changes: number
  readonly length: number
  /** The check whose evidence stands for the streak, and when it was made, ms since 1970. */
  readonly shownBy: { readonly checkId: CheckId; readonly at: number } | null
}

/** The highest `failureThreshold`: the check that takes a monitor down keeps its evidence. */
const deciding = 10

/** A failure that changes more often than this, such as two statuses in turn, is sampled like one that does not change. */
const mostChanges = 16

/** Evidence is kept for 30 days; a longer streak must not outlive its own, ms. */
const longestGap = 86_400_000

/** Measured values and quoted content differ at every check and say nothing about the kind of failure. */
const kindOf = (error: string): string => error.slice(0, 1000).replace(/"[^"]*"/g, "\"\"").replace(/\d+/g, "0")

const failureOf = ({ cause, error, outcome, statusCode }: Seen): string =>
  `${outcome} ${cause} ${statusCode} ${error === null ? "" : kindOf(error)}`

const noStreak: FailureStreak = { failure: "", repeats: 0, changes: 0, length: 0, shownBy: null }

export const nextStreak = (before: FailureStreak | null, seen: Seen): FailureStreak | null => {
  if (seen.outcome === "up") return null
  const failure = failureOf(seen)
  const { changes, length, repeats, shownBy } = before ?? noStreak
  const isChange = failure !== before?.failure
  return {
    failure,
    repeats: isChange ? 1 : repeats + 1,
    changes: isChange ? changes + 1 : changes,
    length: length + 1,
    shownBy
  }
}

/** After an edit of the monitor, the next failure shows something new whatever it is. */
export const afterEdit = (streak: FailureStreak | null): FailureStreak | null => streak === null ? null : noStreak

const isPowerOfTwo = (count: number): boolean => Number.isInteger(Math.log2(count))

/** True if the latest check of a streak keeps its evidence; `at` is its time, ms since 1970. */
export const keepsEvidence = ({ changes, length, repeats, shownBy }: FailureStreak, at: number): boolean =>
  shownBy === null || length <= deciding || at - shownBy.at >= longestGap ||
  isPowerOfTwo(changes <= mostChanges ? repeats : length)

export const defaultEvidenceQuota = 50 * 1024 * 1024

/** For each size in order, whether it fits when `used` bytes of the quota are used; sizes that do not fit use it too. */
export const fitting = (sizes: ReadonlyArray<number>, used: number, quota: number): ReadonlyArray<boolean> => {
  let sum = used
  return sizes.map((size) => (sum += size) <= quota)
}
