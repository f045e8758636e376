/** Asks a monitor's actor until it answers, because the caller still holds the check; gives up on an actor that is broken. */
import { Cause, Data, Effect, Option, Predicate } from "effect"
import { makeOutage, reasonOf } from "../../src/loops/Outage.ts"
import { retryPace } from "../../src/loops/RetryForever.ts"
import { Database } from "../../src/store/postgres/connections/Database.ts"

/** An ask that takes longer is repeated: the actor's runner may be gone. */
const askTimeout = "15 seconds"
/** A few failed asks are normal while a runner is replaced. */
const tolerated = 10
/** An actor that died this often in a row (about three seconds) while the database answered is itself at fault. */
const tries = 6
const mostBroken = 10_000

/** The actor lives on another runner now, which receives the check, too. */
export class ActorElsewhere extends Data.TaggedError("ActorElsewhere") {}

export const makeRetryingAsk = Effect.gen(function*() {
  const { ping } = yield* Database
  const outage = makeOutage("Asking monitors", tolerated)
  const broken = new Set<string>()

  const giveUp = (id: string, reason: string) =>
    Effect.suspend(() => {
      if (broken.has(id) || broken.size >= mostBroken) return Effect.void
      broken.add(id)
      return Effect.logError(`Monitor ${id} cannot take in its checks; they are stored but not counted: ${reason}`)
    })

  const worked = (id: string) =>
    Effect.zipRight(
      outage.worked,
      Effect.suspend(() => broken.delete(id) ? Effect.logInfo(`Monitor ${id} takes in its checks again`) : Effect.void)
    )

  /** Returns none for a broken actor, because all other checks wait behind it. Fails when another runner hosts the actor. */
  return <A, E>(
    id: string,
    ask: Effect.Effect<A, E>,
    isElsewhere: () => boolean
  ): Effect.Effect<Option.Option<A>, ActorElsewhere> =>
    Effect.suspend(() => {
      let defects = 0
      const most = broken.has(id) ? 1 : tries
      /** A defect is the actor's own fault unless the database was away; a runner that is gone shows as a timeout. */
      const judge = (cause: Cause.Cause<E | Cause.TimeoutException>) =>
        Effect.flatMap(Effect.isSuccess(ping), (isWell): Effect.Effect<Option.Option<A>, string> => {
          const reason = reasonOf(Cause.squash(cause))
          defects = isWell && Cause.isDie(cause) ? defects + 1 : 0
          return defects < most ? Effect.fail(reason) : Effect.as(giveUp(id, reason), Option.none())
        })
      const attempt = ask.pipe(
        Effect.timeout(askTimeout),
        Effect.tap(worked(id)),
        Effect.map(Option.some),
        Effect.sandbox,
        Effect.catchAll(judge),
        Effect.tapError(outage.failed)
      )
      return Effect.suspend((): Effect.Effect<Option.Option<A>, string | ActorElsewhere> =>
        isElsewhere() ? new ActorElsewhere() : attempt
      ).pipe(
        Effect.retry({ schedule: retryPace, while: Predicate.isString }),
        Effect.catchIf(Predicate.isString, Effect.die)
      )
    })
})
