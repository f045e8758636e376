/** Serves the whole interface on one address and shuts down gracefully. */
import { HttpApi, HttpApiBuilder } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Context, Effect, Layer } from "effect"
import { type DashboardNeeds, makeDashboardRoutes } from "../dashboard/frame/DashboardApp.ts"
import * as DocsRoutes from "../docs/DocsRoutes.ts"
import { NameServers } from "../egress/DomainRecords.ts"
import { Ai } from "../external/ai/AiProvider.ts"
import { type GuardNeeds, makeGuards } from "../http/guard/Guards.ts"
import { operationAnswers } from "../http/guard/OperationAnswers.ts"
import * as OpenApiDocument from "../http/openapi/OpenApiDocument.ts"
import { makeApplication } from "../http/server/Application.ts"
import * as Health from "../http/server/Health.ts"
import type { CannotListen } from "../http/server/ListeningServer.ts"
import { readByAllRoutes, serveApp, ServerAddress, type ServerOptions } from "../http/server/ServeApp.ts"
import { makeMcpRoutes } from "../mcp/McpRoutes.ts"
import type { McpSettings } from "../mcp/McpSettings.ts"
import { ChannelAddresses } from "../notify/alert/ChannelAddresses.ts"
import { DirectMail } from "../notify/mail/DirectMail.ts"
import { McpSessions } from "../operations/access/McpSessions.ts"
import type { WatchAccess } from "../operations/access/WatchAccess.ts"
import { FollowEvents } from "../operations/event/FollowEvents.ts"
import type { StreamTokens } from "../operations/event/StreamTokens.ts"
import { ImportAddresses } from "../operations/import/ReadSource.ts"
import { EndVisits } from "../pages/LiveVisitors.ts"
import { PageReader } from "../pages/PageReader.ts"
import * as StreamRoute from "../sse/StreamRoute.ts"

/** All that routes read from the context while they run; they get everything else when they are built. */
const readWhileRunning = Context.pick(
  ...readByAllRoutes,
  PageReader,
  Ai,
  ChannelAddresses,
  DirectMail,
  ImportAddresses,
  NameServers
)

const serve = Effect.fn("Server.serve")(function*(options: ServerOptions) {
  // Adds the API's endpoint groups to the router.
  yield* HttpApi.Api
  const following = yield* FollowEvents
  const sessions = yield* McpSessions
  const mcp = yield* makeMcpRoutes(sessions)
  const dashboard = yield* makeDashboardRoutes
  const app = yield* makeApplication(operationAnswers(yield* makeGuards), (inner) => [...mcp(inner), ...dashboard(inner)])
  const endVisits = yield* EndVisits
  const ai = yield* Ai
  const endTexts = ai?.close ?? Effect.void
  const endStreams = Effect.all([following.close, sessions.closeAll, endVisits, endTexts], { discard: true })
  return yield* serveApp(options, { app, endStreams, reads: readWhileRunning })
})

type Needs = DashboardNeeds | HttpApi.Api | FollowEvents | GuardNeeds | McpSessions | McpSettings | StreamTokens | WatchAccess

/** Serves every route on the router: the API's endpoint groups, the routes provided here, and those that other layers add. */
export const layer = (options: ServerOptions): Layer.Layer<ServerAddress, CannotListen, Needs> =>
  Layer.scoped(ServerAddress, serve(options)).pipe(
    Layer.provide([Health.layer(options.health), OpenApiDocument.layer, DocsRoutes.layer, StreamRoute.layer]),
    Layer.provide(OpenApiDocument.Document.layer),
    Layer.provide([HttpApiBuilder.Router.Live, NodeHttpServer.layerContext])
  )
