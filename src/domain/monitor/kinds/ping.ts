/** The domain rules of ping monitors. */
import { Either } from "effect"
import type { PingTarget } from "../../../../schema/monitor/kinds/ping.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { Refusal } from "../../Refusal.ts"
import { type MonitorKindSpec, orBefore } from "../MonitorKindSpec.ts"
import { hostRefusal, hostTexts, missingSetting } from "../settings/HostSettings.ts"

const settle = (input: MonitorUpdate, base: PingTarget | null): Either.Either<PingTarget, Refusal> => {
  const host = input.host ?? base?.host
  if (host === undefined) return Either.left(missingSetting("host", "ping"))
  const refused = hostRefusal(host)
  return refused !== null ? Either.left(refused) : Either.right({
    kind: "ping",
    host,
    degradedAfterMs: orBefore(input.degradedAfterMs, base?.degradedAfterMs)
  })
}

export const ping: MonitorKindSpec<"ping"> = {
  settle,
  masked: (target) => target,
  confidentialTexts: ({ host }) => hostTexts(host, null)
}
