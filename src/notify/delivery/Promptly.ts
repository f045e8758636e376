/** The work between a claim and its request: it takes so little that the lease lasts, unless the process or the database stands still. */
import { Duration, Effect, Option } from "effect"
import { Answer } from "../../domain/alert/DeliveryVerdict.ts"

/** An attempt begins 15 s before the end of its lease, at the latest, and lasts 10 s. */
const patience = Duration.seconds(2)

/** After a wait that may have outlived the lease: another process may be sending the same page. */
export const stoodStill = Answer.Unanswered({ reason: "Nothing was sent, because the server stood still before it" })

/** None if it took so long that the attempt may not begin any more. */
export const promptly = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
  Effect.map(Effect.timed(work), ([took, value]) => Duration.greaterThan(took, patience) ? Option.none() : Option.some(value))
