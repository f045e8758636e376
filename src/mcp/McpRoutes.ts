/** /mcp and /mcp/public: Streamable HTTP, with or without a session. */
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Option, Predicate, Stream } from "effect"
import { BadRequest, type Forbidden, type Unauthorized } from "../../schema/Errors.ts"
import { Document } from "../http/openapi/OpenApiDocument.ts"
import { readText } from "../http/request/RequestBody.ts"
import type { Application } from "../http/server/Application.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import type { Authenticate } from "../operations/access/Authenticate.ts"
import type { McpSessions } from "../operations/access/McpSessions.ts"
import { makeHostCheck, spokenVersion } from "./Guard.ts"
import { instructions, publicInstructions } from "./Instructions.ts"
import { keyHolder } from "./KeyHolder.ts"
import { answer, type Surface } from "./McpServer.ts"
import { McpSettings } from "./McpSettings.ts"
import { callerOf } from "./ToolCall.ts"
import { allTools, publicTools } from "./Tools.ts"
import { isShownTo } from "./VisibleTools.ts"

const sessionHeader = "mcp-session-id"

const sessionNeeded = new BadRequest({
  message: "A stream belongs to a session",
  hint: "Initialize first and send the mcp-session-id that the answer carries"
})

const sessionOf = ({ headers }: HttpServerRequest.HttpServerRequest) => Option.fromNullable(headers[sessionHeader])

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const isInitialize = (text: string) =>
  Option.exists(parse(text), (message) => Predicate.hasProperty(message, "method") && message.method === "initialize")

/** The SDK insists on an Accept header, which many clients leave out. Answers are always JSON. */
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

/** Lets a request in or fails, and says what its sender finds. */
type Entry = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<Surface, BadRequest | Forbidden | Unauthorized, Authenticate>

const post = (entry: Entry, app: Application, sessions: McpSessions) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const surface = yield* entry(request)
    yield* Option.match(sessionOf(request), { onNone: () => Effect.void, onSome: sessions.check })
    const text = yield* readText(request)
    const { body, headers, status } = yield* answer(surface, app, callerOf(request), toWeb(request, text))
    const begun = status === 200 && isInitialize(text) ? { [sessionHeader]: yield* sessions.begin } : {}
    return HttpServerResponse.text(body, { status, headers: { ...headers, ...begun } })
  })

/** The session of a GET or DELETE, which make no sense without one. */
const ownSession = (entry: Entry) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* entry(request)
    yield* spokenVersion(request)
    const session = sessionOf(request)
    return Option.isNone(session) ? yield* sessionNeeded : session.value
  })

const get = (entry: Entry, sessions: McpSessions) =>
  Effect.gen(function*() {
    const stream = yield* sessions.stream(yield* ownSession(entry))
    return HttpServerResponse.stream(Stream.encodeText(stream), {
      contentType: "text/event-stream",
      headers: { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }
    })
  })

const remove = (entry: Entry, sessions: McpSessions) =>
  Effect.gen(function*() {
    yield* sessions.end(yield* ownSession(entry))
    return HttpServerResponse.empty({ status: 200 })
  })

/** /mcp takes a key for every message; /mcp/public ignores keys. Calling a tool takes what the same call over REST takes. */
export const makeMcpRoutes = (sessions: McpSessions) =>
  Effect.gen(function*() {
    const needs = yield* Effect.context<Authenticate>()
    const baseUrl = yield* BaseUrl
    const document = yield* Document
    const { allowedHosts } = yield* McpSettings
    const knownHost = makeHostCheck(baseUrl, allowedHosts)
    const findKey = keyHolder(baseUrl)

    const withKey: Entry = (request) =>
      Effect.map(
        Effect.zipRight(knownHost(request), findKey(request)),
        (caller) => ({
          baseUrl,
          document,
          instructions,
          tools: allTools,
          shown: allTools.filter((tool) => isShownTo(caller, tool))
        })
      )

    const withoutKey: Entry = (request) =>
      Effect.as(knownHost(request), {
        baseUrl,
        document,
        instructions: publicInstructions,
        tools: publicTools,
        shown: publicTools
      })

    const routesOf = (path: "/mcp" | "/mcp/public", entry: Entry, app: Application) => [
      HttpRouter.makeRoute("POST", path, Effect.provide(post(entry, app, sessions), needs)),
      HttpRouter.makeRoute("GET", path, Effect.provide(get(entry, sessions), needs)),
      HttpRouter.makeRoute("DELETE", path, Effect.provide(remove(entry, sessions), needs))
    ]

    return (app: Application) => [...routesOf("/mcp", withKey, app), ...routesOf("/mcp/public", withoutKey, app)]
  })
