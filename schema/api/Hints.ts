/** What an operation does besides reading and writing the database, and how it ends. */
import { Context } from "effect"

/**
 * Whether the operation calls an external system, such as a monitored target or a channel's receiver. Such a call cannot be
 * taken back, so the operation does not run in one transaction with its idempotent answer.
 */
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
