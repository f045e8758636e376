/** Whether the process is about to stop: it still serves, and asks load balancers for no more. */
import { Context } from "effect"

export interface DrainState {
  isDraining: boolean
}

/** The state of the process; never draining by default. */
export class Draining extends Context.Reference<Draining>()("belltower/Draining", {
  defaultValue: (): Readonly<DrainState> => ({ isDraining: false })
}) {}
