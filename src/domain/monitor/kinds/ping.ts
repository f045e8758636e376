/** The domain rules of ping monitors. */
import { Either } from "effect"
import type { PingTarget } from "../../../../schema/monitor/kinds/ping.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { Refusal } from "../../Refusal.ts"
import type { MonitorKindSpec } from "../MonitorKindSpec.ts"
import { hostRefusal, hostTexts } from "../settings/HostSettings.ts"

const settle = (input: MonitorUpdate, base: PingTarget | null): Either.Either<PingTarget, Refusal> => {
  const host = input.host ?? base?.host
  if (host === undefined) return Either.left({ path: "host", message: "host is required for ping monitors" })
  const refused = hostRefusal(host)
  return refused !== null ? Either.left(refused) : Either.right({
    kind: "ping",
    host,
    degradedAfterMs: input.degradedAfterMs === undefined ? base?.degradedAfterMs ?? null : input.degradedAfterMs
  })
}

export const ping: MonitorKindSpec<"ping"> = {
  sealedFields: [],
  inferredFrom: [],
  settle,
  masked: (target) => target,
  confidentialTexts: ({ host }) => hostTexts(host, null),
  runsCode: false
}
