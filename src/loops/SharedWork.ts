/** Does work once for all who ask for it, and keeps the result for as long as the object that it belongs to is in memory. */
import { Deferred, Effect, FiberId, FiberSet } from "effect"

/** At most `mostKeys` results are kept for an owner; then the oldest goes first. Work that fails is not kept. */
export const makeSharedWork = <Owner extends object, A, E = never>(mostKeys: number) =>
  Effect.map(FiberSet.makeRuntime<never>(), (run) => {
    const results = new WeakMap<Owner, Map<string, Deferred.Deferred<A, E>>>()

    /** The first caller starts the work, and all wait for it; it goes on if that caller leaves. */
    return (owner: Owner, key: string, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => {
        const known = results.get(owner) ?? new Map<string, Deferred.Deferred<A, E>>()
        results.set(owner, known)
        const before = known.get(key)
        if (before !== undefined) return Deferred.await(before)
        const [oldest] = known.keys()
        if (known.size >= mostKeys && oldest !== undefined) known.delete(oldest)
        const done = Deferred.unsafeMake<A, E>(FiberId.none)
        known.set(key, done)
        const forget = Effect.sync(() => known.delete(key))
        run(Effect.intoDeferred(Effect.tapErrorCause(work, () => forget), done))
        return Deferred.await(done)
      })
  })
