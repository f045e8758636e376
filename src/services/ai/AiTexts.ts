/** Asks the AI provider for each kind of text: counts it against the plan, composes the prompt, and reads the answer. */
import { Cause, DateTime, Effect, Option } from "effect"
import { randomBytes } from "node:crypto"
import type { Digest } from "../../../schema/digest/Digest.ts"
import { type PlanLimit, Unavailable } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { AiReport } from "../../../schema/incident/AiReport.ts"
import type { Incident } from "../../../schema/incident/Incident.ts"
import { readPostmortem, readReport, readText } from "../../domain/ai/Answers.ts"
import type { ReportedCheck } from "../../domain/ai/IncidentFacts.ts"
import {
  type AiPrompt,
  digestPrompt,
  polishPrompt,
  postmortemPrompt,
  type PublicWriting,
  type ReportPhase,
  reportPrompt
} from "../../domain/ai/Prompts.ts"
import { neutralText, publicAiText } from "../../domain/ai/PublicAiText.ts"
import { planRefusal } from "../../domain/billing/PlanLimits.ts"
import { plans } from "../../domain/billing/Plans.ts"
import { hasWorked, isFailure } from "../../external/ai/AiFailures.ts"
import { Ai, type AiProvider, type AiUrgency } from "../../external/ai/AiProvider.ts"
import { AiUsage } from "../../store/ai/AiUsage.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"
import { makeLoadFacts } from "./LoadFacts.ts"
import { makePublicRules } from "./PublicWriting.ts"

const aiNotConfigured = (hint: string) => new Unavailable({ message: "No AI provider is configured", hint })

const unusable = new Unavailable({
  message: "The AI provider's answer could not be used",
  hint: "Try again, or go on without AI"
})

const gone = new Unavailable({ message: "The workspace has been deleted", hint: "Create a new workspace" })

const isUnusable = isFailure(unusable)

const isCounted = (cause: Cause.Cause<unknown>): boolean =>
  Cause.isInterruptedOnly(cause) || Option.exists(Cause.failureOption(cause), (error) => isUnusable(error) || hasWorked(error))

/** Unpredictable, so that no text can end the block of data that it marks. */
const newMark = Effect.sync(() => randomBytes(9).toString("hex"))

export interface WrittenReport {
  readonly report: AiReport
  /** Whether the model's summary for customers passed the guard. */
  readonly passed: boolean
}

export class AiTexts extends Effect.Service<AiTexts>()("belltower/AiTexts", {
  effect: Effect.gen(function*() {
    const usage = yield* AiUsage
    const workspaces = yield* Workspaces
    const loadFacts = yield* makeLoadFacts
    const rulesOf = yield* makePublicRules

    /** Counts a text, or fails with `plan_limit`. */
    const take = Effect.fnUntraced(function*(workspaceId: WorkspaceId) {
      const workspace = yield* workspaces.get(workspaceId)
      if (Option.isNone(workspace)) return yield* gone
      const { plan } = workspace.value
      const { aiReportsPerMonth: limit } = plans[plan]
      const month = yield* usage.take(workspaceId, limit)
      if (Option.isSome(month)) return month.value
      const had = limit ?? 0
      const refusal = planRefusal(plan, [{ limit: "aiReportsPerMonth", had, wanted: had + 1 }])
      return yield* refusal ?? gone
    })

    /**
     * A text that the provider did not work on is not counted. One that it refused, that could not be used or that its caller left
     * is: a workspace could otherwise use the provider without end. No transaction or connection is open meanwhile.
     */
    const ask = <A>(
      ai: AiProvider,
      workspaceId: WorkspaceId,
      prompt: AiPrompt,
      urgency: AiUrgency,
      read: (answer: string) => Option.Option<A>
    ): Effect.Effect<A, Unavailable | PlanLimit> =>
      Effect.flatMap(take(workspaceId), (month) =>
        ai.ask(workspaceId, prompt, urgency).pipe(
          Effect.map(read),
          Effect.flatMap(Option.match({ onNone: () => unusable, onSome: (text) => Effect.succeed(text) })),
          Effect.tapError((error) =>
            isUnusable(error) ? Effect.logWarning("The answer of the AI provider could not be used") : Effect.void
          ),
          Effect.onError((cause) => isCounted(cause) ? Effect.void : usage.giveBack(workspaceId, month))
        ))

    const configured = (hint: string): Effect.Effect<AiProvider, Unavailable> =>
      Effect.flatMap(Ai, (ai) => (ai === null ? aiNotConfigured(hint) : Effect.succeed(ai)))

    return {
      /** Fails with `unavailable` if no provider answers, and with `plan_limit` if the month's reports are used up. */
      report: Effect.fn("AiTexts.report")(
        function*(
          workspaceId: WorkspaceId,
          incident: Incident,
          phase: ReportPhase,
          urgency: AiUrgency,
          seen: ReportedCheck | null
        ) {
          const ai = yield* configured("Reports need an AI provider; the incident is unchanged")
          const facts = yield* loadFacts(workspaceId, incident, seen)
          const rules = yield* rulesOf(workspaceId, incident)
          const prompt = reportPrompt(facts, phase, rules, yield* newMark)
          const found = yield* ask(ai, workspaceId, prompt, urgency, (answer) => readReport(answer, incident.impact))
          const at = yield* DateTime.now
          const shown = publicAiText(found.publicSummary, rules, neutralText(incident, facts.components, at))
          const written: WrittenReport = { report: { ...found, publicSummary: shown.body, at }, passed: shown.ai }
          return written
        }
      ),
      /** A person's note, rewritten. It is not guarded yet. */
      polish: Effect.fn("AiTexts.polish")(
        function*(workspaceId: WorkspaceId, note: string, isPublic: boolean, writing: PublicWriting) {
          const ai = yield* configured("Send the text without polish, or configure an AI provider")
          const prompt = polishPrompt(note, isPublic, writing, yield* newMark)
          return yield* ask(ai, workspaceId, prompt, "caller", (answer) => readText(answer, 10_000))
        }
      ),
      /** A postmortem. Its summary for customers is guarded; null if there is none. */
      postmortem: Effect.fn("AiTexts.postmortem")(function*(workspaceId: WorkspaceId, incident: Incident, draft: string) {
        const ai = yield* configured("Postmortems by AI need a provider")
        const facts = yield* loadFacts(workspaceId, incident, null)
        const rules = yield* rulesOf(workspaceId, incident)
        const prompt = postmortemPrompt(facts, draft, rules, yield* newMark)
        const { markdown, publicSummary } = yield* ask(ai, workspaceId, prompt, "caller", readPostmortem)
        const neutral = neutralText(incident, facts.components, yield* DateTime.now)
        return { markdown, publicSummary: publicAiText(publicSummary, rules, neutral).body }
      }),
      /** A few sentences about a week; none without a provider, an answer, or a report left in the month. */
      digest: Effect.fn("AiTexts.digest")(function*(digest: Digest, urgency: AiUrgency) {
        const ai = yield* Ai
        if (ai === null) return null
        const { workspace: { id } } = digest
        return yield* ask(ai, id, digestPrompt(digest, yield* newMark), urgency, (answer) => readText(answer, 1_200)).pipe(
          Effect.catchAll(() => Effect.succeed(null))
        )
      })
    }
  }),
  dependencies: [AiUsage.Default]
}) {}
