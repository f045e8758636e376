/** The monitor actors awake on this runner: a check that changes no state is taken in at once, without a message. */
import { Context, Layer } from "effect"
import type { Observation } from "../../schema/monitor/Machine.ts"
import type { Observed } from "./MonitorProtocol.ts"

/**
 * Takes a check in as the actor's `Observe` would, or does nothing and answers null: when the check changes the state, when
 * the actor is at work on a message, or when it has not had one for so long that it needs one to stay awake.
 */
export type TakeIn = (check: Observation, now: number) => Observed | null

/** A message through the cluster costs ten times what most checks need of their actor. */
export class AwakeActors extends Context.Tag("belltower/AwakeActors")<AwakeActors, {
  readonly enter: (entityId: string, takeIn: TakeIn) => void
  /** Takes the actor out, unless its successor is there already. */
  readonly leave: (entityId: string, takeIn: TakeIn) => void
  /** Null where the actor is to be asked: it is not here, or would not take the check in. */
  readonly takeIn: (entityId: string, check: Observation, now: number) => Observed | null
}>() {
  static readonly layer: Layer.Layer<AwakeActors> = Layer.sync(AwakeActors, () => {
    const actors = new Map<string, TakeIn>()
    return {
      enter: (entityId, takeIn) => void actors.set(entityId, takeIn),
      leave: (entityId, takeIn) => {
        if (actors.get(entityId) === takeIn) actors.delete(entityId)
      },
      takeIn: (entityId, check, now) => actors.get(entityId)?.(check, now) ?? null
    }
  })
}
