/** The domain rules of tcp monitors. */
import { Either } from "effect"
import type { TcpTarget } from "../../../../schema/monitor/kinds/tcp.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { Refusal } from "../../Refusal.ts"
import { type MonitorKindSpec, orBefore } from "../MonitorKindSpec.ts"
import { assertionRefusal } from "../settings/AssertionSettings.ts"
import { hostTexts, settleEndpoint } from "../settings/HostSettings.ts"
import { settleTls, usesTls } from "../settings/TlsSettings.ts"

const settle = (input: MonitorUpdate, base: TcpTarget | null): Either.Either<TcpTarget, Refusal> =>
  Either.gen(function*() {
    const { host, port } = yield* settleEndpoint(input, base, "tcp")
    const assertions = input.assertions ?? base?.assertions ?? []
    const refused = assertionRefusal(assertions, "tcp", ["latency", "ssl_days"])
    if (refused !== null) return yield* Either.left(refused)
    const sslExpiryDays = orBefore(input.sslExpiryDays, base?.sslExpiryDays)
    const settings = yield* settleTls(input, base)
    const needsTls = sslExpiryDays !== null || usesTls(settings) || assertions.some(({ source }) => source === "ssl_days")
    const tls = input.tls ?? (needsTls || (base?.tls ?? false))
    if (needsTls && !tls) {
      return yield* Either.left({
        path: "tls",
        message: "sslExpiryDays, assertions on ssl_days, tlsCa and clientCertificate need a TLS connection",
        hint: "Set tls to true, or remove them"
      })
    }
    return {
      kind: "tcp",
      host,
      port,
      tls,
      degradedAfterMs: orBefore(input.degradedAfterMs, base?.degradedAfterMs),
      sslExpiryDays,
      assertions,
      ...settings
    }
  })

export const tcp: MonitorKindSpec<"tcp"> = {
  sealedFields: ["clientKey"],
  inferredFrom: [["host", "port"]],
  settle,
  masked: (target) => target,
  confidentialTexts: ({ host, port }) => hostTexts(host, port)
}
