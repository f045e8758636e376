/** Serves the whole interface on one address, and goes down in order. */
import { HttpApi, HttpApiBuilder } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Context, Effect, Layer } from "effect"
import * as DocsRoutes from "./docs/DocsRoutes.ts"
import { type GuardNeeds, makeGuards } from "./http/guard/Guards.ts"
import * as OpenApiDocument from "./http/openapi/OpenApiDocument.ts"
import { fromClients, Proxies } from "./http/request/ClientAddress.ts"
import { type Application, makeApplication } from "./http/server/Application.ts"
import { FastLane } from "./http/server/FastLane.ts"
import * as Health from "./http/server/Health.ts"
import { type CannotListen, makeListeningServer } from "./http/server/ListeningServer.ts"
import { withResponseHeaders } from "./http/server/ResponseHeaders.ts"
import { BaseUrl } from "./links/BaseUrl.ts"
import { makeMcpRoutes } from "./mcp/McpRoutes.ts"
import type { McpSettings } from "./mcp/McpSettings.ts"
import { McpSessions } from "./operations/access/McpSessions.ts"
import type { WatchAccess } from "./operations/access/WatchAccess.ts"
import { FollowEvents } from "./operations/event/FollowEvents.ts"
import * as StreamRoute from "./sse/StreamRoute.ts"

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
    const listening = yield* makeListeningServer()
    const server = yield* listening.listen(options)
    const routed = yield* NodeHttpServer.makeHandler(fromClients(yield* Proxies)(withResponseHeaders(yield* BaseUrl)(app)))
    const lane = yield* FastLane
    yield* listening.serve((request, response) => void (lane(request, response) || routed(request, response)))
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
    const following = yield* FollowEvents
    const sessions = yield* McpSessions
    const app = yield* makeApplication(yield* makeGuards, yield* makeMcpRoutes(sessions))
    return yield* serveApp(options, app, Effect.zipRight(following.close, sessions.closeAll))
  })

type Needs = HttpApi.Api | FollowEvents | GuardNeeds | McpSessions | McpSettings | WatchAccess

/** Serves every route that is on the router: the registry's groups, those of this folder, and whatever else was added. */
export const layer = (options: ServerOptions): Layer.Layer<ServerAddress, CannotListen, Needs> =>
  Layer.scoped(ServerAddress, serve(options)).pipe(
    Layer.provide([Health.layer(options.ready), OpenApiDocument.layer, DocsRoutes.layer, StreamRoute.layer]),
    Layer.provide(OpenApiDocument.Document.layer),
    Layer.provide([HttpApiBuilder.Router.Live, NodeHttpServer.layerContext])
  )
