/** Answers the messages of one POST. They are counted before they are parsed, so that hostile ones cost next to nothing. */
import { type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Either, Option, Predicate } from "effect"
import { BadRequest } from "../../../schema/Errors.ts"
import { parseBoundedJson, requestLimits } from "../../domain/tools/json/BoundedJson.ts"
import { readText } from "../../http/request/RequestBody.ts"
import { askStateless, declaredBy, lettersOf } from "./ClientCall.ts"
import { askOnStream, endOf, type LiveSession, passOn } from "./ClientMessages.ts"
import { converse } from "./Conversation.ts"
import { statelessResult, statelessWords, withParamIssues } from "./McpTransport.ts"
import type { Offer } from "./Offer.ts"
import { servedVersions } from "./ProtocolVersion.ts"
import { at, declaredIn, isNotification, isStateless, objectAt, statelessRefusal, statusOf } from "./StatelessRequest.ts"

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

const isInitialize = (message: unknown) => at(message, "method") === "initialize"

const idOf = (message: unknown): string | number | null => {
  const id = at(message, "id")
  return Predicate.isString(id) || Predicate.isNumber(id) ? id : null
}

type Request = HttpServerRequest.HttpServerRequest

/** Whether a request is worth a stream: its client takes one, and something may be said before the result. */
const isStreamed = ({ headers }: Request, message: unknown, converses: (tool: string) => boolean): boolean => {
  if (at(message, "method") !== "tools/call" || idOf(message) === null) return false
  if (headers["accept"]?.includes("text/event-stream") !== true) return false
  const params = at(message, "params")
  const tool = at(params, "name")
  return objectAt(params, "_meta")["progressToken"] !== undefined || (Predicate.isString(tool) && converses(tool))
}

const json = (body: object, status = 200) => HttpServerResponse.unsafeJson({ jsonrpc: "2.0", ...body }, { status })

const discovered = (offer: Offer) =>
  statelessResult(offer, "server/discover", {
    supportedVersions: servedVersions,
    capabilities: offer.capabilities,
    instructions: offer.instructions
  })

/** Answers a request of the version without sessions. */
const stateless = (offer: Offer, request: Request, text: string, message: unknown) => {
  const refusal = statelessRefusal(request.headers, message)
  if (refusal !== null) return Effect.succeed(json({ id: idOf(message), error: refusal.error }, refusal.status))
  if (isNotification(message)) return Effect.succeed(HttpServerResponse.empty({ status: 202 }))
  const method = String(at(message, "method"))
  if (method === "server/discover") return Effect.succeed(json({ id: idOf(message), result: discovered(offer) }))
  const [declared, params] = [declaredIn(message), objectAt(message, "params")]
  return converse(offer, {
    declared,
    params,
    words: statelessWords(offer, method),
    statusOf,
    streams: isStreamed(request, message, () => false),
    askOver: () => () => askStateless(declared, params),
    end: null,
    text,
    parsed: Option.some(message),
    headers: { "content-type": request.headers["content-type"] }
  })
}

/** Answers requests of versions with sessions. */
const inSession = (offer: Offer, request: Request, text: string, parsed: Option.Option<unknown>, session: LiveSession | null) => {
  const message = Option.getOrUndefined(parsed)
  const declared = session === null ? {} : declaredBy(session.declared)
  const id = at(message, "method") === "tools/call" ? idOf(message) : null
  const streams = isStreamed(request, message, (tool) => session !== null && offer.converses(tool, declared))
  return converse(offer, {
    declared,
    params: objectAt(message, "params"),
    words: withParamIssues,
    // Here 404 would say that the session has ended.
    statusOf: () => null,
    streams,
    // A question goes out on the stream of the call that it is about.
    askOver: (transport) => (about) =>
      session === null || !streams ? () => Effect.succeedNone : askOnStream(session, transport, about, declared),
    end: session === null || id === null ? null : endOf(session, id),
    text,
    parsed,
    headers: {
      "content-type": request.headers["content-type"],
      "mcp-protocol-version": isInitialize(message) ? undefined : request.headers["mcp-protocol-version"]
    }
  })
}

/** The response to a POST, and what the client declared if it begins a session. `named` finds the one that it names. */
export const exchange = Effect.fn("McpExchange.exchange")(function*<E>(
  offer: Offer,
  request: Request,
  named: Effect.Effect<LiveSession | null, E>
) {
  const text = yield* readText(request)
  const parsed = yield* readMessages(text)
  const message = Option.getOrUndefined(parsed)
  if (Option.isSome(parsed) && isStateless(request.headers, message)) {
    return { response: yield* stateless(offer, request, text, message), begins: null }
  }
  const session = yield* named
  if (session !== null) yield* passOn(session, message)
  const response = yield* inSession(offer, request, text, parsed, session)
  const begins = response.status === 200 && isInitialize(message)
    ? lettersOf(objectAt(at(message, "params"), "capabilities"))
    : null
  return { response, begins }
})
