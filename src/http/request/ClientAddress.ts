/** The client address of a request: that of the connection, or the one reported by a trusted proxy. */
import { type HttpApp, HttpServerRequest } from "@effect/platform"
import { Context, Effect, Option } from "effect"
import type { IncomingMessage } from "node:http"
import { clientBehind, clientNetwork, noProxies, type TrustedProxies } from "../../domain/access/TrustedProxies.ts"

/** The trusted proxies of the deployment; none by default. */
export class Proxies extends Context.Reference<Proxies>()("belltower/Proxies", {
  defaultValue: (): TrustedProxies => noProxies
}) {}

/** Makes `remoteAddress` trustworthy. `Forwarded` (RFC 7239) is ignored: proxies pass on what clients write there. */
export const fromClients = (trusted: TrustedProxies) => <E, R>(app: HttpApp.Default<E, R>): HttpApp.Default<E, R> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const forwarded = request.headers["x-forwarded-for"]
    if (forwarded === undefined || Option.isNone(request.remoteAddress)) return app
    const remoteAddress = clientBehind(trusted, request.remoteAddress.value, forwarded)
    return Effect.provideService(app, HttpServerRequest.HttpServerRequest, request.modify({ remoteAddress }))
  })

/** Identifies a caller without a key, for rate limits. */
export const clientAddress = (request: HttpServerRequest.HttpServerRequest): string =>
  Option.match(request.remoteAddress, { onNone: () => "unknown", onSome: clientNetwork })

/** The address of the client that sent a message; null where its connection is gone. */
export const addressBehind = (trusted: TrustedProxies, { headers, socket }: IncomingMessage): string | null => {
  const forwarded = headers["x-forwarded-for"]
  const peer = socket.remoteAddress ?? null
  return forwarded === undefined || peer === null ? peer : clientBehind(trusted, peer, String(forwarded))
}
