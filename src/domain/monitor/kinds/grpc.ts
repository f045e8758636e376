/** The domain rules of grpc monitors. */
import { Either } from "effect"
import type { GrpcTarget } from "../../../../schema/monitor/kinds/grpc.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import { reservedRefusal } from "../../check/answer/RequestHeaders.ts"
import type { Refusal } from "../../Refusal.ts"
import { type MonitorKindSpec, orBefore } from "../MonitorKindSpec.ts"
import { hostTexts, settleEndpoint } from "../settings/HostSettings.ts"
import { settleTls, usesTls } from "../settings/TlsSettings.ts"

/** gRPC sets these itself. */
const reserved = /^(?:te|content-type|grpc-.*|:.*)$/i

const settle = (input: MonitorUpdate, base: GrpcTarget | null): Either.Either<GrpcTarget, Refusal> =>
  Either.gen(function*() {
    const { host, port } = yield* settleEndpoint(input, base, "grpc")
    const refused = reservedRefusal(input.headers, reserved, "gRPC")
    if (refused !== null) return yield* Either.left(refused)
    const sslExpiryDays = orBefore(input.sslExpiryDays, base?.sslExpiryDays)
    const tls = input.tls ?? base?.tls ?? true
    const settings = yield* settleTls(input, base)
    if (!tls && (sslExpiryDays !== null || usesTls(settings))) {
      return yield* Either.left({
        path: "tls",
        message: "sslExpiryDays, tlsCa and clientCertificate need a TLS connection",
        hint: "Set tls to true, or remove them"
      })
    }
    return {
      kind: "grpc",
      host,
      port,
      tls,
      service: input.service ?? base?.service ?? "",
      degradedAfterMs: orBefore(input.degradedAfterMs, base?.degradedAfterMs),
      sslExpiryDays,
      ...settings
    }
  })

export const grpc: MonitorKindSpec<"grpc"> = {
  sealedFields: ["headers", "clientKey"],
  settle,
  masked: (target) => target,
  confidentialTexts: ({ host, port }) => hostTexts(host, port)
}
