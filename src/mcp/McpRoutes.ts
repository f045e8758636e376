/** /mcp and /mcp/public: Streamable HTTP, with a session for clients that want one and without for those that do not. */
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Option, Predicate, Stream } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import type { AccessNeeds } from "../http/guard/Authorization.ts"
import { Document } from "../http/openapi/OpenApiDocument.ts"
import { readText } from "../http/request/RequestBody.ts"
import type { Application } from "../http/server/Application.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import type { McpSessions } from "../operations/access/McpSessions.ts"
import { makeGuard, spokenVersion } from "./Guard.ts"
import { instructions, publicInstructions } from "./Instructions.ts"
import { answer, type Surface } from "./McpServer.ts"
import { McpSettings } from "./McpSettings.ts"
import { callerOf } from "./ToolCall.ts"
import { allTools, publicTools } from "./Tools.ts"

const sessionHeader = "mcp-session-id"

const sessionNeeded = new BadRequest({
  message: "A stream belongs to a session",
  hint: "Initialize first and send the mcp-session-id that the answer carries"
})

const sessionOf = ({ headers }: HttpServerRequest.HttpServerRequest) => Option.fromNullable(headers[sessionHeader])

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const isInitialize = (text: string) =>
  Option.exists(parse(text), (message) => Predicate.hasProperty(message, "method") && message.method === "initialize")

/** The SDK wants to be told what its clients accept, which is always JSON here; many say nothing of it. */
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

type Guard = ReturnType<typeof makeGuard>

const post = (surface: Surface, app: Application, sessions: McpSessions, guard: Guard) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* guard(request)
    yield* Option.match(sessionOf(request), { onNone: () => Effect.void, onSome: sessions.check })
    const text = yield* readText(request)
    const { body, headers, status } = yield* answer(surface, app, callerOf(request), toWeb(request, text))
    const begun = status === 200 && isInitialize(text) ? { [sessionHeader]: yield* sessions.begin } : {}
    return HttpServerResponse.text(body, { status, headers: { ...headers, ...begun } })
  })

/** The session of a GET or DELETE, which make no sense without one. */
const ownSession = (guard: Guard) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* guard(request)
    yield* spokenVersion(request)
    const session = sessionOf(request)
    return Option.isNone(session) ? yield* sessionNeeded : session.value
  })

const get = (sessions: McpSessions, guard: Guard) =>
  Effect.gen(function*() {
    const stream = yield* sessions.stream(yield* ownSession(guard))
    return HttpServerResponse.stream(Stream.encodeText(stream), {
      contentType: "text/event-stream",
      headers: { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }
    })
  })

const remove = (sessions: McpSessions, guard: Guard) =>
  Effect.gen(function*() {
    yield* sessions.end(yield* ownSession(guard))
    return HttpServerResponse.empty({ status: 200 })
  })

/** Tools may be listed without a key, so that an agent finds bootstrap_workspace; calling one takes what REST takes. */
export const makeMcpRoutes = (sessions: McpSessions) =>
  Effect.gen(function*() {
    const needs = yield* Effect.context<AccessNeeds>()
    const baseUrl = yield* BaseUrl
    const document = yield* Document
    const { allowedHosts } = yield* McpSettings

    const routesOf = (path: "/mcp" | "/mcp/public", surface: Surface, app: Application) => {
      const guard = makeGuard(baseUrl, allowedHosts, path === "/mcp" ? "own" : "any")
      return [
        HttpRouter.makeRoute("POST", path, Effect.provide(post(surface, app, sessions, guard), needs)),
        HttpRouter.makeRoute("GET", path, get(sessions, guard)),
        HttpRouter.makeRoute("DELETE", path, remove(sessions, guard))
      ]
    }

    return (app: Application) => [
      ...routesOf("/mcp", { baseUrl, document, instructions, tools: allTools }, app),
      ...routesOf("/mcp/public", { baseUrl, document, instructions: publicInstructions, tools: publicTools }, app)
    ]
  })
