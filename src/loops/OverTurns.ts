/** Spreads long work over turns of the event loop, so that pending requests and timers run in between. */
import { Array, Effect } from "effect"

/** `Effect.yieldNow` lets other fibers run, but it stays within the turn. */
export const nextTurn: Effect.Effect<void> = Effect.async((resume) => void setImmediate(() => resume(Effect.void)))

/** Runs each step of the work in a turn of its own. */
export const overTurns = <A>(work: Iterator<void, A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const step = work.next()
    return step.done === true ? Effect.succeed(step.value) : Effect.zipRight(nextTurn, overTurns(work))
  })

/** The same, and how long the steps took, ms: about the CPU time of the work, since nothing else runs during a step. */
export const timedOverTurns = <A>(work: Iterator<void, A>): Effect.Effect<{ readonly result: A; readonly cpuMs: number }> =>
  Effect.clockWith((clock) => {
    let nanos = 0n
    const next = () => {
      const start = clock.unsafeCurrentTimeNanos()
      const step = work.next()
      nanos += clock.unsafeCurrentTimeNanos() - start
      return step
    }
    return Effect.map(overTurns({ next }), (result) => ({ result, cpuMs: Number(nanos) / 1e6 }))
  })

/** Runs an effect for each item in order, for at most `perTurn` of them in one turn. */
export const forEachOverTurns = <A, B, E, R>(
  items: ReadonlyArray<A>,
  perTurn: number,
  effect: (item: A) => Effect.Effect<B, E, R>
): Effect.Effect<ReadonlyArray<B>, E, R> =>
  Effect.map(
    Effect.forEach(
      Array.chunksOf(items, perTurn),
      (some, index) => Effect.zipRight(index === 0 ? Effect.void : nextTurn, Effect.forEach(some, effect))
    ),
    Array.flatten
  )
