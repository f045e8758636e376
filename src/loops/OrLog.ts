/** Work that the rest does not depend on: a failure, or a defect, is logged. */
import { Effect } from "effect"

/** Null after a failure, which the log says of `what`. */
export const orLog = <A, E, R>(what: string, work: Effect.Effect<A, E, R>): Effect.Effect<A | null, never, R> =>
  Effect.catchAllCause(work, (cause) => Effect.as(Effect.logError(`${what} failed`, cause), null))
