/**
 * Anthropic's Messages API as a language model. The request is made by the client of @effect/ai-anthropic; its answer is read
 * leniently, because servers that speak the protocol leave fields out that the library requires.
 */
import { make as makeClient } from "@effect/ai-anthropic/AnthropicClient"
import * as LanguageModel from "@effect/ai/LanguageModel"
import { Effect, Option, Schema, Stream } from "effect"
import { type AiSettings, baseAddress } from "./AiSettings.ts"
import { AnswerLimit, exchange, malformed, statusError, textsOf } from "./ModelAnswer.ts"

const module = "AnthropicModel"

const Message = Schema.Struct({
  content: Schema.Array(Schema.Struct({ type: Schema.String, text: Schema.optional(Schema.NullOr(Schema.String)) })),
  stop_reason: Schema.optional(Schema.NullOr(Schema.String))
})

export const makeAnthropicModel = Effect.fn("AnthropicModel.make")(function*({ key, model, provider, url }: AiSettings) {
  const { client } = yield* makeClient({ apiKey: Option.getOrUndefined(key), apiUrl: baseAddress(provider, url) })
  return yield* LanguageModel.make({
    generateText: Effect.fnUntraced(function*({ prompt }) {
      const { system, user } = textsOf(prompt)
      const body = { model, max_tokens: yield* AnswerLimit, system, messages: [{ role: "user", content: user }] }
      const message = yield* exchange(client.httpClient, { module, path: "/v1/messages", body }, Message).pipe(
        Effect.catchTag("BadStatus", (status) => statusError(module, status))
      )
      if (message.stop_reason === "refusal") return yield* malformed(module, "The model refused")
      const text = message.content.flatMap((part) => part.type === "text" ? [part.text ?? ""] : []).join("")
      return [{ type: "text", text }]
    }),
    streamText: () => Stream.fail(malformed(module, "Nothing here streams"))
  })
})
