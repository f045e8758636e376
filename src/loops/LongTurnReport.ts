/** Logs the turns of the event loop that took too long. */
import { Effect, Queue } from "effect"
import { makePace } from "../domain/LogPace.ts"
import { restartForever } from "./RestartForever.ts"
import { budgetMs, foundLongTurns } from "./TurnMeter.ts"

/** A name is logged at most once a minute. */
const logEvery = 60_000

/** Logs long turns until the scope closes. */
export const reportLongTurns = Effect.gen(function*() {
  const pace = makePace(logEvery)
  const clock = yield* Effect.clock
  const report = Effect.flatMap(Queue.take(foundLongTurns), ({ ms, name, ownMs }) => {
    if (!pace(name, clock.unsafeCurrentTimeMillis())) return Effect.void
    const taken = `${name} took ${Math.round(ownMs)} ms of it`
    return Effect.logWarning(`The event loop was held for ${Math.round(ms)} ms, above ${budgetMs} ms; ${taken}`)
  })
  yield* Effect.forkScoped(restartForever("The report of long turns", Effect.forever(report)))
})
