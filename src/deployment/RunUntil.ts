/** Runs the layers of a process until it is stopped or gives up. A stop always ends. */
import { Cause, type Context, Deferred, Duration, Effect, Exit, Layer, Option, Scope } from "effect"
import { RunnerStuck } from "../../cluster/RunnerStuck.ts"
import { Draining, type DrainState } from "../http/server/Draining.ts"

/** The time of an api, s: more than most load balancers wait between two requests of `/readyz`. */
export const usualDrainSec = 5

const signals = ["SIGTERM", "SIGINT"] as const

/** Completes at the next signal to stop. The listeners of the first one are gone by then. */
const nextSignal = Effect.async<void>((resume) => {
  const stop = () => resume(Effect.void)
  for (const signal of signals) process.on(signal, stop)
  return Effect.sync(() => signals.forEach((signal) => process.off(signal, stop)))
})

/** Reports not ready and goes on serving for so many seconds, or until a second signal. */
const draining = (state: DrainState, seconds: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    state.isDraining = true
    if (seconds === 0) return Effect.void
    return Effect.zipRight(
      Effect.logInfo(`Stopping in ${seconds} s, so that load balancers notice; a second signal ends the wait`),
      // The fiber is interrupted already: in an interruptible region of its own, it would not wait at all.
      Effect.timeoutOption(Effect.interruptible(nextSignal), Duration.seconds(seconds))
    )
  })

/** How long closing may take, whatever hangs in it. A runner that gives up must not keep its shards. */
const limits = { stopped: "15 seconds", stuck: "5 seconds" } as const

/** The fiber that closes is interrupted already, so the work and the limit have fibers of their own. */
const closeWithin = Effect.fn("RunUntil.closeWithin")(function*(limit: Duration.DurationInput, close: Effect.Effect<void>) {
  const isClosed = yield* Deferred.make<boolean>()
  yield* Effect.forkDaemon(Effect.ensuring(Effect.interruptible(close), Deferred.succeed(isClosed, true)))
  yield* Effect.forkDaemon(Effect.zipRight(Effect.interruptible(Effect.sleep(limit)), Deferred.succeed(isClosed, false)))
  if (!(yield* Deferred.await(isClosed))) yield* Effect.logWarning(`Stopped before everything was closed, after ${limit}`)
})

/** Until `end` fails, or a signal interrupts; then it drains for `drainSec` seconds. A runner that gives up does not. */
export const runUntil = <A, E, E2>(
  drainSec: number,
  layer: Layer.Layer<A, E>,
  end: (context: Context.Context<A>) => Effect.Effect<never, E2>
) => {
  const drain: DrainState = { isDraining: false }
  return Effect.acquireUseRelease(
    Scope.make(),
    (scope) =>
      Layer.buildWithScope(Layer.provide(layer, Layer.succeed(Draining, drain)), scope).pipe(
        Effect.flatMap(end),
        Effect.tapError((error) => error instanceof RunnerStuck ? Effect.logError(error.message) : Effect.void),
        // A part that is being built may not let itself be interrupted.
        Effect.disconnect
      ),
    (scope, exit) => {
      const isInterrupted = Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause)
      const isStuck = Exit.isFailure(exit) &&
        Option.exists(Cause.failureOption(exit.cause), (error) => error instanceof RunnerStuck)
      const close = closeWithin(isStuck ? limits.stuck : limits.stopped, Scope.close(scope, exit))
      return isInterrupted ? Effect.zipRight(draining(drain, drainSec), close) : close
    }
  )
}
