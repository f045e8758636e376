/** The state of one check, from the moment it is due. A monitor has one check at a time, so it reuses the record. */
import type { LanePlace } from "../domain/tools/Lanes.ts"

export class CheckRun implements LanePlace {
  stage: LanePlace["stage"] = "idle"
  lane: LanePlace["lane"] = "fast"
  moving = false
  /** The check slot, and when it was due (ms since 1970). */
  slot = 0
  /** Which repetition of the slot's check it is; 0 for the check itself. */
  attempt = 0
  due = 0
  /** The earliest time it could start with a free slot: later than `due` only if the host's rate limit delayed it. */
  ready = 0
  /** Start time (ms since 1970). */
  at = 0
  /** Its start in the order of what the uplink has seen. */
  moment = 0
  /** Start time on the scheduler's monotonic clock (ms). */
  begun = 0
  /** The step of its lane's queue at which it was queued. */
  step = 0
  /** It is a repeat, because the machine stood still during the first attempt. */
  again = false
  /** Number of the run: late callbacks from an abandoned run are ignored. */
  generation = 0
  giveUp: (() => void) | null = null
  /** Its index among the running checks. */
  place = 0
  /** Cancels its lease; only slow checks have one. */
  endLease: (() => void) | null = null
}
