/** Counts function calls: a measure of work that does not depend on how busy the machine is. */
import { Effect } from "effect"
import { type Profiler, Session } from "node:inspector"

const coverage = (session: Session) =>
  new Promise<ReadonlyArray<Profiler.ScriptCoverage>>((resolve, reject) =>
    session.post("Profiler.takePreciseCoverage", (error, { result }) => error === null ? resolve(result) : reject(error))
  )

/** A counter for as long as the scope lives. It counts every fiber of the process, so nothing else may run beside it. */
export const callCounter = Effect.gen(function*() {
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
  /** The calls of JavaScript functions that an effect makes. */
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<number, E, R> =>
    Effect.gen(function*() {
      yield* Effect.promise(() => coverage(session))
      yield* effect
      const scripts = yield* Effect.promise(() => coverage(session))
      return scripts.reduce(
        (sum, { functions }) => sum + functions.reduce((calls, one) => calls + (one.ranges[0]?.count ?? 0), 0),
        0
      )
    })
})
