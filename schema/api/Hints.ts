/** Annotations of operations that only agents ask for. */
import { Context } from "effect"

/** The operation makes a call to somewhere beyond this service: a checked target, a channel's receiver. */
export class ReachesOut extends Context.Reference<ReachesOut>()("belltower/ReachesOut", {
  defaultValue: () => false
}) {}
