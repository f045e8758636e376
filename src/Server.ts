/** Serves the whole interface on one address and shuts down gracefully. */
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
import { reportLongTurns } from "./loops/LongTurnReport.ts"
import { makeMcpRoutes } from "./mcp/McpRoutes.ts"
import type { McpSettings } from "./mcp/McpSettings.ts"
import { McpSessions } from "./operations/access/McpSessions.ts"
import type { WatchAccess } from "./operations/access/WatchAccess.ts"
import { FollowEvents } from "./operations/event/FollowEvents.ts"
import * as StreamRoute from "./sse/StreamRoute.ts"

export interface ServerOptions {
  readonly host: string
  /** 0 selects any free port. */
  readonly port: number
  /** The dependencies that `/readyz` checks. */
  readonly ready: ReadonlyArray<Health.Dependency>
}

/** The address that the server listens on; available once it listens. */
export class ServerAddress extends Context.Tag("belltower/ServerAddress")<ServerAddress, {
  readonly host: string
  readonly port: number
}>() {}

/** Serves an app until the scope closes. Then streams end immediately, and requests get a grace period. */
export const serveApp = (options: ServerOptions, app: Application, endStreams: Effect.Effect<void>) =>
  Effect.gen(function*() {
    yield* reportLongTurns
    const listening = yield* makeListeningServer()
    const server = yield* listening.listen(options)
    const routed = yield* NodeHttpServer.makeHandler(fromClients(yield* Proxies)(withResponseHeaders(yield* BaseUrl)(app)))
    const lane = yield* FastLane
    yield* listening.serve((request, response) => void (lane(request, response) || routed(request, response)))
    yield* Effect.addFinalizer(() => listening.drain(endStreams))
    const { address } = server
    return address._tag === "TcpAddress"
      ? { host: address.hostname, port: address.port }
      : yield* Effect.dieMessage("The server is not listening on a TCP address")
  })

const serve = (options: ServerOptions) =>
  Effect.gen(function*() {
    // Adds the API's endpoint groups to the router.
    yield* HttpApi.Api
    const following = yield* FollowEvents
    const sessions = yield* McpSessions
    const app = yield* makeApplication(yield* makeGuards, yield* makeMcpRoutes(sessions))
    return yield* serveApp(options, app, Effect.zipRight(following.close, sessions.closeAll))
  })

type Needs = HttpApi.Api | FollowEvents | GuardNeeds | McpSessions | McpSettings | WatchAccess

/** Serves every route on the router: the API's endpoint groups, the routes provided here, and those that other layers add. */
export const layer = (options: ServerOptions): Layer.Layer<ServerAddress, CannotListen, Needs> =>
  Layer.scoped(ServerAddress, serve(options)).pipe(
    Layer.provide([Health.layer(options.ready), OpenApiDocument.layer, DocsRoutes.layer, StreamRoute.layer]),
    Layer.provide(OpenApiDocument.Document.layer),
    Layer.provide([HttpApiBuilder.Router.Live, NodeHttpServer.layerContext])
  )
