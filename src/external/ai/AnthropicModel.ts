/** Anthropic's Messages API as a language model. Answers are read leniently: compatible servers leave fields out. */
import { make as makeClient } from "@effect/ai-anthropic/AnthropicClient"
import { Effect, Option, Schema } from "effect"
import { type AiSettings, baseAddress } from "./AiSettings.ts"
import { exchange, makeTextModel } from "./ModelAnswer.ts"

const module = "AnthropicModel"

const Message = Schema.Struct({
  content: Schema.Array(Schema.Struct({ type: Schema.String, text: Schema.optional(Schema.NullOr(Schema.String)) })),
  stop_reason: Schema.optional(Schema.NullOr(Schema.String))
})

export const makeAnthropicModel = Effect.fn("AnthropicModel.make")(function*({ key, model, provider, url }: AiSettings) {
  const { client } = yield* makeClient({ apiKey: Option.getOrUndefined(key), apiUrl: baseAddress(provider, url) })
  return yield* makeTextModel(module, ({ system, user }, mostTokens) => {
    const body = { model, max_tokens: mostTokens, system, messages: [{ role: "user", content: user }] }
    return Effect.map(
      exchange(client.httpClient, { module, path: "/v1/messages", body }, Message),
      ({ content, stop_reason }) =>
        stop_reason === "refusal" ? null : content.map(({ text, type }) => type === "text" ? text ?? "" : "").join("")
    )
  })
})
