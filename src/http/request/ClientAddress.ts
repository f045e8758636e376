/** The client address of a request: that of the connection, or the one reported by a trusted proxy. */
import type { HttpServerRequest } from "@effect/platform"
import { Context, Option } from "effect"
import type { IncomingMessage } from "node:http"
import { clientBehind, clientNetwork, noProxies, type TrustedProxies } from "../../domain/access/TrustedProxies.ts"

/** The trusted proxies of the deployment; none by default. */
export class Proxies extends Context.Reference<Proxies>()("belltower/Proxies", {
  defaultValue: (): TrustedProxies => noProxies
}) {}

/** Identifies a caller without a key, for rate limits. */
export const clientAddress = (request: HttpServerRequest.HttpServerRequest): string =>
  Option.match(request.remoteAddress, { onNone: () => "unknown", onSome: clientNetwork })

/**
 * The address of the client that sent a message; null where its connection is gone. `Forwarded` (RFC 7239) is ignored: proxies pass on
 * what clients write there.
 */
export const addressBehind = (trusted: TrustedProxies, { headers, socket }: IncomingMessage): string | null => {
  const forwarded = headers["x-forwarded-for"]
  const peer = socket.remoteAddress ?? null
  return forwarded === undefined || peer === null ? peer : clientBehind(trusted, peer, String(forwarded))
}
