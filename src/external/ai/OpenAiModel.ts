/** OpenAI's protocol as a language model: chat completions, or responses where a server has only those. Answers are read leniently. */
import { make as makeClient } from "@effect/ai-openai/OpenAiClient"
import { Effect, Option, Schema } from "effect"
import { aiDefaults, type AiSettings, baseAddress } from "./AiSettings.ts"
import { type BadStatus, exchange, makeTextModel } from "./ModelAnswer.ts"

const module = "OpenAiModel"

const text = Schema.optional(Schema.NullOr(Schema.String))

const Completion = Schema.Struct({
  choices: Schema.NonEmptyArray(Schema.Struct({
    message: Schema.Struct({ content: text, refusal: text }),
    finish_reason: text
  }))
})

const Responded = Schema.Struct({
  output: Schema.Array(Schema.Struct({
    type: Schema.String,
    content: Schema.optional(Schema.NullOr(Schema.Array(Schema.Struct({ type: Schema.String, text, refusal: text }))))
  }))
})

const isMissing = ({ status }: { readonly status: number }) => status === 404 || status === 405 || status === 501

export const makeOpenAiModel = Effect.fn("OpenAiModel.make")(function*({ key, model, provider, url }: AiSettings) {
  const { client: { httpClient } } = yield* makeClient({
    apiKey: Option.getOrUndefined(key),
    apiUrl: baseAddress(provider, url)
  })
  // OpenAI's newer models refuse the old name of the limit, and other servers may not know the new one.
  const limit = url === aiDefaults.openai.url ? "max_completion_tokens" : "max_tokens"
  let speaks: "completions" | "responses" = "completions"

  const complete = Effect.fnUntraced(function*(system: string, user: string, most: number) {
    const messages = [{ role: "system", content: system }, { role: "user", content: user }]
    const body = { model, messages, [limit]: most }
    const { choices: [{ finish_reason, message }] } = yield* exchange(
      httpClient,
      { module, path: "/chat/completions", body },
      Completion
    )
    return finish_reason === "content_filter" || (message.refusal ?? "") !== "" ? null : message.content ?? ""
  })

  const respond = Effect.fnUntraced(function*(system: string, user: string, most: number) {
    const body = { model, instructions: system, input: user, max_output_tokens: most, store: false }
    const { output } = yield* exchange(httpClient, { module, path: "/responses", body }, Responded)
    const parts = output.flatMap(({ content }) => content ?? [])
    return parts.some(({ refusal }) => (refusal ?? "") !== "") ? null : parts.map((part) => part.text ?? "").join("")
  })

  return yield* makeTextModel(
    module,
    ({ system, user }, most) =>
      Effect.suspend(() => speaks === "responses" ? respond(system, user, most) : complete(system, user, most)).pipe(
        Effect.catchIf(
          (error): error is BadStatus => speaks === "completions" && error._tag === "BadStatus" && isMissing(error),
          (missing) =>
            respond(system, user, most).pipe(
              Effect.tap(() => {
                speaks = "responses"
              }),
              // The first answer says what is wrong where the server has neither.
              Effect.mapError((error) => (error._tag === "BadStatus" ? missing : error))
            )
        )
      )
  )
})
