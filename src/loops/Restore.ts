/** The type of the function that `Effect.uninterruptibleMask` passes. */
import type { Effect } from "effect"

export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
