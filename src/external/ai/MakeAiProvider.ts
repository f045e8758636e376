/** The configured provider: a language model with turns, a deadline, a pause after repeated failures, and an end. */
import type * as LanguageModel from "@effect/ai/LanguageModel"
import { FetchHttpClient } from "@effect/platform"
import { Clock, Deferred, Duration, Effect } from "effect"
import { Unavailable } from "../../../schema/Errors.ts"
import { makeFairQueue } from "../../domain/tools/FairQueue.ts"
import { makeFairTurns } from "../../loops/FairTurns.ts"
import type { AiProvider } from "./AiProvider.ts"
import type { AiProviderName, AiSettings } from "./AiSettings.ts"
import { makeAnthropicModel } from "./AnthropicModel.ts"
import { AnswerLimit } from "./ModelAnswer.ts"
import { makeOpenAiModel } from "./OpenAiModel.ts"

export const defaultAiTurns = {
  /** Calls under way at a time. */
  slots: 8,
  mostPerWorkspace: 3,
  /** Calls that wait, together and of one workspace. Beyond it, calls fail. */
  waiting: { total: 400, perOwner: 40 }
}
export type AiTurnLimits = Readonly<typeof defaultAiTurns>

const crowded = Effect.fail(
  new Unavailable({
    message: "Too many AI texts are being written",
    hint: "Try again in a minute"
  })
)

/** Shares the slots of the provider fairly between workspaces. */
const makeAiTurns = ({ mostPerWorkspace, slots, waiting }: AiTurnLimits) =>
  makeFairTurns(makeFairQueue({ slots, mostPerOwner: mostPerWorkspace, room: { ...waiting, weigh: () => 1 } }), crowded)

/** How long an answer may take, including the wait for a slot. After that, the text by rules stands. */
const answerTimeout = Duration.seconds(30)

/** After so many failures in a row, texts that nobody waits for are not asked for during the pause. */
const failuresBeforePause = 5
const pauseMs = 60_000

const models = { anthropic: makeAnthropicModel, openai: makeOpenAiModel } as const satisfies Record<AiProviderName, unknown>

const unavailable = (message: string) => new Unavailable({ message, hint: "Try again in a minute, or go on without AI" })

const noAnswer = unavailable("The AI provider did not answer within 30 s")
const failed = unavailable("The AI provider failed or refused")
const paused = unavailable("The AI provider has failed repeatedly")
const stopping = unavailable("The service is restarting")

/** Redirects are refused, because the next host would get the key. */
const httpClient = FetchHttpClient.layer
const noRedirects = { redirect: "error" } as const satisfies RequestInit

/** Describes the problem to the operator, without the provider's text: it may repeat the key or the prompt. */
const reasonOf = (error: { readonly _tag: string; readonly description?: string | undefined }): string =>
  error._tag === "HttpRequestError" ? "it cannot be reached" : error.description ?? error._tag

export const makeAiProvider = Effect.fn("AiProvider.make")(
  function*(settings: AiSettings, limits: AiTurnLimits = defaultAiTurns, timeout: Duration.Duration = answerTimeout) {
    const model: LanguageModel.Service = yield* models[settings.provider](settings)
    const inTurn = makeAiTurns(limits)
    const closing = yield* Deferred.make<never, Unavailable>()
    let failures = 0
    let pausedUntil = 0

    const count = (succeeded: boolean) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        failures = succeeded ? 0 : failures + 1
        if (failures >= failuresBeforePause) pausedUntil = now + pauseMs
      })

    const ask: AiProvider["ask"] = (workspaceId, { mostTokens, system, user }, urgency) =>
      Effect.gen(function*() {
        if (urgency === "background" && failures >= failuresBeforePause && (yield* Clock.currentTimeMillis) < pausedUntil) {
          return yield* paused
        }
        const call = model.generateText({
          prompt: [{ role: "system", content: system }, { role: "user", content: user }]
        }).pipe(
          Effect.map(({ text }) => text),
          Effect.provideService(AnswerLimit, mostTokens),
          Effect.provideService(FetchHttpClient.RequestInit, noRedirects),
          Effect.tapError((error) => Effect.logWarning(`The AI provider gave no text: ${reasonOf(error)}`)),
          Effect.mapError(() => failed)
        )
        return yield* inTurn(
          workspaceId,
          Effect.tapBoth(call, {
            onFailure: () => count(false),
            onSuccess: () => count(true)
          }),
          urgency === "caller"
        ).pipe(
          Effect.timeoutFail({ duration: timeout, onTimeout: () => noAnswer }),
          Effect.tapError((error) => error === noAnswer ? count(false) : Effect.void),
          Effect.raceFirst(Deferred.await(closing))
        )
      })

    const provider: AiProvider = { ask, close: Effect.asVoid(Deferred.fail(closing, stopping)) }
    return provider
  },
  Effect.provide(httpClient)
)
