/** Serves only health and metrics, for processes without an API. */
import { HttpApiBuilder } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Context, Effect, Layer, Option } from "effect"
import type { BaseUrl } from "../../links/BaseUrl.ts"
import { makeApplication } from "./Application.ts"
import * as Health from "./Health.ts"
import type { CannotListen } from "./ListeningServer.ts"
import { readByAllRoutes, serveApp, ServerAddress, type ServerOptions } from "./ServeApp.ts"

export const layer = (options: ServerOptions): Layer.Layer<ServerAddress, CannotListen, BaseUrl> =>
  Layer.scoped(
    ServerAddress,
    Effect.flatMap(makeApplication(Option.none), (app) =>
      serveApp(options, { app, endStreams: Effect.void, reads: Context.pick(...readByAllRoutes) }))
  ).pipe(
    Layer.provide(Health.layer(options.health)),
    Layer.provide([HttpApiBuilder.Router.Live, NodeHttpServer.layerContext])
  )
