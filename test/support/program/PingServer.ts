/** A server that accepts pings and nothing else, with its own runner. */
import { HttpApiBuilder } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Context, Effect, Layer, Option } from "effect"
import * as PingFastPath from "../../../src/http/monitor/PingFastPath.ts"
import { makeApplication } from "../../../src/http/server/Application.ts"
import { readByAllRoutes, serveApp, ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { BaseUrl } from "../../../src/links/BaseUrl.ts"
import { PublicCalls } from "../../../src/operations/access/PublicCalls.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { ManagePingKey } from "../../../src/operations/monitor/ManagePingKey.ts"
import { ReadMonitors } from "../../../src/operations/monitor/ReadMonitors.ts"
import { TakePings } from "../../../src/operations/monitor/TakePings.ts"
import { newWorkspace, TestRunner } from "./TestRunner.ts"

const serve = Effect.flatMap(
  makeApplication(Option.none),
  (app) => serveApp({ host: "127.0.0.1", port: 0 }, { app, endStreams: Effect.void, reads: Context.pick(...readByAllRoutes) })
)

/** The server over any ping handler. */
export const pingServer = Layer.scoped(ServerAddress, serve).pipe(
  Layer.provide(PingFastPath.layer),
  Layer.provide(PublicCalls.Default),
  Layer.provide([HttpApiBuilder.Router.Live, NodeHttpServer.layerContext]),
  Layer.provide(Layer.succeed(BaseUrl, "https://belltower.test"))
)

export const PingServer = pingServer.pipe(
  Layer.provide(ManagePingKey.Default),
  Layer.provideMerge(TakePings.Default),
  Layer.provideMerge(TestRunner)
)

/** A heartbeat monitor, its ping path, and the outcome, error and latency of each recorded ping. */
export const newHeartbeat = Effect.gen(function*() {
  const { id: workspaceId } = yield* newWorkspace
  const manage = yield* ManageMonitors
  const { history } = yield* ReadMonitors
  const { id, pingUrl } = yield* manage.create(workspaceId, { name: "Backup", periodSec: 600 })
  const path = new URL(pingUrl ?? "").pathname
  const checks = Effect.map(
    history(workspaceId, id, { outcome: null, before: null, since: null, limit: 500, evidence: false }),
    ({ data }) => data.map(({ error, latencyMs, outcome }) => [outcome, error, latencyMs])
  )
  return { workspaceId, id, path, token: path.split("/").at(-1) ?? "", checks }
})
