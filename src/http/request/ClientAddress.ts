/** Where a request comes from: the address of its connection, or the one that a trusted proxy tells. */
import { type HttpApp, HttpServerRequest } from "@effect/platform"
import { Context, Effect, Option } from "effect"
import ipaddr from "ipaddr.js"
import { clientBehind, noProxies, type TrustedProxies } from "../../domain/access/TrustedProxies.ts"

/** The proxies of the deployment; none unless a setting names them. */
export class Proxies extends Context.Reference<Proxies>()("belltower/Proxies", {
  defaultValue: (): TrustedProxies => noProxies
}) {}

/**
 * Gives every request the address of its client, once and for all surfaces: behind this, `remoteAddress` is to be believed.
 * `Forwarded` (RFC 7239) is not read: proxies pass on what a client writes there.
 */
export const fromClients = (trusted: TrustedProxies) => <E, R>(app: HttpApp.Default<E, R>): HttpApp.Default<E, R> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const told = request.headers["x-forwarded-for"]
    if (told === undefined || Option.isNone(request.remoteAddress)) return app
    const remoteAddress = clientBehind(trusted, request.remoteAddress.value, told)
    return Effect.provideService(app, HttpServerRequest.HttpServerRequest, request.modify({ remoteAddress }))
  })

/** An IPv6 customer has a whole /64 at hand, so that is one caller. */
const network = (address: ipaddr.IPv6): string => {
  const [a = 0, b = 0, c = 0, d = 0] = address.parts
  return `${[a, b, c, d].map((part) => part.toString(16)).join(":")}::/64`
}

const canonical = (text: string): string => {
  if (!ipaddr.isValid(text)) return text
  const address = ipaddr.process(text)
  return address instanceof ipaddr.IPv6 ? network(address) : address.toString()
}

/** Who a caller without a key is, for limits. */
export const clientAddress = (request: HttpServerRequest.HttpServerRequest): string =>
  Option.match(request.remoteAddress, { onNone: () => "unknown", onSome: canonical })
