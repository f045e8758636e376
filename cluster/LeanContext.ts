/** Keeps the services of a runner out of the cluster's messages, which copy whatever context they meet. */
import { Sharding } from "@effect/cluster"
import { Context, Effect, identity, Layer, Scope } from "effect"

/**
 * Builds a layer, and closes it, with nothing in its context but what it asks for. The cluster copies its context several
 * times for each actor and once for each message: with some thirty services in it, that was a third of a message's cost.
 */
export const lean = <A, E, I, S>(
  layer: Layer.Layer<A, E, I>,
  wanted: ReadonlyArray<Context.Tag<I, S>>,
  atEnd: (close: Effect.Effect<void>) => Effect.Effect<void> = identity
): Layer.Layer<A, E, I> =>
  Layer.scopedContext(Effect.gen(function*() {
    const context = Context.pick(...wanted)(yield* Effect.context<I>())
    const alone = Effect.mapInputContext((_: Context.Context<never>) => context)
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope, exit) => atEnd(alone(Scope.close(scope, exit))))
    return yield* alone(Layer.buildWithScope(layer, scope))
  }))

/** Longer than a process lives on once its actors have been left. */
const leftFor = "5 seconds"

const leave = (close: Effect.Effect<void>): Effect.Effect<void> => Effect.asVoid(Effect.forkDaemon(Effect.delay(close, leftFor)))

/**
 * Registers an entity with nothing in its context but the cluster. At the end its actors are left, not closed: closing ten
 * thousand takes seconds of CPU before the process may end, and their rows are all that is to stay. Whoever waits for an answer
 * of one asks again.
 */
export const registered = <E>(entity: Layer.Layer<never, E, Sharding.Sharding>): Layer.Layer<never, E, Sharding.Sharding> =>
  lean(entity, [Sharding.Sharding], leave)

/** Asks from here carry no context along. */
export const asking = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.mapInputContext(effect, (_: Context.Context<never>) => Context.empty())
