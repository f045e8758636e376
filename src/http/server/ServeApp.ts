/** Serves an app on one address, whatever its routes are, and shuts down gracefully. */
import { Etag, FileSystem, HttpPlatform, type HttpRouter, Path } from "@effect/platform"
import { Context, Effect, Option } from "effect"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { reportLongTurns } from "../../loops/LongTurnReport.ts"
import { withPageHosts } from "../page/HostRouting.ts"
import { addressBehind, Proxies } from "../request/ClientAddress.ts"
import type { Application } from "./Application.ts"
import { makeAppListener } from "./AppListener.ts"
import { compressing } from "./Compression.ts"
import { Draining } from "./Draining.ts"
import { inFairTurns } from "./FairStarts.ts"
import { FastPath } from "./FastPath.ts"
import * as Health from "./Health.ts"
import type { HealthLooks } from "./HealthChecks.ts"
import { refusesHost } from "./HostHeader.ts"
import { type ListenAddress, makeListeningServer } from "./ListeningServer.ts"
import { NodeRequest } from "./NodeRequest.ts"
import { requestContext, responseHeaders, withPreflights } from "./ResponseHeaders.ts"

export interface ServerOptions extends ListenAddress {
  /** Answers `/health` and `/readyz`. */
  readonly health: HealthLooks
}

/** The address that the server listens on; available once it listens. */
export class ServerAddress extends Context.Tag("belltower/ServerAddress")<ServerAddress, {
  readonly host: string
  readonly port: number
}>() {}

/** Services that the library itself reads from the context of a request. */
export const readByAllRoutes = [HttpPlatform.HttpPlatform, FileSystem.FileSystem, Path.Path, Etag.Generator] as const

type RouteContext = Context.Context<HttpRouter.HttpRouter.DefaultServices>

interface Served {
  readonly app: Application
  readonly endStreams: Effect.Effect<void>
  /** Picks what the routes read while they run. */
  readonly reads: (context: RouteContext) => RouteContext
}

/** Serves an app until the scope closes. Then streams end immediately, and requests get a grace period. */
export const serveApp = Effect.fn("ServeApp.serve")(
  function*(options: ListenAddress, { app, endStreams, reads }: Served) {
    yield* reportLongTurns
    const listening = yield* makeListeningServer()
    const server = yield* listening.listen(options)
    const hosted = yield* withPageHosts(app)
    const proxies = yield* Proxies
    const routed = yield* makeAppListener(withPreflights(compressing(hosted)), {
      requestOf: (message) => new NodeRequest(message, addressBehind(proxies, message)),
      given: ({ id, remoteAddress }) => requestContext(id, Option.getOrNull(remoteAddress)),
      headersOf: responseHeaders(yield* BaseUrl)
    }).pipe(
      // Each request copies this context, so it holds only what routes read while they run.
      Effect.mapInputContext(reads)
    )
    const health = yield* Health.makeHealthPath
    const fastPath = yield* FastPath
    const inTurns = inFairTurns(proxies, routed)
    const drain = yield* Draining
    yield* listening.serve((request, response) => {
      // Clients then open their next connection at another process, before this one closes theirs.
      if (drain.isDraining) response.shouldKeepAlive = false
      void (refusesHost(request, response) || health(request, response) || fastPath(request, response) ||
        inTurns(request, response))
    })
    yield* Effect.addFinalizer(() => listening.drain(endStreams))
    const { address } = server
    return address._tag === "TcpAddress"
      ? { host: address.hostname, port: address.port }
      : yield* Effect.dieMessage("The server is not listening on a TCP address")
  }
)
