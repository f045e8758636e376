/** How the alarms of one kind of actor are answered. */
import type { Effect } from "effect"
import type { Alarm } from "../src/store/Alarms.ts"

export interface Waker {
  /** Settles in bulk those that need no actor, and returns the others. */
  readonly sift: (due: ReadonlyArray<Alarm>) => Effect.Effect<ReadonlyArray<Alarm>>
  /** Asks the actor, which arms its next alarm or takes this one away before it answers. */
  readonly wake: (alarm: Alarm) => Effect.Effect<void, unknown>
}
