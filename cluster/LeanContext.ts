/** Keeps the services of a runner out of the cluster's messages, which copy whatever context they meet. */
import { Sharding } from "@effect/cluster"
import { Context, Effect, Layer } from "effect"

/**
 * Registers an entity with nothing in its context but the cluster. The cluster copies that context several times for each
 * actor and once for each message: with some thirty services in it, that was a third of a message's cost.
 */
export const registered = <E>(entity: Layer.Layer<never, E, Sharding.Sharding>): Layer.Layer<never, E, Sharding.Sharding> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const context = Context.make(Sharding.Sharding, yield* Sharding.Sharding)
    const scope = yield* Effect.scope
    yield* Layer.buildWithScope(entity, scope).pipe(Effect.mapInputContext((_: Context.Context<never>) => context))
  }))

/** Asks from here carry no context along. */
export const asking = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.mapInputContext(effect, (_: Context.Context<never>) => Context.empty())
