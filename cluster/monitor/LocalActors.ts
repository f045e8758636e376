/** The monitor actors that live on this runner: a check that changes no state reaches them by a plain call. */
import { Context, Layer } from "effect"
import type { Observation } from "../../schema/monitor/Machine.ts"
import type { Observed } from "./MonitorProtocol.ts"

/**
 * Takes in a check as the actor's `Observe` would, or does nothing and returns null: when the check changes the state, while
 * the actor works on a message, and when it needs a message to stay alive because its last one was long ago.
 */
export type TryObserve = (check: Observation, now: number) => Observed | null

/** A message through the cluster costs ten times what most checks need of their actor. */
export class LocalActors extends Context.Tag("belltower/LocalActors")<LocalActors, {
  readonly register: (entityId: string, tryObserve: TryObserve) => void
  /** Removes the actor, unless its successor has already registered. */
  readonly unregister: (entityId: string, tryObserve: TryObserve) => void
  /** Null when the check needs a message: the actor lives elsewhere or did not take it in. */
  readonly tryObserve: (entityId: string, check: Observation, now: number) => Observed | null
}>() {
  static readonly layer: Layer.Layer<LocalActors> = Layer.sync(LocalActors, () => {
    const actors = new Map<string, TryObserve>()
    return {
      register: (entityId, tryObserve) => void actors.set(entityId, tryObserve),
      unregister: (entityId, tryObserve) => {
        if (actors.get(entityId) === tryObserve) actors.delete(entityId)
      },
      tryObserve: (entityId, check, now) => actors.get(entityId)?.(check, now) ?? null
    }
  })
}
