/** The domain rules of domain monitors. */
import { Either } from "effect"
import { isIP } from "node:net"
import type { DomainTarget } from "../../../../schema/monitor/kinds/domain.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { Refusal } from "../../Refusal.ts"
import type { MonitorKindSpec } from "../MonitorKindSpec.ts"
import { hostTexts, lookupName, missingSetting } from "../settings/HostSettings.ts"

const isDomain = (host: string): boolean => {
  const name = lookupName(host)
  return name !== null && name.includes(".") && isIP(name) === 0
}

const settle = (input: MonitorUpdate, base: DomainTarget | null): Either.Either<DomainTarget, Refusal> => {
  const host = input.host ?? base?.host
  if (host === undefined) return Either.left(missingSetting("host", "domain"))
  if (!isDomain(host)) {
    return Either.left({
      path: "host",
      message: `"${host.slice(0, 100)}" is not a domain`,
      hint: "Give the domain as it is registered, for example example.com"
    })
  }
  return Either.right({ kind: "domain", host, expiryDays: input.expiryDays ?? base?.expiryDays ?? 30 })
}

export const domain: MonitorKindSpec<"domain"> = {
  settle,
  masked: (target) => target,
  confidentialTexts: ({ host }) => hostTexts(host, null),
  // A registration changes once a year, and registries limit how often they answer.
  pace: { usualSec: 21_600, leastSec: 3600 }
}
