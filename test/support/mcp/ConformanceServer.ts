/** Our transport and sessions with the offer that the conformance suite expects, at /mcp of an address of its own. */
import { HttpRouter } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Context, Effect, Layer } from "effect"
import { enveloped } from "../../../src/http/server/Envelope.ts"
import { readByAllRoutes, serveApp, ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { BaseUrl } from "../../../src/links/BaseUrl.ts"
import { makeHostCheck } from "../../../src/mcp/protocol/Guard.ts"
import { beginsWithInitialize } from "../../../src/mcp/protocol/ProtocolVersion.ts"
import { type Entry, streamableHttp } from "../../../src/mcp/protocol/StreamableHttp.ts"
import { McpSessions } from "../../../src/operations/access/McpSessions.ts"
import { StreamSlots } from "../../../src/operations/event/StreamSlots.ts"
import { EndedMcpSessions } from "../../../src/store/access/EndedMcpSessions.ts"
import { Wakeups } from "../../../src/store/postgres/Wakeups.ts"
import { TestDatabase } from "../database/TestDatabase.ts"
import { testKeys } from "../program/TestInstallation.ts"
import { conformanceOffer } from "./ConformanceOffer.ts"

const baseUrl = "https://belltower.test"

const knownHost = makeHostCheck(baseUrl, [])

const conforming: Entry<never> = (request) =>
  Effect.as(knownHost(request), {
    caller: null,
    offer: conformanceOffer(!beginsWithInitialize(request.headers["mcp-protocol-version"] ?? "2025-11-25"))
  })

const serve = (entry: Entry<never>) =>
  Effect.gen(function*() {
    const { get, post, remove } = streamableHttp(entry, yield* McpSessions)
    const app = HttpRouter.toHttpApp(HttpRouter.fromIterable([
      HttpRouter.makeRoute("POST", "/mcp", enveloped(post)),
      HttpRouter.makeRoute("GET", "/mcp", enveloped(get)),
      HttpRouter.makeRoute("DELETE", "/mcp", enveloped(remove))
    ]))
    return yield* serveApp({ host: "127.0.0.1", port: 0 }, {
      app: Effect.orDie(yield* app),
      endStreams: Effect.void,
      reads: Context.pick(...readByAllRoutes)
    })
  })

/** A process that serves what `entry` offers, on the test's database. */
export const serverOffering = (entry: Entry<never>) =>
  Layer.scoped(ServerAddress, serve(entry)).pipe(
    Layer.provide(McpSessions.Default.pipe(Layer.provide([EndedMcpSessions.Default, StreamSlots.Default]))),
    Layer.provide(Wakeups.Default),
    Layer.provide([testKeys, Layer.succeed(BaseUrl, baseUrl), NodeHttpServer.layerContext])
  )

export const ConformanceServer = serverOffering(conforming).pipe(Layer.provide(TestDatabase), Layer.orDie)
