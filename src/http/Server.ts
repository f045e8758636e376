/** Serves the whole interface on one address, and goes down in order. */
import { HttpApi, HttpApiBuilder } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Context, Effect, Layer } from "effect"
import { mcpRoutes } from "../mcp/McpRoutes.ts"
import { makeSessions } from "../mcp/Sessions.ts"
import { LiveHub } from "../sse/LiveHub.ts"
import * as StreamRoute from "../sse/StreamRoute.ts"
import type { EventCursors } from "../store/EventCursors.ts"
import type { EventLog } from "../store/EventLog.ts"
import type { Keys } from "../store/Keys.ts"
import { type Application, makeApplication } from "./Application.ts"
import type { BaseUrl } from "./BaseUrl.ts"
import * as Health from "./Health.ts"
import { type CannotListen, makeListeningServer } from "./ListeningServer.ts"
import * as OpenApiDocument from "./OpenApiDocument.ts"
import { withResponseHeaders } from "./ResponseHeaders.ts"

export interface ServerOptions {
  readonly host: string
  /** 0 takes any that is free. */
  readonly port: number
  /** What /readyz asks. */
  readonly ready: ReadonlyArray<Health.Dependency>
}

/** Where the server listens, once it does. */
export class ServerAddress extends Context.Tag("belltower/ServerAddress")<ServerAddress, {
  readonly host: string
  readonly port: number
}>() {}

/** Serves an app until the scope closes; streams end at once then, requests have their grace. */
export const serveApp = (options: ServerOptions, app: Application, endStreams: Effect.Effect<void>) =>
  Effect.gen(function*() {
    const listening = yield* makeListeningServer
    const server = yield* listening.listen(options)
    yield* server.serve(withResponseHeaders(app))
    yield* Effect.addFinalizer(() => listening.drain(endStreams))
    const { address } = server
    return address._tag === "TcpAddress"
      ? { host: address.hostname, port: address.port }
      : yield* Effect.dieMessage("The server listens on no TCP address")
  })

const serve = (options: ServerOptions) =>
  Effect.gen(function*() {
    // The registry's groups are on the router from here on.
    yield* HttpApi.Api
    const hub = yield* LiveHub
    const sessions = yield* makeSessions
    const app = yield* makeApplication((interfaceApp) => mcpRoutes(interfaceApp, sessions))
    return yield* serveApp(options, app, Effect.zipRight(hub.close, sessions.closeAll))
  })

type Needs = HttpApi.Api | BaseUrl | Keys | EventCursors | EventLog | LiveHub

/** Serves every route that is on the router: the registry's groups, those of this folder, and whatever else was added. */
export const layer = (options: ServerOptions): Layer.Layer<ServerAddress, CannotListen, Needs> =>
  Layer.scoped(ServerAddress, serve(options)).pipe(
    Layer.provide([Health.layer(options.ready), OpenApiDocument.layer, StreamRoute.layer]),
    Layer.provide([HttpApiBuilder.Router.Live, NodeHttpServer.layerContext])
  )

