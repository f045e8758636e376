/** /mcp and /mcp/public: Streamable HTTP, with a session for clients that want one and without for those that do not. */
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Option, Predicate, Schedule, Stream } from "effect"
import { BadRequest, NotFound } from "../../schema/Errors.ts"
import type { Application } from "../http/Application.ts"
import { readText } from "../http/RequestBody.ts"
import { instructions, publicInstructions } from "./Instructions.ts"
import { answer, type Surface } from "./McpServer.ts"
import type { Sessions } from "./Sessions.ts"
import { allTools, publicTools } from "./Tools.ts"

const sessionHeader = "mcp-session-id"

const noSession = new NotFound({
  message: "This MCP session is not known here, or is over",
  hint: "Initialize again, or send requests without mcp-session-id"
})

const sessionNeeded = new BadRequest({
  message: "A stream belongs to a session",
  hint: "Initialize first and send the mcp-session-id that the answer carries"
})

/** The session that a request names; one that names an unknown session is refused. */
const namedSession = (sessions: Sessions, request: HttpServerRequest.HttpServerRequest) =>
  Effect.gen(function*() {
    const id = request.headers[sessionHeader]
    if (id === undefined) return Option.none()
    if (!(yield* sessions.touch(id))) return yield* noSession
    return Option.some(id)
  })

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

const post = (surface: Surface, app: Application, sessions: Sessions) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* namedSession(sessions, request)
    const text = yield* readText(request)
    const caller = {
      authorization: request.headers["authorization"],
      remoteAddress: Option.getOrUndefined(request.remoteAddress)
    }
    const { body, headers, status } = yield* answer(surface, app, caller, toWeb(request, text))
    const begun = status === 200 && isInitialize(text) ? { [sessionHeader]: yield* sessions.begin } : {}
    return HttpServerResponse.text(body, {
      status,
      headers: { ...headers, ...begun }
    })
  })

const keepAlive = Stream.concat(
  Stream.succeed(": connected\n\n"),
  Stream.as(Stream.fromSchedule(Schedule.spaced("15 seconds")), ": ping\n\n")
)

/** A stream on which the server has nothing to say yet; it lasts as long as its session. */
const get = (sessions: Sessions) =>
  Effect.gen(function*() {
    const session = yield* namedSession(sessions, yield* HttpServerRequest.HttpServerRequest)
    if (Option.isNone(session)) return yield* sessionNeeded
    return HttpServerResponse.stream(
      keepAlive.pipe(Stream.interruptWhen(sessions.open(session.value)), Stream.encodeText),
      { contentType: "text/event-stream", headers: { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" } }
    )
  })

const remove = (sessions: Sessions) =>
  Effect.gen(function*() {
    const session = yield* namedSession(sessions, yield* HttpServerRequest.HttpServerRequest)
    if (Option.isNone(session)) return yield* sessionNeeded
    yield* sessions.end(session.value)
    return HttpServerResponse.empty({ status: 200 })
  })

const routesOf = (path: "/mcp" | "/mcp/public", surface: Surface, app: Application, sessions: Sessions) => [
  HttpRouter.makeRoute("POST", path, post(surface, app, sessions)),
  HttpRouter.makeRoute("GET", path, get(sessions)),
  HttpRouter.makeRoute("DELETE", path, remove(sessions))
]

/** Tools may be listed without a key, so that an agent finds bootstrap_workspace; calling one takes what REST takes. */
export const mcpRoutes = (app: Application, sessions: Sessions) => [
  ...routesOf("/mcp", { instructions, tools: allTools }, app, sessions),
  ...routesOf("/mcp/public", { instructions: publicInstructions, tools: publicTools }, app, sessions)
]
