/** The domain rules of grpc monitors. */
import { Either } from "effect"
import type { GrpcTarget } from "../../../../schema/monitor/kinds/grpc.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { Refusal } from "../../Refusal.ts"
import type { MonitorKindSpec } from "../MonitorKindSpec.ts"
import { hostRefusal, hostTexts } from "../settings/HostSettings.ts"

const missing = (path: "host" | "port"): Refusal => ({ path, message: `${path} is required for grpc monitors` })

/** gRPC sets these itself. */
const reserved = /^(?:te|content-type|grpc-.*|:.*)$/i

const settle = (input: MonitorUpdate, base: GrpcTarget | null): Either.Either<GrpcTarget, Refusal> =>
  Either.gen(function*() {
    const host = input.host ?? base?.host
    const port = input.port ?? base?.port
    if (host === undefined) return yield* Either.left(missing("host"))
    if (port === undefined) return yield* Either.left(missing("port"))
    const refusedHost = hostRefusal(host)
    if (refusedHost !== null) return yield* Either.left(refusedHost)
    const header = Object.keys(input.headers ?? {}).find((one) => reserved.test(one))
    if (header !== undefined) {
      return yield* Either.left({ path: `headers.${header}`, message: `The header ${header} is reserved: gRPC sets it` })
    }
    const sslExpiryDays = input.sslExpiryDays === undefined ? base?.sslExpiryDays ?? null : input.sslExpiryDays
    const tls = input.tls ?? base?.tls ?? true
    if (sslExpiryDays !== null && !tls) {
      return yield* Either.left({
        path: "tls",
        message: "sslExpiryDays needs a TLS connection",
        hint: "Set tls to true, or remove sslExpiryDays"
      })
    }
    return {
      kind: "grpc",
      host,
      port,
      tls,
      service: input.service ?? base?.service ?? "",
      degradedAfterMs: input.degradedAfterMs === undefined ? base?.degradedAfterMs ?? null : input.degradedAfterMs,
      sslExpiryDays
    }
  })

export const grpc: MonitorKindSpec<"grpc"> = {
  sealedFields: ["headers"],
  inferredFrom: [],
  settle,
  masked: (target) => target,
  confidentialTexts: ({ host, port }) => hostTexts(host, port),
  runsCode: false
}
