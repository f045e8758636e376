/** Serves /mcp and /mcp/public over Streamable HTTP, with or without a session. */
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Context, Effect, Either, identity, Option, Predicate, Stream } from "effect"
import type { Caller as KeyHolder } from "../../schema/access/Caller.ts"
import { BadRequest, type Forbidden, type Unauthorized } from "../../schema/Errors.ts"
import { parseBoundedJson, requestLimits } from "../domain/BoundedJson.ts"
import { publicAdmission, type RouteHandler } from "../http/guard/PublicAdmission.ts"
import { Document } from "../http/openapi/OpenApiDocument.ts"
import { clientAddress } from "../http/request/ClientAddress.ts"
import { readText } from "../http/request/RequestBody.ts"
import type { Application } from "../http/server/Application.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import type { Authenticate } from "../operations/access/Authenticate.ts"
import type { McpSessions } from "../operations/access/McpSessions.ts"
import { PublicCalls } from "../operations/access/PublicCalls.ts"
import { makeHostCheck, spokenVersion } from "./Guard.ts"
import { instructions, publicInstructions } from "./Instructions.ts"
import { keyHolder } from "./KeyHolder.ts"
import { answer, type Surface } from "./McpServer.ts"
import { McpSettings } from "./McpSettings.ts"
import { unservedVersion, versionRefused } from "./ProtocolVersion.ts"
import { callerOf } from "./ToolCall.ts"
import { allTools, publicTools } from "./Tools.ts"
import { chosenTools } from "./Toolsets.ts"
import { isShownTo } from "./VisibleTools.ts"

const sessionHeader = "mcp-session-id"

const sessionNeeded = new BadRequest({
  message: "This request needs an MCP session",
  hint: "Send initialize first, then send the mcp-session-id header of its response"
})

const sessionOf = ({ headers }: HttpServerRequest.HttpServerRequest) => Option.fromNullable(headers[sessionHeader])

/** Messages of one request: each of a batch is answered, so a small batch of large reads has a large answer. */
const maxBatch = 20

const tooLarge = new BadRequest({
  message:
    `A message holds more than ${requestLimits.entries} fields and list items, or is nested more than ${requestLimits.depth} levels deep`
})

const batchTooLong = new BadRequest({
  message: `A batch holds more than ${maxBatch} messages`,
  hint: `Send at most ${maxBatch} messages in one request`
})

/** The messages of a request, counted before they are parsed; none when the text is not JSON, which the SDK reports. */
const readMessages = (text: string): Effect.Effect<Option.Option<unknown>, BadRequest> =>
  Either.match(parseBoundedJson(text), {
    onLeft: (refusal) => refusal === "invalid" ? Effect.succeedNone : Effect.fail(tooLarge),
    onRight: (messages) =>
      Array.isArray(messages) && messages.length > maxBatch ? Effect.fail(batchTooLong) : Effect.succeedSome(messages)
  })

const isInitialize = (message: unknown) => Predicate.hasProperty(message, "method") && message.method === "initialize"

/** Adds the Accept header that the SDK requires and many clients omit. Responses are always JSON. */
const toWeb = (request: HttpServerRequest.HttpServerRequest, body: string) =>
  new Request(new URL(request.url, "http://belltower.internal"), {
    method: "POST",
    headers: {
      ...Object.fromEntries(Object.entries(request.headers).filter(([name]) => name === "mcp-protocol-version")),
      accept: "application/json, text/event-stream",
      "content-type": request.headers["content-type"] ?? "application/json"
    },
    body
  })

/** A request's sender, null without a key, and what it sees. */
interface Entered {
  readonly caller: KeyHolder | null
  readonly surface: Surface
}

/** Authorizes a request. */
type Entry = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<Entered, BadRequest | Forbidden | Unauthorized, Authenticate>

const post = (entry: Entry, app: Application, sessions: McpSessions) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { surface } = yield* entry(request)
    yield* Option.match(sessionOf(request), { onNone: () => Effect.void, onSome: sessions.check })
    const text = yield* readText(request)
    const messages = yield* readMessages(text)
    const unserved = unservedVersion(request.headers["mcp-protocol-version"], Option.getOrUndefined(messages))
    if (Option.isSome(unserved)) return versionRefused(unserved.value, Option.getOrUndefined(messages))
    const { body, headers, status } = yield* answer(surface, app, callerOf(request), toWeb(request, text))
    const sessionHeaders = status === 200 && Option.exists(messages, isInitialize)
      ? { [sessionHeader]: yield* sessions.begin }
      : {}
    return HttpServerResponse.text(body, { status, headers: { ...headers, ...sessionHeaders } })
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
    yield* sessions.end((yield* requiredSession(entry)).session)
    return HttpServerResponse.empty({ status: 200 })
  })

/** /mcp requires a key for every message; /mcp/public ignores keys. A tool call needs the same permissions as its REST call. */
export const makeMcpRoutes = (sessions: McpSessions) =>
  Effect.gen(function*() {
    const context = yield* Effect.context<Authenticate>()
    const baseUrl = yield* BaseUrl
    const document = yield* Document
    const { allowedHosts } = yield* McpSettings
    const knownHost = makeHostCheck(baseUrl, allowedHosts)
    const findKey = keyHolder(baseUrl)
    // Every answer is a 200, also to nonsense, so what is sent without a key always counts.
    const withinBudget = publicAdmission(yield* PublicCalls, { rate: null, isAccepted: () => false })
    const admitted = { "/mcp": identity<RouteHandler>, "/mcp/public": withinBudget }

    const surfaceOf = (common: Pick<Surface, "instructions" | "tools" | "shown">): Surface => ({ baseUrl, document, ...common })

    const withKey: Entry = (request) =>
      Effect.gen(function*() {
        yield* knownHost(request)
        const caller = yield* findKey(request)
        const chosen = yield* chosenTools(request)
        const shown = chosen(allTools.filter((tool) => isShownTo(caller, tool)))
        return { caller, surface: surfaceOf({ instructions, tools: allTools, shown }) }
      })

    const withoutKey: Entry = (request) =>
      Effect.gen(function*() {
        yield* knownHost(request)
        const chosen = yield* chosenTools(request)
        const shown = chosen(publicTools)
        return { caller: null, surface: surfaceOf({ instructions: publicInstructions, tools: publicTools, shown }) }
      })

    const routesOf = (path: "/mcp" | "/mcp/public", entry: Entry, app: Application) => [
      HttpRouter.makeRoute("POST", path, admitted[path](Effect.provide(post(entry, app, sessions), context))),
      // The request's scope takes precedence: in this layer's scope, a stream would never give its slot back.
      HttpRouter.makeRoute(
        "GET",
        path,
        Effect.mapInputContext(get(entry, sessions), (input: Context.Context<HttpRouter.HttpRouter.Provided>) =>
          Context.merge(context, input))
      ),
      HttpRouter.makeRoute("DELETE", path, Effect.provide(remove(entry, sessions), context))
    ]

    return (app: Application) => [...routesOf("/mcp", withKey, app), ...routesOf("/mcp/public", withoutKey, app)]
  })
