/** The state of one check, from the moment it is due. A monitor has one check at a time, so it reuses the record. */

import type { LanePlace } from "../domain/tools/Lanes.ts"

export interface CheckRun extends LanePlace {
  /** The check slot, and when it was due (ms since 1970). */
  slot: number
  /** Which repetition of the slot's check it is; 0 for the check itself. */
  attempt: number
  due: number
  /** The earliest time it could start with a free slot: later than `due` only if the host's rate limit delayed it. */
  ready: number
  /** Start time (ms since 1970). */
  at: number
  /** Its start in the order of what the uplink has seen. */
  moment: number
  /** Start time on the scheduler's monotonic clock (ms). */
  begun: number
  /** The step of its lane's queue at which it was queued. */
  step: number
  /** It is a repeat, because the machine stood still during the first attempt. */
  again: boolean
  /** Number of the run: late callbacks from an abandoned run are ignored. */
  generation: number
  giveUp: (() => void) | null
  /** Its index among the running checks. */
  place: number
  /** Cancels its lease; only slow checks have one. */
  endLease: (() => void) | null
}

export const newCheckRun = (): CheckRun => ({
  stage: "idle",
  lane: "fast",
  slot: 0,
  attempt: 0,
  due: 0,
  ready: 0,
  at: 0,
  moment: 0,
  begun: 0,
  step: 0,
  moving: false,
  again: false,
  generation: 0,
  giveUp: null,
  place: 0,
  endLease: null
})
