/** How the alarms of one kind of actor are handled. */
import type { Effect } from "effect"
import type { Alarm } from "../src/store/Alarms.ts"

export interface AlarmHandler {
  /** Settles in bulk the alarms that need no actor, and returns the others. */
  readonly settleInBulk: (due: ReadonlyArray<Alarm>) => Effect.Effect<ReadonlyArray<Alarm>>
  /**
   * Wakes the actor, which arms its next alarm or removes this one before it answers. It answers "locked" if somebody else held its
   * rows for too long: then nothing has happened, and it must be woken again.
   */
  readonly wake: (alarm: Alarm) => Effect.Effect<"locked" | void, unknown>
}
