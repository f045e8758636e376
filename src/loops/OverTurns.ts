/** Spreads long work over turns of the event loop, so that pending requests and timers run in between. */
import { Array, Effect } from "effect"

/** `Effect.yieldNow` lets other fibers run, but it stays within the turn. */
const nextTurn: Effect.Effect<void> = Effect.async((resume) => void setImmediate(() => resume(Effect.void)))

/** Runs each step of the work in a turn of its own. */
export const overTurns = <A>(work: Iterator<void, A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const step = work.next()
    return step.done === true ? Effect.succeed(step.value) : Effect.zipRight(nextTurn, overTurns(work))
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
