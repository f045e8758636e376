/** Logs the turns of the event loop that one operation or loop made too long. All long turns are counted. */
import { Effect, Queue } from "effect"
import { restartForever } from "./RestartForever.ts"
import { budgetMs, foundLongTurns } from "./TurnMeter.ts"

/** A name is logged at most once a minute. */
const logEvery = 60_000

/** Whether a name may be logged now, ms since 1970. */
const makePace = () => {
  const last = new Map<string, number>()
  return (name: string, now: number): boolean => {
    if (now - (last.get(name) ?? -logEvery) < logEvery) return false
    last.set(name, now)
    return true
  }
}

/** Logs long turns until the scope closes. */
export const reportLongTurns = Effect.gen(function*() {
  const pace = makePace()
  const clock = yield* Effect.clock
  const report = Effect.flatMap(Queue.take(foundLongTurns), ({ ms, name, ownMs }) => {
    // The rest went to something that is not metered: starting, collecting garbage, or waiting for a busy machine's processor.
    if (ownMs < budgetMs || !pace(name, clock.unsafeCurrentTimeMillis())) return Effect.void
    const taken = `${name} took ${Math.round(ownMs)} ms of it`
    return Effect.logWarning(`The event loop was held for ${Math.round(ms)} ms, above ${budgetMs} ms; ${taken}`)
  })
  yield* Effect.forkScoped(restartForever("The report of long turns", Effect.forever(report)))
})
