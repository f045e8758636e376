/**
 * Gives an effect further services, or another value of a fiber's reference. `Effect.provide` and `Effect.locally` do the same in 25
 * steps of the runtime, which a request would take for each of its guards.
 */
import { Context, Effect, FiberRef } from "effect"

/** Runs an effect with a reference changed, and restores it, however the effect ends; then calls `after`. */
export const withReference = <Value, A, E, R>(
  effect: Effect.Effect<A, E, R>,
  reference: FiberRef.FiberRef<Value>,
  change: (before: Value) => Value,
  after: () => void = () => {}
): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.withFiberRuntime<A, E, R>((fiber) => {
      const before = fiber.getFiberRef(reference)
      const reset = FiberRef.set(reference, before)
      const done = Effect.matchCauseEffect(restore(effect), {
        onFailure: (cause) => {
          after()
          return Effect.flatMap(reset, () => Effect.failCause(cause))
        },
        onSuccess: (value) => {
          after()
          return Effect.as(reset, value)
        }
      })
      return Effect.flatMap(FiberRef.set(reference, change(before)), () => done)
    })
  )

/**
 * Runs an effect with services beside those of its fiber, which the fiber keeps afterwards: for requests, whose fiber ends soon after,
 * or is inside a call that restores what it changed.
 */
export function keepingServices<A, E, R, Added>(
  effect: Effect.Effect<A, E, R>,
  services: Context.Context<Added>
): Effect.Effect<A, E, Exclude<R, Added>>
export function keepingServices<A, E, R>(
  effect: Effect.Effect<A, E, R>,
  services: Context.Context<never>
): Effect.Effect<A, E, R> {
  return Effect.withFiberRuntime(({ currentContext }) =>
    Effect.flatMap(FiberRef.set(FiberRef.currentContext, Context.merge(currentContext, services)), () => effect)
  )
}
