/** What an operation does besides reading and writing the database. */
import { Context } from "effect"

/**
 * Whether the operation calls an external system, such as a monitored target or a channel's receiver. Such a call cannot be
 * taken back, so the operation does not run in one transaction with its idempotent answer.
 */
export class ReachesOut extends Context.Reference<ReachesOut>()("belltower/ReachesOut", {
  defaultValue: () => false
}) {}
