/** Keeps a runner's services out of the cluster: it copies the whole context for every actor and every message. */
import { Sharding } from "@effect/cluster"
import { Context, Effect, identity, Layer, Scope } from "effect"
import { sharingWakes } from "../src/loops/SharedWakes.ts"
import { backgroundContext, urgentContext } from "../src/loops/WorkPriority.ts"

/**
 * Builds a layer with only the `wanted` services and this priority in its context, which the cluster copies for every actor and message.
 * Its loops share their wake-ups with others.
 */
export const withMinimalContext = <A, E, I, S>(
  layer: Layer.Layer<A, E, I>,
  wanted: ReadonlyArray<Context.Tag<I, S>>,
  priority: Context.Context<never> = urgentContext,
  atEnd: (close: Effect.Effect<void>) => Effect.Effect<void> = identity
): Layer.Layer<A, E, I> =>
  Layer.scopedContext(Effect.gen(function*() {
    const context = Context.merge(Context.pick(...wanted)(yield* Effect.context<I>()), priority)
    const alone = Effect.mapInputContext((_: Context.Context<never>) => context)
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope, exit) => atEnd(alone(Scope.close(scope, exit))))
    return yield* sharingWakes(alone(Layer.buildWithScope(layer, scope)))
  }))

/** Longer than a process runs after its actors were abandoned. */
const abandonedFor = "5 seconds"

const abandon = (close: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.asVoid(Effect.forkDaemon(Effect.delay(close, abandonedFor)))

/** Registers an entity with only the cluster in its context. At shutdown its actors are abandoned: closing thousands takes seconds. */
export const registerEntity = <E>(entity: Layer.Layer<never, E, Sharding.Sharding>): Layer.Layer<never, E, Sharding.Sharding> =>
  withMinimalContext(entity, [Sharding.Sharding], backgroundContext, abandon)

/** The same for actors that share what `entity` looks up once. */
export const registerActors = <E, R>(entity: Effect.Effect<Layer.Layer<never, never, Sharding.Sharding>, E, R>) =>
  Layer.unwrapScoped(Effect.map(entity, registerEntity))
