/** Streamable HTTP, with or without a session, for whatever an endpoint offers. */
import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Option, Stream } from "effect"
import type { Caller as KeyHolder } from "../../../schema/access/Caller.ts"
import { BadRequest, type Forbidden, type Unauthorized } from "../../../schema/Errors.ts"
import { clientAddress } from "../../http/request/ClientAddress.ts"
import type { McpSessions } from "../../operations/access/McpSessions.ts"
import { spokenVersion } from "./Guard.ts"
import { exchange } from "./McpExchange.ts"
import type { Offer } from "./Offer.ts"

const sessionHeader = "mcp-session-id"

const sessionNeeded = new BadRequest({
  message: "This request needs an MCP session",
  hint: "Send initialize first, then send the mcp-session-id header of its response"
})

const sessionOf = ({ headers }: HttpServerRequest.HttpServerRequest) => Option.fromNullable(headers[sessionHeader])

/** The sender of a request, and what it is offered. */
interface Entered {
  readonly caller: KeyHolder | null
  readonly offer: Offer
}

export type Entry<R> = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<Entered, BadRequest | Forbidden | Unauthorized, R>

const post = <R>(entry: Entry<R>, sessions: McpSessions) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { caller, offer } = yield* entry(request)
    const session = Option.match(sessionOf(request), {
      onNone: () => Effect.succeed(null),
      onSome: (id) =>
        Effect.map(
          sessions.check(id, caller),
          ({ declared }) => ({ id, declared, messages: sessions.messages, question: sessions.questionOf(caller) })
        )
    })
    const { begins, response } = yield* exchange(offer, request, session)
    return begins === null
      ? response
      : HttpServerResponse.setHeader(response, sessionHeader, yield* sessions.begin(caller, begins))
  })

/** The session and the sender of a GET or DELETE request. Both require a session. */
const requiredSession = <R>(entry: Entry<R>) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { caller } = yield* entry(request)
    yield* spokenVersion(request)
    const session = sessionOf(request)
    return Option.isNone(session) ? yield* sessionNeeded : { caller, session: session.value, address: clientAddress(request) }
  })

const get = <R>(entry: Entry<R>, sessions: McpSessions) =>
  Effect.gen(function*() {
    const { address, caller, session } = yield* requiredSession(entry)
    const stream = yield* sessions.stream(session, caller, address)
    return HttpServerResponse.stream(Stream.encodeText(stream), {
      contentType: "text/event-stream",
      headers: { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }
    })
  })

const remove = <R>(entry: Entry<R>, sessions: McpSessions) =>
  Effect.gen(function*() {
    const { caller, session } = yield* requiredSession(entry)
    yield* sessions.end(session, caller)
    return HttpServerResponse.empty({ status: 200 })
  })

/** The handlers of an endpoint, by their HTTP methods. */
export const streamableHttp = <R>(entry: Entry<R>, sessions: McpSessions) => ({
  post: post(entry, sessions),
  get: get(entry, sessions),
  remove: remove(entry, sessions)
})
