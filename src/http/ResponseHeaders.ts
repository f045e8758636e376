/** The headers that every answer of the interface carries: CORS, protection against sniffing, the request's id. */
import { HttpMiddleware, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { RequestId } from "./RequestId.ts"

type App<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>

const exposedHeaders = ["idempotent-replayed", "x-request-id", "retry-after", "mcp-session-id"]
const allowedHeaders = ["authorization", "content-type", "idempotency-key", "x-workspace"]
const daySec = 86_400

/** (Specification: Authentication, 12.) */
const corsOf = (headers: ReadonlyArray<string>) =>
  HttpMiddleware.cors({ allowedHeaders: headers, exposedHeaders, maxAge: daySec })

const apiCors = corsOf(allowedHeaders)
const mcpCors = corsOf([...allowedHeaders, "mcp-session-id", "mcp-protocol-version", "last-event-id"])

const protection = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store"
}

/** An answer that says itself how long it keeps, such as a public status, is left so. */
const protect = (response: HttpServerResponse.HttpServerResponse) =>
  HttpServerResponse.setHeaders(response, { ...protection, ...response.headers })

const isUnder = (url: string, prefix: string) => url.startsWith(prefix) && /^(?:[/?#]|$)/.test(url.slice(prefix.length))

/** Adds them to the paths of the interface; pages set their own. Every answer carries `x-request-id`. */
export const withResponseHeaders = <R>(app: App<R>): App<R | HttpServerRequest.HttpServerRequest> => {
  const protectedApp = Effect.map(app, protect)
  const api = apiCors(protectedApp)
  const mcp = mcpCors(protectedApp)
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
    const requestId = randomUUID()
    const chosen = isUnder(url, "/api/v1") ? api : isUnder(url, "/mcp") ? mcp : app
    return chosen.pipe(
      Effect.map(HttpServerResponse.setHeader("x-request-id", requestId)),
      Effect.provideService(RequestId, requestId)
    )
  })
}
