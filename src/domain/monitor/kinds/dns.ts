/** The domain rules of dns monitors. */
import { Either } from "effect"
import { isIP } from "node:net"
import type { DnsTarget } from "../../../../schema/monitor/kinds/dns.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import { expectedProblem } from "../../check/answer/DnsVerdict.ts"
import type { Refusal } from "../../Refusal.ts"
import { type MonitorKindSpec, orBefore } from "../MonitorKindSpec.ts"
import { hostRefusal, hostTexts, lookupName, missingSetting } from "../settings/HostSettings.ts"

const nameRefusal = (host: string): Refusal | null =>
  isIP(lookupName(host) ?? "") !== 0
    ? {
      path: "host",
      message: `"${host}" is an address; DNS answers for names`,
      hint: "Set host to the name to look up, for example example.com"
    }
    : hostRefusal(host)

const resolverRefusal = (resolvers: ReadonlyArray<string>): Refusal | null => {
  const index = resolvers.findIndex((resolver) => lookupName(resolver) === null)
  return index === -1 ? null : {
    path: `resolvers.${index}`,
    message: `"${resolvers[index]}" is not an IP address or a host name`,
    hint: "Give it without a port, for example 1.1.1.1; port sets the port of all resolvers"
  }
}

const expectedRefusal = ({ expected, recordType }: Pick<DnsTarget, "expected" | "recordType">): Refusal | null => {
  for (const [index, value] of expected.entries()) {
    const message = expectedProblem(recordType, value)
    if (message !== null) return { path: `expected.${index}`, message }
  }
  return null
}

const settle = (input: MonitorUpdate, base: DnsTarget | null): Either.Either<DnsTarget, Refusal> => {
  const host = input.host ?? base?.host
  if (host === undefined) return Either.left(missingSetting("host", "dns"))
  const target: DnsTarget = {
    kind: "dns",
    host,
    port: input.port ?? base?.port ?? null,
    recordType: input.recordType ?? base?.recordType ?? "A",
    expected: input.expected ?? base?.expected ?? [],
    resolvers: [...new Set(input.resolvers ?? base?.resolvers ?? [])],
    degradedAfterMs: orBefore(input.degradedAfterMs, base?.degradedAfterMs)
  }
  const refused = nameRefusal(host) ?? resolverRefusal(target.resolvers) ?? expectedRefusal(target)
  return refused === null ? Either.right(target) : Either.left(refused)
}

export const dns: MonitorKindSpec<"dns"> = {
  settle,
  masked: (target) => target,
  confidentialTexts: ({ host, resolvers }) => [host, ...resolvers].flatMap((one) => hostTexts(one, null))
}
