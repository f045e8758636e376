/** Answers the messages of one POST. They are counted before they are parsed, so that hostile ones cost next to nothing. */
import { type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js"
import { Effect, Either, Option, Predicate } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import { parseBoundedJson, requestLimits } from "../domain/tools/BoundedJson.ts"
import { readText } from "../http/request/RequestBody.ts"
import type { Application } from "../http/server/Application.ts"
import { answer, type Surface } from "./McpServer.ts"
import { callerOf } from "./ToolCall.ts"

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

/** `UnsupportedProtocolVersionError`. (MCP 2026-07-28, Versioning: Protocol Version Negotiation.) */
const unsupportedVersion = -32022

/** Where requests of versions without `initialize` name their version, beside the header. */
const versionMeta = "io.modelcontextprotocol/protocolVersion"

const at = (value: unknown, name: string): unknown => (Predicate.isRecord(value) ? value[name] : undefined)

const namedIn = (message: unknown): Option.Option<string> =>
  Option.liftPredicate(at(at(at(message, "params"), "_meta"), versionMeta), Predicate.isString)

/** A version that is not served; none for `initialize`, which negotiates. The refusal lists only versions that begin with it. */
const unservedVersion = (version: string | undefined, message: unknown): Option.Option<string> =>
  isInitialize(message)
    ? Option.none()
    : Option.firstSomeOf([namedIn(message), Option.fromNullable(version)]).pipe(
      Option.filter((named) => !SUPPORTED_PROTOCOL_VERSIONS.includes(named))
    )

const idOf = (message: unknown): string | number | null => {
  const id = at(message, "id")
  return Predicate.isString(id) || Predicate.isNumber(id) ? id : null
}

const versionRefused = (requested: string, message: unknown): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeJson({
    jsonrpc: "2.0",
    id: idOf(message),
    error: {
      code: unsupportedVersion,
      message: "Unsupported protocol version",
      data: { supported: SUPPORTED_PROTOCOL_VERSIONS, requested: requested.slice(0, 40) }
    }
  }, { status: 400 })

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

/** The response to a POST, and whether it begins a session. */
export const exchange = Effect.fn("McpExchange.exchange")(function*(
  surface: Surface,
  app: Application,
  request: HttpServerRequest.HttpServerRequest
) {
  const text = yield* readText(request)
  const messages = yield* readMessages(text)
  const unserved = unservedVersion(request.headers["mcp-protocol-version"], Option.getOrUndefined(messages))
  if (Option.isSome(unserved)) {
    return { response: versionRefused(unserved.value, Option.getOrUndefined(messages)), initialized: false }
  }
  const { body, headers, status } = yield* answer(surface, app, callerOf(request, surface.hasKey), toWeb(request, text), messages)
  return {
    response: HttpServerResponse.text(body, { status, headers }),
    initialized: status === 200 && Option.exists(messages, isInitialize)
  }
})
