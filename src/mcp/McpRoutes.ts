/** Serves /mcp and /mcp/public over Streamable HTTP, with or without a session. */
import { type HttpApp, HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Context, Effect, identity, Option, Stream } from "effect"
import type { Caller as KeyHolder } from "../../schema/access/Caller.ts"
import { BadRequest, type Forbidden, Unauthorized } from "../../schema/Errors.ts"
import { publicAdmission, type RouteHandler } from "../http/guard/PublicAdmission.ts"
import { challengeOf } from "../http/oauth/OAuthMetadata.ts"
import { Document } from "../http/openapi/OpenApiDocument.ts"
import { clientAddress } from "../http/request/ClientAddress.ts"
import type { Application } from "../http/server/Application.ts"
import { respond } from "../http/server/Envelope.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { Authenticate } from "../operations/access/Authenticate.ts"
import type { McpSessions } from "../operations/access/McpSessions.ts"
import { PublicCalls } from "../operations/access/PublicCalls.ts"
import { keyHolder, makeHostCheck, spokenVersion } from "./Guard.ts"
import { instructions, publicInstructions } from "./Instructions.ts"
import { exchange } from "./McpExchange.ts"
import type { Surface } from "./McpServer.ts"
import { McpSettings } from "./McpSettings.ts"
import { wantsStructure } from "./Structured.ts"
import { allTools, publicTools } from "./Tools.ts"
import { chosenTools, isShownTo } from "./Toolsets.ts"

const sessionHeader = "mcp-session-id"

const sessionNeeded = new BadRequest({
  message: "This request needs an MCP session",
  hint: "Send initialize first, then send the mcp-session-id header of its response"
})

const sessionOf = ({ headers }: HttpServerRequest.HttpServerRequest) => Option.fromNullable(headers[sessionHeader])

interface Entered {
  readonly caller: KeyHolder | null
  readonly surface: Surface
}

type Entry = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<Entered, BadRequest | Forbidden | Unauthorized, Authenticate>

const post = (entry: Entry, app: Application, sessions: McpSessions) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { caller, surface } = yield* entry(request)
    yield* Option.match(sessionOf(request), { onNone: () => Effect.void, onSome: (id) => sessions.check(id, caller) })
    const { initialized, response } = yield* exchange(surface, app, request)
    return initialized ? HttpServerResponse.setHeader(response, sessionHeader, yield* sessions.begin(caller)) : response
  })

/** The session and the sender of a GET or DELETE request. Both require a session. */
const requiredSession = (entry: Entry) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { caller } = yield* entry(request)
    yield* spokenVersion(request)
    const session = sessionOf(request)
    return Option.isNone(session) ? yield* sessionNeeded : { caller, session: session.value, address: clientAddress(request) }
  })

const get = (entry: Entry, sessions: McpSessions) =>
  Effect.gen(function*() {
    const { address, caller, session } = yield* requiredSession(entry)
    const stream = yield* sessions.stream(session, caller, address)
    return HttpServerResponse.stream(Stream.encodeText(stream), {
      contentType: "text/event-stream",
      headers: { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }
    })
  })

const remove = (entry: Entry, sessions: McpSessions) =>
  Effect.gen(function*() {
    const { caller, session } = yield* requiredSession(entry)
    yield* sessions.end(session, caller)
    return HttpServerResponse.empty({ status: 200 })
  })

/** Says in a refusal where a client without a key can send its person to sign in. */
const challenging = (baseUrl: string) => <E, R>(app: HttpApp.Default<E, R>): HttpApp.Default<E, R> =>
  Effect.catchIf(
    app,
    (failure) => failure instanceof Unauthorized,
    (failure) =>
      Effect.map(
        HttpServerRequest.HttpServerRequest,
        ({ headers }) => HttpServerResponse.setHeader(respond(failure), "www-authenticate", challengeOf(baseUrl, headers))
      )
  )

/** /mcp requires a key for every message; /mcp/public ignores keys. A tool call needs the same permissions as its REST call. */
export const makeMcpRoutes = (sessions: McpSessions) =>
  Effect.gen(function*() {
    // Only this: the context here holds all services of the program, and each step of a call would copy them.
    const context = Context.make(Authenticate, yield* Authenticate)
    const baseUrl = yield* BaseUrl
    const document = yield* Document
    const { allowedHosts } = yield* McpSettings
    const knownHost = makeHostCheck(baseUrl, allowedHosts)
    // Every answer is a 200, even to invalid input, so every call without a key counts.
    const withinBudget = publicAdmission(yield* PublicCalls, { rate: null, isAccepted: () => false })
    const admitted = { "/mcp": identity<RouteHandler>, "/mcp/public": withinBudget }
    const challenged = challenging(baseUrl)

    /** `callerOf` admits the request. Its client may list those of `tools` that it chooses, as far as its key may call them. */
    const entryOf = (
      callerOf: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<KeyHolder | null, Unauthorized, Authenticate>,
      common: Pick<Surface, "instructions" | "tools">
    ): Entry =>
    (request) =>
      Effect.gen(function*() {
        yield* knownHost(request)
        const caller = yield* callerOf(request)
        const allowed = caller === null ? common.tools : common.tools.filter((tool) => isShownTo(caller, tool))
        const { of, searches } = yield* chosenTools(request)
        const surface = {
          baseUrl,
          document,
          ...common,
          hasKey: caller !== null,
          allowed,
          shown: of(allowed),
          searches,
          structured: wantsStructure(request)
        }
        return { caller, surface }
      })

    const withKey = entryOf(keyHolder(baseUrl), { instructions, tools: allTools })
    const withoutKey = entryOf(() => Effect.succeed(null), { instructions: publicInstructions, tools: publicTools })

    const routesOf = (path: "/mcp" | "/mcp/public", entry: Entry, app: Application) => [
      HttpRouter.makeRoute("POST", path, admitted[path](challenged(Effect.provide(post(entry, app, sessions), context)))),
      // The request's scope takes precedence: in this layer's scope, a stream would never give its slot back.
      HttpRouter.makeRoute(
        "GET",
        path,
        Effect.mapInputContext(challenged(get(entry, sessions)), (input: Context.Context<HttpRouter.HttpRouter.Provided>) =>
          Context.merge(context, input))
      ),
      HttpRouter.makeRoute("DELETE", path, challenged(Effect.provide(remove(entry, sessions), context)))
    ]

    return (app: Application) => [...routesOf("/mcp", withKey, app), ...routesOf("/mcp/public", withoutKey, app)]
  })
