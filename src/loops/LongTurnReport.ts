/** Logs the turns of the event loop that one operation or loop made too long. All long turns are counted. */
import { Effect, Queue } from "effect"
import { restartForever } from "./RestartForever.ts"
import { budgetMs, foundLongTurns } from "./TurnMeter.ts"

/** A name is logged at most once a minute. */
const logEvery = 60_000

export const reportLongTurns = Effect.gen(function*() {
  const clock = yield* Effect.clock
  const loggedAt = new Map<string, number>()
  const isTooSoon = (name: string, now: number): boolean => now - (loggedAt.get(name) ?? -logEvery) < logEvery

  const report = Effect.flatMap(Queue.take(foundLongTurns), ({ ms, name, ownMs }) => {
    const now = clock.unsafeCurrentTimeMillis()
    // The rest went to something that is not metered: starting, collecting garbage, or waiting for a busy machine's processor.
    if (ownMs < budgetMs || isTooSoon(name, now)) return Effect.void
    loggedAt.set(name, now)
    const taken = `${name} took ${Math.round(ownMs)} ms of it`
    return Effect.logWarning(`The event loop was held for ${Math.round(ms)} ms, above ${budgetMs} ms; ${taken}`)
  })
  yield* Effect.forkScoped(restartForever("The report of long turns", Effect.forever(report)))
})
