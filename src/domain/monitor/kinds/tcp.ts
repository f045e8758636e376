/** The domain rules of tcp monitors. */
import { Either } from "effect"
import type { TcpTarget } from "../../../../schema/monitor/kinds/tcp.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { Refusal } from "../../Refusal.ts"
import type { MonitorKindSpec } from "../MonitorKindSpec.ts"
import { assertionRefusal } from "../settings/AssertionSettings.ts"
import { hostRefusal, hostTexts } from "../settings/HostSettings.ts"

const missing = (path: "host" | "port"): Refusal => ({ path, message: `${path} is required for tcp monitors` })

const settle = (input: MonitorUpdate, base: TcpTarget | null): Either.Either<TcpTarget, Refusal> =>
  Either.gen(function*() {
    const host = input.host ?? base?.host
    const port = input.port ?? base?.port
    if (host === undefined) return yield* Either.left(missing("host"))
    if (port === undefined) return yield* Either.left(missing("port"))
    const refusedHost = hostRefusal(host)
    if (refusedHost !== null) return yield* Either.left(refusedHost)
    const assertions = input.assertions ?? base?.assertions ?? []
    const refused = assertionRefusal(assertions, "tcp", ["latency", "ssl_days"])
    if (refused !== null) return yield* Either.left(refused)
    const sslExpiryDays = input.sslExpiryDays === undefined ? base?.sslExpiryDays ?? null : input.sslExpiryDays
    const needsTls = sslExpiryDays !== null || assertions.some(({ source }) => source === "ssl_days")
    const tls = input.tls ?? (needsTls || (base?.tls ?? false))
    if (needsTls && !tls) {
      return yield* Either.left({
        path: "tls",
        message: "sslExpiryDays and assertions on ssl_days need a TLS connection",
        hint: "Set tls to true, or remove them"
      })
    }
    return {
      kind: "tcp",
      host,
      port,
      tls,
      degradedAfterMs: input.degradedAfterMs === undefined ? base?.degradedAfterMs ?? null : input.degradedAfterMs,
      sslExpiryDays,
      assertions
    }
  })

export const tcp: MonitorKindSpec<"tcp"> = {
  sealedFields: [],
  inferredFrom: ["host", "port"],
  settle,
  masked: (target) => target,
  confidentialTexts: ({ host, port }) => hostTexts(host, port),
  runsCode: false
}
