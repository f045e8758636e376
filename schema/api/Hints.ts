/** Annotations of operations that surfaces use. */
import { Context } from "effect"

/** Whether the operation calls an external system, such as a monitored target or a channel's receiver. */
export class ReachesOut extends Context.Reference<ReachesOut>()("belltower/ReachesOut", {
  defaultValue: () => false
}) {}

/**
 * Whether the operation ends when its caller leaves. Other changes finish without their caller; this is for work that holds
 * resources while it waits and changes nothing until it has its answer. It learns of the departure from `CallerLeft`.
 */
export class EndsWithCaller extends Context.Reference<EndsWithCaller>()("belltower/EndsWithCaller", {
  defaultValue: () => false
}) {}
