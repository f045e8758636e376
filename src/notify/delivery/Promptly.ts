/** Work between the claim of a delivery and its request, which is given up if it took so long that the lease may end meanwhile. */
import { Duration, Effect, Option } from "effect"
import { Answer } from "../../domain/alert/DeliveryVerdict.ts"

/** The longest that it may take: an attempt begins at least 15 s before its lease ends, and lasts up to 10 s. */
const patience = Duration.seconds(2)

/** The answer if it took longer: another process may be sending the same page. */
export const stoodStill = Answer.Unanswered({ reason: "Nothing was sent, because the server stood still before it" })

/** None if it took so long that the attempt may not begin any more. */
export const promptly = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
  Effect.map(Effect.timed(work), ([took, value]) => Duration.greaterThan(took, patience) ? Option.none() : Option.some(value))
