/**
 * The parts that both protocols share: a JSON request, an answer that is bounded before it is parsed, and the language model
 * around them.
 */
import * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Prompt from "@effect/ai/Prompt"
import { type HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { Context, Effect, Schema, Stream } from "effect"

/** The most tokens that the model may answer with. */
export class AnswerLimit extends Context.Reference<AnswerLimit>()("belltower/AiAnswerLimit", {
  defaultValue: () => 1_500
}) {}

/** The most bytes of an answer. */
const mostBytes = 1024 * 1024

const malformed = (module: string, description: string) =>
  new AiError.MalformedOutput({ module, method: "generateText", description })

const unreachable = (module: string) => (error: HttpClientError.RequestError) =>
  AiError.HttpRequestError.fromRequestError({ module, method: "generateText", error })

/** Without the answer's body and headers: what a provider says may repeat the key. */
export class BadStatus extends Schema.TaggedError<BadStatus>()("BadStatus", { status: Schema.Int }) {}

const bodyOf = (module: string, response: HttpClientResponse.HttpClientResponse) =>
  Stream.runFoldEffect(
    response.stream,
    { size: 0, text: "", decoder: new TextDecoder() },
    ({ decoder, size, text }, chunk) =>
      size + chunk.length > mostBytes
        ? Effect.fail(malformed(module, `The answer has more than ${mostBytes} bytes`))
        : Effect.succeed({ decoder, size: size + chunk.length, text: text + decoder.decode(chunk, { stream: true }) })
  ).pipe(
    Effect.map(({ text }) => text),
    Effect.catchTag("ResponseError", () => Effect.fail(malformed(module, "The answer broke off")))
  )

/** Posts JSON and decodes the answer. Fields that the schema does not name are ignored. */
export const exchange = <A, I>(
  client: HttpClient.HttpClient,
  { body, module, path }: { readonly module: string; readonly path: string; readonly body: unknown },
  answer: Schema.Schema<A, I>
): Effect.Effect<A, AiError.AiError | BadStatus> =>
  Effect.scoped(
    Effect.gen(function*() {
      const response = yield* client.execute(HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(path), body)).pipe(
        Effect.catchTags({
          RequestError: (error) => Effect.fail(unreachable(module)(error)),
          ResponseError: () => Effect.fail(malformed(module, "The answer broke off"))
        })
      )
      if (response.status < 200 || response.status > 299) return yield* new BadStatus({ status: response.status })
      const text = yield* bodyOf(module, response)
      return yield* Effect.mapError(
        Schema.decodeUnknown(Schema.parseJson(answer))(text),
        () => malformed(module, "The answer is not what the protocol says")
      )
    })
  )

const refusal = "The model refused"

/** The provider works, and its model does not want to answer. */
export const isRefusal = (error: { readonly description?: string | undefined }): boolean => error.description === refusal

interface Texts {
  readonly system: string
  readonly user: string
}

const textsOf = ({ content }: Prompt.Prompt): Texts => ({
  system: content.flatMap((message) => message.role === "system" ? [message.content] : []).join("\n\n"),
  user: content.flatMap((message) =>
    message.role === "user" ? message.content.flatMap((part) => part.type === "text" ? [part.text] : []) : []
  ).join("\n\n")
})

/** A language model that answers with text. `ask` returns null if the model refuses. Errors repeat nothing that the provider wrote. */
export const makeTextModel = (
  module: string,
  ask: (texts: Texts, mostTokens: number) => Effect.Effect<string | null, AiError.AiError | BadStatus>
) =>
  LanguageModel.make({
    generateText: Effect.fnUntraced(function*({ prompt }) {
      const text = yield* Effect.catchTag(
        ask(textsOf(prompt), yield* AnswerLimit),
        "BadStatus",
        ({ status }) =>
          new AiError.UnknownError({ module, method: "generateText", description: `The provider answered ${status}` })
      )
      return text === null ? yield* malformed(module, refusal) : [{ type: "text", text }]
    }),
    streamText: () => Stream.fail(malformed(module, "Nothing here streams"))
  })
