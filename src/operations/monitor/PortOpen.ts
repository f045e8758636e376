/** Completes once this process accepts connections; from then on it can receive pings. */
import { Context, Effect } from "effect"

/** Complete by default, for whatever takes pings without a server. */
export class PortOpen extends Context.Reference<PortOpen>()("belltower/PortOpen", {
  defaultValue: (): Effect.Effect<void> => Effect.void
}) {}
