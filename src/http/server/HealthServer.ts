/** Serves only health and metrics, for processes without an API. */
import { HttpApiBuilder } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import type { BaseUrl } from "../../links/BaseUrl.ts"
import { serveApp, ServerAddress, type ServerOptions } from "../../Server.ts"
import { unguarded } from "../guard/Guards.ts"
import { makeApplication } from "./Application.ts"
import * as Health from "./Health.ts"
import type { CannotListen } from "./ListeningServer.ts"

export const layer = (options: ServerOptions): Layer.Layer<ServerAddress, CannotListen, BaseUrl> =>
  Layer.scoped(ServerAddress, Effect.flatMap(makeApplication(unguarded), (app) => serveApp(options, app, Effect.void))).pipe(
    Layer.provide(Health.layer(options.health)),
    Layer.provide([HttpApiBuilder.Router.Live, NodeHttpServer.layerContext])
  )
