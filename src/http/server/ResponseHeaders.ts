/** The headers that every answer of the interface carries: CORS, protection against sniffing, the request's id. */
import { HttpMiddleware, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { requestContext } from "./RequestContext.ts"

type App<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>

const exposedHeaders = ["idempotent-replayed", "x-request-id", "retry-after", "mcp-session-id"]
const allowedHeaders = ["authorization", "content-type", "idempotency-key", "x-workspace"]
const daySec = 86_400

/** (Specification: Authentication, 12.) */
const corsOf = (headers: ReadonlyArray<string>) =>
  HttpMiddleware.cors({ allowedHeaders: headers, exposedHeaders, maxAge: daySec })

const apiCors = corsOf(allowedHeaders)
const mcpCors = corsOf([...allowedHeaders, "mcp-session-id", "mcp-protocol-version", "last-event-id"])

type Headers = Readonly<Record<string, string>>

/** Of answers that are data: nothing in them is to be run or shown as a page, whatever a browser takes them for. */
const protection: Headers = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'"
}

/** What an answer of the interface carries that is written past the router; the request's own headers apart. */
export const interfaceHeaders: Headers = {
  ...protection,
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposedHeaders.join(",")
}

/** Of pages, which say more themselves. */
const pageProtection: Headers = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin"
}

/** What an answer says itself, such as how long a public status keeps, is left so. */
const dressedIn = (headers: Headers) => (response: HttpServerResponse.HttpServerResponse) =>
  HttpServerResponse.setHeaders(response, { ...headers, ...response.headers })

/** Browsers that have met this address over https never go back. Pages at domains of their owners decide for themselves. */
const transport = (baseUrl: string) => {
  const { host, protocol } = new URL(baseUrl)
  const secure: Headers = protocol === "https:" ? { "strict-transport-security": "max-age=31536000" } : {}
  return (asked: string | undefined): Headers => (asked === host ? secure : {})
}

const isUnder = (url: string, prefix: string) => url.startsWith(prefix) && /^(?:[/?#]|$)/.test(url.slice(prefix.length))

/**
 * What is no page is data, wherever it is: the router takes a path in more spellings than its prefix tells, such as
 * `/%61pi/v1`, and a cache must not keep what it answers there.
 */
const isPage = ({ body, headers }: HttpServerResponse.HttpServerResponse) =>
  body._tag === "Empty" || /^text\/html\b/.test(headers["content-type"] ?? "")

const dressedAsPage = dressedIn(pageProtection)
const dressedAsData = dressedIn(protection)

/** Adds them to the paths of the interface; pages set their own, and are never sniffed. Every answer carries `x-request-id`. */
export const withResponseHeaders = (baseUrl: string) => <R>(app: App<R>): App<R | HttpServerRequest.HttpServerRequest> => {
  const transportOf = transport(baseUrl)
  const protectedApp = Effect.map(app, dressedAsData)
  const other = Effect.map(app, (response) => isPage(response) ? dressedAsPage(response) : dressedAsData(response))
  const api = apiCors(protectedApp)
  const mcp = mcpCors(protectedApp)
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const { headers, url } = request
    const requestId = randomUUID()
    const chosen = isUnder(url, "/api/v1") || isUnder(url, "/hb") ? api : isUnder(url, "/mcp") ? mcp : other
    return chosen.pipe(
      Effect.map(HttpServerResponse.setHeaders({ ...transportOf(headers["host"]), "x-request-id": requestId })),
      Effect.provide(requestContext(requestId, request))
    )
  })
}
