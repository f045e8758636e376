/** The headers of every response: CORS, content protection and the request id. */
import { HttpMiddleware, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Context, Effect } from "effect"
import { clientNetwork } from "../../domain/access/TrustedProxies.ts"
import { WorkOwner } from "../../loops/WorkPriority.ts"
import { CallOrigin } from "../../operations/access/CallOrigin.ts"
import type { NodeRequest } from "./NodeRequest.ts"
import { RequestId } from "./RequestId.ts"

type App<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>

const exposedHeaders = ["idempotent-replayed", "x-request-id", "retry-after", "mcp-session-id", "www-authenticate"]
const allowedHeaders = ["authorization", "content-type", "idempotency-key", "x-workspace"]
const daySec = 86_400

/** Answers the requests by which browsers ask beforehand. (Specification: Authentication, 12.) */
const corsOf = (headers: ReadonlyArray<string>) =>
  HttpMiddleware.cors({ allowedHeaders: headers, exposedHeaders, maxAge: daySec })(Effect.succeed(HttpServerResponse.empty()))

const apiPreflight = corsOf(allowedHeaders)
const mcpPreflight = corsOf([
  ...allowedHeaders,
  "mcp-session-id",
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
  "last-event-id"
])

/** The context of a request's fiber: its id and origin, and its work owner until the caller is known. */
export const requestContext = (requestId: string, address: string | null) =>
  Context.make(RequestId, requestId).pipe(
    Context.add(CallOrigin, { surface: "api", ip: address }),
    Context.add(WorkOwner, address === null ? null : clientNetwork(address))
  )

type Headers = Readonly<Record<string, string>>

/** For data responses: browsers must not run or render them as a page, whatever type they detect. */
export const protection: Headers = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'"
}

/** For scripts of other origins. */
const shared: Headers = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposedHeaders.join(",")
}

/** The headers of API responses that bypass the router, except those specific to the request. */
export const interfaceHeaders: Headers = { ...protection, ...shared }

/** For pages, which set further headers themselves. */
const pageProtection: Headers = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin"
}

/** HSTS for this service's host over https. Not for custom domains, whose owners decide. */
export const transport = (baseUrl: string) => {
  const { host, protocol } = new URL(baseUrl)
  const secure: Headers = protocol === "https:" ? { "strict-transport-security": "max-age=31536000" } : {}
  return (asked: string | undefined): Headers => (asked === host ? secure : {})
}

/** Paths that apps in browsers call to get access over OAuth. */
const ofOAuth =
  /^\/(?:oauth\/(?:token|register|revoke)|\.well-known\/oauth-(?:protected-resource|authorization-server)(?:\/mcp)?)(?:\?|$)/

const isUnder = (url: string, prefix: string) => url.startsWith(prefix) && /^(?:[/?#]|$)/.test(url.slice(prefix.length))

/** All but pages is data, whatever its path: the router also accepts other spellings, such as `/%61pi/v1`. */
const isPage = ({ body, headers }: HttpServerResponse.HttpServerResponse) =>
  body._tag === "Empty" || /^text\/html\b/.test(headers["content-type"] ?? "")

/** The kind of caller that an address is for, on which headers of the answer depend. */
const callersOf = (url: string) => {
  const isMcp = isUnder(url, "/mcp")
  const isOAuth = ofOAuth.test(url)
  return {
    preflight: isMcp || isOAuth ? mcpPreflight : apiPreflight,
    isShared: isMcp || isOAuth || isUnder(url, "/api/v1") || isUnder(url, "/hb") || isUnder(url, "/ping")
  }
}

/** Answers the preflights of browsers for API and MCP. */
export const withPreflights = <R>(app: App<R>): App<R | HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }): App<R | HttpServerRequest.HttpServerRequest> => {
    if (method !== "OPTIONS") return app
    const { isShared, preflight } = callersOf(url)
    return isShared ? preflight : app
  })

/**
 * All headers of an answer, for API, MCP and pages. Every one carries `x-request-id`. The defaults do not override its own, such as the
 * caching of a public status.
 */
export const responseHeaders = (baseUrl: string) => {
  const transportOf = transport(baseUrl)
  return ({ headers, id, url }: NodeRequest, answer: HttpServerResponse.HttpServerResponse): Headers => {
    const { isShared } = callersOf(url)
    return {
      ...(!isShared && isPage(answer) ? pageProtection : protection),
      ...answer.headers,
      ...transportOf(headers["host"]),
      ...(isShared ? shared : {}),
      "x-request-id": id
    }
  }
}
