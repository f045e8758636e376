/** The monitor actors that live on this runner: a check that changes no state reaches them by a plain call. */
import { Effect } from "effect"
import type { Observation } from "../../schema/monitor/Machine.ts"
import type { Observed } from "./MonitorProtocol.ts"

/** Takes in a check as the actor's `Observe` would; null if it needs a message, because it changes the state or the actor is busy. */
export type TryObserve = (check: Observation, now: number) => Observed | null

/** A message through the cluster costs ten times what most checks need of their actor. */
export class LocalActors extends Effect.Service<LocalActors>()("belltower/LocalActors", {
  sync: () => {
    const actors = new Map<string, TryObserve>()
    return {
      register: (entityId: string, tryObserve: TryObserve): void => void actors.set(entityId, tryObserve),
      /** Removes the actor, unless its successor has already registered. */
      unregister: (entityId: string, tryObserve: TryObserve): void => {
        if (actors.get(entityId) === tryObserve) actors.delete(entityId)
      },
      /** Null when the check needs a message: the actor lives elsewhere or did not take it in. */
      tryObserve: (entityId: string, check: Observation, now: number): Observed | null =>
        actors.get(entityId)?.(check, now) ?? null
    }
  }
}) {}
