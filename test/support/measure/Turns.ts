/** Counts the turns of the event loop that an effect leaves to others. */
import { Effect, Fiber } from "effect"

export const turnsDuring = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    let turns = 0
    const counting = yield* Effect.fork(Effect.forever(Effect.async<void>((resume) =>
      void setImmediate(() => {
        turns++
        resume(Effect.void)
      })
    )))
    const result = yield* effect
    yield* Fiber.interrupt(counting)
    return { result, turns }
  })
