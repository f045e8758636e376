/** Operation annotations that only the MCP surface uses. */
import { Context } from "effect"

/** Whether the operation calls an external system, such as a monitored target or a channel's receiver. */
export class ReachesOut extends Context.Reference<ReachesOut>()("belltower/ReachesOut", {
  defaultValue: () => false
}) {}
