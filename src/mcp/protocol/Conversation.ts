/** Runs the SDK's server over the messages of one POST, and makes its answers the response: JSON, or a stream of events. */
import { HttpServerResponse } from "@effect/platform"
import { Effect, Option, type Scope, Stream } from "effect"
import type { Ask } from "./ClientCall.ts"
import { connect } from "./McpServer.ts"
import { McpTransport, type Words } from "./McpTransport.ts"
import type { Offer, Services } from "./Offer.ts"
import type { JsonObject } from "./StatelessRequest.ts"

export interface Conversation {
  /** The questions that the client declared it can be asked. */
  readonly declared: JsonObject
  /** The parameters of the only message of the POST; empty for a batch. */
  readonly params: JsonObject
  readonly words: Words
  /** The status of a response with an error of this code; null for that of an answer. */
  readonly statusOf: (code: number | null) => number | null
  readonly streams: boolean
  readonly askOver: (transport: McpTransport) => (about: string | number) => Ask
  /** Completes when the client ends its call; null if it cannot. */
  readonly end: Effect.Effect<Effect.Effect<void>, never, Scope.Scope> | null
  readonly text: string
  /** The value of the text, so that it is not parsed twice; none if it is not JSON, which the SDK reports. */
  readonly parsed: Option.Option<unknown>
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** Adds the Accept header that the SDK requires and many clients omit. */
const toWeb = ({ headers, text }: Conversation) =>
  new Request("http://belltower.internal", {
    method: "POST",
    headers: {
      ...Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => value === undefined ? [] : [[name, value]])),
      accept: "application/json, text/event-stream",
      "content-type": headers["content-type"] ?? "application/json"
    },
    body: text
  })

/** Hands the messages to a server that works until the scope closes. */
const begun = (offer: Offer, conversation: Conversation) =>
  Effect.gen(function*() {
    const { askOver, declared, params, parsed, streams, words } = conversation
    const transport = new McpTransport(words, streams)
    yield* connect(offer, { declared, params, streams, askFor: askOver(transport) }, transport)
    const options = Option.match(parsed, { onNone: () => ({}), onSome: (parsedBody) => ({ parsedBody }) })
    const response = yield* Effect.promise(() => transport.handleRequest(toWeb(conversation), options))
    return { response, transport }
  })

/** A call that its client ended has no answer. */
const unanswered = HttpServerResponse.empty({ status: 202 })

const whole = (offer: Offer, conversation: Conversation) =>
  Effect.scoped(Effect.gen(function*() {
    const answered = Effect.gen(function*() {
      const { response, transport } = yield* begun(offer, conversation)
      const headers: Record<string, string> = {}
      response.headers.forEach((value, name) => {
        headers[name] = value
      })
      const body = yield* Effect.promise(() => response.text())
      return HttpServerResponse.text(body, { status: conversation.statusOf(transport.refusedWith) ?? response.status, headers })
    })
    if (conversation.end === null) return yield* answered
    return yield* Effect.raceFirst(answered, Effect.as(yield* conversation.end, unanswered))
  }))

/** The work lasts as long as the stream, and ends when the client leaves. */
const streamed = (offer: Offer, conversation: Conversation) =>
  Effect.map(Effect.context<Services>(), (context) => {
    const events = Stream.unwrapScoped(Effect.gen(function*() {
      const end = conversation.end === null ? Effect.never : yield* conversation.end
      const { response } = yield* begun(offer, conversation)
      const { body } = response
      const chunks = body === null ? Stream.empty : Stream.orDie(Stream.fromReadableStream(() => body, (cause) => cause))
      return Stream.interruptWhen(chunks, end)
    }))
    return HttpServerResponse.stream(Stream.provideSomeContext(events, context), {
      contentType: "text/event-stream",
      headers: { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }
    })
  })

export const converse = (
  offer: Offer,
  conversation: Conversation
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, Services> =>
  conversation.streams ? streamed(offer, conversation) : whole(offer, conversation)
