/** Serves the whole interface on one address and shuts down gracefully. */
import { Etag, FileSystem, HttpApi, HttpApiBuilder, HttpMiddleware, HttpPlatform, type HttpRouter, Path } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Context, Effect, Layer } from "effect"
import { type DashboardNeeds, makeDashboardRoutes } from "./dashboard/frame/DashboardApp.ts"
import * as DocsRoutes from "./docs/DocsRoutes.ts"
import { NameServers } from "./egress/DomainRecords.ts"
import { Ai } from "./external/ai/AiProvider.ts"
import { type GuardNeeds, makeGuards } from "./http/guard/Guards.ts"
import * as OpenApiDocument from "./http/openapi/OpenApiDocument.ts"
import { withPageHosts } from "./http/page/HostRouting.ts"
import { fromClients, Proxies } from "./http/request/ClientAddress.ts"
import { type Application, makeApplication } from "./http/server/Application.ts"
import { compressing } from "./http/server/Compression.ts"
import { Draining } from "./http/server/Draining.ts"
import { inFairTurns } from "./http/server/FairStarts.ts"
import { FastLane } from "./http/server/FastLane.ts"
import * as Health from "./http/server/Health.ts"
import type { HealthLooks } from "./http/server/HealthChecks.ts"
import { refusesHost } from "./http/server/HostHeader.ts"
import { type CannotListen, makeListeningServer } from "./http/server/ListeningServer.ts"
import { withResponseHeaders } from "./http/server/ResponseHeaders.ts"
import { BaseUrl } from "./links/BaseUrl.ts"
import { reportLongTurns } from "./loops/LongTurnReport.ts"
import { makeMcpRoutes } from "./mcp/McpRoutes.ts"
import type { McpSettings } from "./mcp/McpSettings.ts"
import { ChannelAddresses } from "./notify/alert/ChannelAddresses.ts"
import { DirectMail } from "./notify/mail/DirectMail.ts"
import { McpSessions } from "./operations/access/McpSessions.ts"
import type { WatchAccess } from "./operations/access/WatchAccess.ts"
import { FollowEvents } from "./operations/event/FollowEvents.ts"
import type { StreamTokens } from "./operations/event/StreamTokens.ts"
import { ImportAddresses } from "./operations/import/ReadSource.ts"
import { EndVisits } from "./pages/LiveVisitors.ts"
import { PageReader } from "./pages/PageReader.ts"
import * as StreamRoute from "./sse/StreamRoute.ts"

export interface ServerOptions {
  readonly host: string
  /** 0 selects any free port. */
  readonly port: number
  /** Answers `/health` and `/readyz`. */
  readonly health: HealthLooks
}

/** The address that the server listens on; available once it listens. */
export class ServerAddress extends Context.Tag("belltower/ServerAddress")<ServerAddress, {
  readonly host: string
  readonly port: number
}>() {}

/** All that routes read from the context while they run; they get everything else when they are built. */
const readWhileRunning = [
  HttpPlatform.HttpPlatform,
  FileSystem.FileSystem,
  Path.Path,
  Etag.Generator,
  PageReader,
  Ai,
  ChannelAddresses,
  DirectMail,
  ImportAddresses,
  NameServers
] as const

/** Serves an app until the scope closes. Then streams end immediately, and requests get a grace period. */
export const serveApp = Effect.fn("Server.serveApp")(
  function*(options: Pick<ServerOptions, "host" | "port">, app: Application, endStreams: Effect.Effect<void>) {
    yield* reportLongTurns
    const listening = yield* makeListeningServer()
    const server = yield* listening.listen(options)
    const hosted = yield* withPageHosts(app)
    const proxies = yield* Proxies
    const whole = fromClients(proxies)(withResponseHeaders(yield* BaseUrl)(compressing(hosted)))
    const routed = yield* NodeHttpServer.makeHandler(whole).pipe(
      // Each step of a request copies its context, so it holds only what routes read while they run.
      Effect.mapInputContext((context: Context.Context<HttpRouter.HttpRouter.DefaultServices>) =>
        Context.pick(...readWhileRunning)(context)
      ),
      // Spans of requests are made with their routes. Those of the library hold whole addresses and all headers.
      Effect.locally(HttpMiddleware.currentTracerDisabledWhen, () => true)
    )
    const health = yield* Health.makeHealthLane
    const lane = yield* FastLane
    const inTurns = inFairTurns(proxies, routed)
    const drain = yield* Draining
    yield* listening.serve((request, response) => {
      // Clients then open their next connection at another process, before this one closes theirs.
      if (drain.isDraining) response.shouldKeepAlive = false
      void (refusesHost(request, response) || health(request, response) || lane(request, response) || inTurns(request, response))
    })
    yield* Effect.addFinalizer(() => listening.drain(endStreams))
    const { address } = server
    return address._tag === "TcpAddress"
      ? { host: address.hostname, port: address.port }
      : yield* Effect.dieMessage("The server is not listening on a TCP address")
  }
)

const serve = Effect.fn("Server.serve")(function*(options: ServerOptions) {
  // Adds the API's endpoint groups to the router.
  yield* HttpApi.Api
  const following = yield* FollowEvents
  const sessions = yield* McpSessions
  const mcp = yield* makeMcpRoutes(sessions)
  const dashboard = yield* makeDashboardRoutes
  const app = yield* makeApplication(yield* makeGuards, (inner) => [...mcp(inner), ...dashboard(inner)])
  const endVisits = yield* EndVisits
  const ai = yield* Ai
  const endTexts = ai?.close ?? Effect.void
  return yield* serveApp(options, app, Effect.all([following.close, sessions.closeAll, endVisits, endTexts], { discard: true }))
})

type Needs = DashboardNeeds | HttpApi.Api | FollowEvents | GuardNeeds | McpSessions | McpSettings | StreamTokens | WatchAccess

/** Serves every route on the router: the API's endpoint groups, the routes provided here, and those that other layers add. */
export const layer = (options: ServerOptions): Layer.Layer<ServerAddress, CannotListen, Needs> =>
  Layer.scoped(ServerAddress, serve(options)).pipe(
    Layer.provide([Health.layer(options.health), OpenApiDocument.layer, DocsRoutes.layer, StreamRoute.layer]),
    Layer.provide(OpenApiDocument.Document.layer),
    Layer.provide([HttpApiBuilder.Router.Live, NodeHttpServer.layerContext])
  )
