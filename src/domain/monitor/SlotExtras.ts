/** Finds checks of a replay beyond their slot's: repetitions that confirm a failure, and checks on demand that were applied. */
import type { Outcome } from "../../../schema/check/Check.ts"
import type { RegionId } from "../../../schema/check/Region.ts"
import type { StoredCheck } from "../check/history/StoredCheck.ts"

/** The further checks of regions in one slot that belong together. */
export interface Extras {
  readonly checks: ReadonlyArray<StoredCheck>
  /** Which repetition of the slot's check they are, from 1; null if a caller applied them. */
  readonly attempt: number | null
}

interface SlotPlan {
  /** The slot of an instant, ms, under the interval at which the checks were made. */
  readonly slotOf: (at: number) => number
  /** True if failed checks were repeated. */
  readonly confirms: boolean
  /** The longest time between the first and the last check of one round, ms. */
  readonly spread: number
}

/**
 * Takes the checks that counted, in order of their times. A region that reports again in a slot begins a group; the group ends with
 * the slot, with another check of one of its regions, or when it has lasted for too long. Only regions that saw a failure repeat
 * their check by themselves, so a group with any other region was applied.
 */
export const makeSlotExtras = ({ confirms, slotOf, spread }: SlotPlan) => {
  let slot = { number: Number.NaN, seen: new Map<RegionId, Outcome>(), attempts: 0 }
  let group: Array<StoredCheck> = []
  let repeats = true

  const end = (): Extras | null => {
    if (group.length === 0) return null
    const checks = group
    const attempt = confirms && repeats ? ++slot.attempts : null
    group = []
    repeats = true
    return { checks, attempt }
  }

  return {
    end,
    /** The group that ends before this check. */
    endBefore: ({ at, region }: StoredCheck): Extras | null => {
      const [first] = group
      if (first === undefined) return null
      const goes = slotOf(at) === slot.number && at - first.at <= spread && !group.some((one) => one.region === region)
      return goes ? null : end()
    },
    /** True if the check comes on top of its slot's: then it is kept for its group. */
    keep: (check: StoredCheck): boolean => {
      const number = slotOf(check.at)
      if (number !== slot.number) slot = { number, seen: new Map(), attempts: 0 }
      const before = slot.seen.get(check.region)
      // A good check ends the repetitions of its slot.
      if (before === undefined || before === "down") slot.seen.set(check.region, check.outcome)
      if (before === undefined) return false
      group.push(check)
      repeats = repeats && before === "down"
      return true
    }
  }
}
