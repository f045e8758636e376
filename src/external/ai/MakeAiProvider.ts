/** The configured provider: a language model with slots, a deadline, a pause after repeated failures, and an end. */
import type * as LanguageModel from "@effect/ai/LanguageModel"
import { FetchHttpClient } from "@effect/platform"
import { Clock, Deferred, Duration, Effect } from "effect"
import type { Unavailable } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { makeFairQueue } from "../../domain/tools/queues/FairQueue.ts"
import { makeFairSlots } from "../../loops/FairSlots.ts"
import { crowded, failed, isNoAnswer, isRefused, noAnswer, noSlot, paused, refused, stopping } from "./AiFailures.ts"
import type { AiProvider } from "./AiProvider.ts"
import type { AiProviderName, AiSettings } from "./AiSettings.ts"
import { makeAnthropicModel } from "./AnthropicModel.ts"
import { AnswerLimit, isRefusal } from "./ModelAnswer.ts"
import { makeOpenAiModel } from "./OpenAiModel.ts"

export const defaultAiSlots = {
  /** Calls under way at a time. */
  slots: 8,
  mostPerWorkspace: 3,
  /** Calls that wait, together and of one workspace. Beyond it, calls fail. */
  waiting: { total: 400, perOwner: 40 }
}
export type AiSlotLimits = Readonly<typeof defaultAiSlots>

/** Shares the slots of the provider fairly between workspaces. */
const makeAiSlots = ({ mostPerWorkspace, slots, waiting }: AiSlotLimits) =>
  makeFairSlots(
    makeFairQueue({ slots, mostPerOwner: mostPerWorkspace, room: { ...waiting, weigh: () => 1 } }),
    Effect.fail(crowded)
  )

/** How long an answer may take, including the wait for a slot. After that, the text by rules stands. */
const answerTimeout = Duration.seconds(30)

/** Between a slot and its call. */
const beforeCall = Duration.millis(10)

/** After so many failures in a row, texts that nobody waits for are not asked for during the pause. */
const failuresBeforePause = 5
const pauseMs = 60_000

const models = { anthropic: makeAnthropicModel, openai: makeOpenAiModel } as const satisfies Record<AiProviderName, unknown>

/**
 * Whether the provider is worth asking for texts that nobody waits for. What one workspace asks can make a provider refuse or run
 * out of time, so its failures alone pause nobody else.
 */
const makeHealth = () => {
  let failures = 0
  let pausedUntil = 0
  const failedFor = new Set<WorkspaceId>()
  return {
    isPaused: (workspaceId: WorkspaceId, now: number): boolean =>
      failures >= failuresBeforePause && now < pausedUntil && (failedFor.size > 1 || failedFor.has(workspaceId)),
    count: (workspaceId: WorkspaceId, end: "answer" | "failure", now: number): void => {
      failures = end === "answer" ? 0 : failures + 1
      if (end === "answer") failedFor.clear()
      else if (failedFor.size < 2) failedFor.add(workspaceId)
      if (failures >= failuresBeforePause) pausedUntil = now + pauseMs
    }
  }
}

/** Redirects are refused, because the next host would get the key. */
const httpClient = FetchHttpClient.layer
const noRedirects = { redirect: "error" } as const satisfies RequestInit

/** Describes the problem to the operator, without the provider's text: it may repeat the key or the prompt. */
const reasonOf = (error: { readonly _tag: string; readonly description?: string | undefined }): string =>
  error._tag === "HttpRequestError" ? "it cannot be reached" : error.description ?? error._tag

export const makeAiProvider = Effect.fn("AiProvider.make")(
  function*(settings: AiSettings, limits: AiSlotLimits = defaultAiSlots, timeout: Duration.Duration = answerTimeout) {
    const model: LanguageModel.Service = yield* models[settings.provider](settings)
    const inSlot = makeAiSlots(limits)
    const closing = yield* Deferred.make<never, Unavailable>()
    const health = makeHealth()

    const ask: AiProvider["ask"] = (workspaceId, { mostTokens, system, user }, urgency) =>
      Effect.gen(function*() {
        if (urgency === "background" && health.isPaused(workspaceId, yield* Clock.currentTimeMillis)) return yield* paused
        let begunAt: number | null = null
        const count = (end: "answer" | "failure") =>
          Effect.map(Clock.currentTimeMillis, (now) => health.count(workspaceId, end, now))
        const call = model.generateText({
          prompt: [{ role: "system", content: system }, { role: "user", content: user }]
        }).pipe(
          Effect.map(({ text }) => text),
          Effect.provideService(AnswerLimit, mostTokens),
          Effect.provideService(FetchHttpClient.RequestInit, noRedirects),
          Effect.tapError((error) => Effect.logWarning(`The AI provider gave no text: ${reasonOf(error)}`)),
          Effect.mapError((error) => isRefusal(error) ? refused : failed)
        )
        const counted = Effect.tapBoth(call, {
          onFailure: (error) => count(isRefused(error) ? "answer" : "failure"),
          onSuccess: () => count("answer")
        })
        // A slot that comes just as the time ends is none.
        const begin = Effect.delay(
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            begunAt = now
            return counted
          }),
          beforeCall
        )
        /** A question that was asked late says nothing about the provider. */
        const blame = Effect.flatMap(Clock.currentTimeMillis, (now) =>
          begunAt !== null && now - begunAt > Duration.toMillis(timeout) / 3 ? count("failure") : Effect.void)
        return yield* inSlot(workspaceId, begin, urgency === "caller").pipe(
          Effect.timeoutFail({
            duration: timeout,
            onTimeout: () =>
              begunAt === null ? noSlot : noAnswer
          }),
          Effect.tapError((error) => isNoAnswer(error) ? blame : Effect.void),
          Effect.raceFirst(Deferred.await(closing))
        )
      })

    const provider: AiProvider = { ask, close: Effect.asVoid(Deferred.fail(closing, stopping)) }
    return provider
  },
  Effect.provide(httpClient)
)
