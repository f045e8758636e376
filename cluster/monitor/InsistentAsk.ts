/** Asks monitors until they have answered, since what they are asked about waits; but not for the sake of one that is broken. */
import { Cause, Effect, Option } from "effect"
import { makeOutage, reasonOf } from "../../src/loops/Outage.ts"
import { pace } from "../../src/loops/Persevere.ts"
import { Database } from "../../src/store/postgres/Database.ts"

/** An ask that takes longer is asked again: its runner may be gone. */
const askTimeout = "15 seconds"
/** A few failed asks are a runner that is being replaced. */
const tolerated = 10
/** An actor that broke so often in a row, which takes some three seconds, while the database was well: the fault is its own. */
const tries = 6
/** Those given up that are remembered. */
const mostGivenUp = 10_000

/** Answers none for an actor that is given up: all others wait behind it. It is told of once, and when it is well again. */
export type InsistentAsk = <A, E>(id: string, ask: Effect.Effect<A, E>) => Effect.Effect<Option.Option<A>>

export const makeInsistentAsk = Effect.gen(function*() {
  const { ping } = yield* Database
  const outage = makeOutage("Asking monitors", tolerated)
  const givenUp = new Set<string>()

  const giveUp = (id: string, reason: string) =>
    Effect.suspend(() => {
      if (givenUp.has(id) || givenUp.size >= mostGivenUp) return Effect.void
      givenUp.add(id)
      return Effect.logError(`Monitor ${id} cannot take its checks in; they are kept, but not counted: ${reason}`)
    })

  const worked = (id: string) =>
    Effect.zipRight(
      outage.worked,
      Effect.suspend(() => givenUp.delete(id) ? Effect.logInfo(`Monitor ${id} takes its checks in again`) : Effect.void)
    )

  const insist: InsistentAsk = <A, E>(id: string, ask: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      let broken = 0
      const most = givenUp.has(id) ? 1 : tries
      /** A defect is the actor's own, unless the database was away; a runner that is gone shows as a timeout. */
      const judge = (cause: Cause.Cause<E | Cause.TimeoutException>) =>
        Effect.flatMap(Effect.isSuccess(ping), (isWell): Effect.Effect<Option.Option<A>, string> => {
          const reason = reasonOf(Cause.squash(cause))
          broken = isWell && Cause.isDie(cause) ? broken + 1 : 0
          return broken < most ? Effect.fail(reason) : Effect.as(giveUp(id, reason), Option.none())
        })
      return ask.pipe(
        Effect.timeout(askTimeout),
        Effect.tap(worked(id)),
        Effect.map(Option.some),
        Effect.sandbox,
        Effect.catchAll(judge),
        Effect.tapError(outage.failed),
        Effect.retry(pace),
        Effect.orDie
      )
    })
  return insist
})
