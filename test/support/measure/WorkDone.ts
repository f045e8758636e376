/** Counts function calls: a measure of work that does not depend on how busy the machine is. */
import { Effect } from "effect"
import { type Profiler, Session } from "node:inspector"

const coverage = (session: Session) =>
  new Promise<ReadonlyArray<Profiler.ScriptCoverage>>((resolve, reject) =>
    session.post("Profiler.takePreciseCoverage", (error, { result }) => error === null ? resolve(result) : reject(error))
  )

const callsIn = (scripts: ReadonlyArray<Profiler.ScriptCoverage>): number =>
  scripts.reduce((sum, { functions }) => sum + functions.reduce((calls, one) => calls + (one.ranges[0]?.count ?? 0), 0), 0)

/**
 * A counter of several effects for as long as the scope lives: the calls of JavaScript functions that each of them makes, one after
 * the other. It counts every fiber of the process, so nothing else may run beside it. To read it takes as long as many calls.
 */
export const callCounterOfEach = Effect.gen(function*() {
  const session = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const started = new Session()
      started.connect()
      started.post("Profiler.enable")
      started.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
      return started
    }),
    (started) => Effect.sync(() => started.disconnect())
  )
  // What is read begins again at nothing.
  const read = Effect.promise(() => coverage(session))
  return <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>): Effect.Effect<ReadonlyArray<number>, E, R> =>
    Effect.zipRight(read, Effect.forEach(effects, (effect) => Effect.map(Effect.zipRight(effect, read), callsIn)))
})

/** The same of one effect. */
export const callCounter = Effect.map(
  callCounterOfEach,
  (callsOfEach) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<number, E, R> =>
    Effect.map(callsOfEach([effect]), ([calls = 0]) => calls)
)
