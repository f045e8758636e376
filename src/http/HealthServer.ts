/** Serves health and metrics alone, for processes with no interface of their own. */
import { HttpApiBuilder } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { makeApplication } from "./Application.ts"
import type { BaseUrl } from "./BaseUrl.ts"
import * as Health from "./Health.ts"
import { type CannotListen, makeListeningServer } from "./ListeningServer.ts"
import { withResponseHeaders } from "./ResponseHeaders.ts"
import { ServerAddress, type ServerOptions } from "./Server.ts"

const serve = (options: ServerOptions) =>
  Effect.gen(function*() {
    const app = yield* makeApplication()
    const listening = yield* makeListeningServer
    const server = yield* listening.listen(options)
    yield* server.serve(withResponseHeaders(app))
    yield* Effect.addFinalizer(() => listening.drain(Effect.void))
    const { address } = server
    return address._tag === "TcpAddress"
      ? { host: address.hostname, port: address.port }
      : yield* Effect.dieMessage("The server listens on no TCP address")
  })

/** /healthz, /readyz and /metrics. */
export const layer = (options: ServerOptions): Layer.Layer<ServerAddress, CannotListen, BaseUrl> =>
  Layer.scoped(ServerAddress, serve(options)).pipe(
    Layer.provide(Health.layer(options.ready)),
    Layer.provide([HttpApiBuilder.Router.Live, NodeHttpServer.layerContext])
  )
