/** A look at a monitor's target, from the moment it is due: one per monitor at a time, so its record is used again. */

/** Quick looks do not wait behind those that last: each kind has slots of its own. */
export type Lane = "fast" | "slow"

/** `spread` waits for its host's limit, `waiting` for a slot of its lane. */
type Stage = "idle" | "spread" | "waiting" | "under_way"

export interface Look {
  stage: Stage
  lane: Lane
  /** The round it is made for, and when that began (ms since 1970). */
  slot: number
  due: number
  /** When it could have begun had a slot been free: later than `due` only where its host's limit delayed it. */
  ready: number
  /** When it began (ms since 1970). */
  at: number
  /** When it began, on the scheduler's own clock. */
  begun: number
  /** The step of its lane's queue at which it came to wait. */
  step: number
  /** It lasts for long and waits to be moved to the slow lane. */
  moving: boolean
  /** It was made again after the machine stood still. */
  again: boolean
  /** Counts looks: a probe that calls back after its look was given up is not heard. */
  run: number
  giveUp: (() => void) | null
  /** Its place among the looks under way. */
  place: number
  /** Cancels its lease, which only a look that lasts has. */
  endLease: (() => void) | null
}

export const newLook = (): Look => ({
  stage: "idle",
  lane: "fast",
  slot: 0,
  due: 0,
  ready: 0,
  at: 0,
  begun: 0,
  step: 0,
  moving: false,
  again: false,
  run: 0,
  giveUp: null,
  place: 0,
  endLease: null
})
