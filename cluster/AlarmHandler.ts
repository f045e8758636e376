/** How the alarms of one kind of actor are handled. */
import type { Effect } from "effect"
import type { Alarm } from "../src/store/Alarms.ts"

export interface AlarmHandler {
  /** Settles in bulk the alarms that need no actor, and returns the others. */
  readonly settleInBulk: (due: ReadonlyArray<Alarm>) => Effect.Effect<ReadonlyArray<Alarm>>
  /** Wakes the actor, which arms its next alarm or removes this one before it answers. */
  readonly wake: (alarm: Alarm) => Effect.Effect<void, unknown>
}
