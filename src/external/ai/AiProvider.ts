/** The interface to the provider of AI texts; absent if none is configured. */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../../../schema/Errors.ts"
import type { AiReport } from "../../../schema/incident/AiReport.ts"
import type { Incident } from "../../../schema/incident/Incident.ts"

/** What a page asks of texts for its visitors. */
export interface WritingRules {
  readonly guidelines: ReadonlyArray<string>
  readonly avoidTerms: ReadonlyArray<string>
}

export interface AiProvider {
  /** Rewrites a person's note for customers. */
  readonly polish: (note: string, rules: WritingRules) => Effect.Effect<string, Unavailable>
  /** Analyzes an incident for the team. */
  readonly analyze: (incident: Incident) => Effect.Effect<Omit<AiReport, "at">, Unavailable>
  /** Writes a postmortem; `draft` is the one written without AI. */
  readonly postmortem: (
    incident: Incident,
    draft: string
  ) => Effect.Effect<{ readonly markdown: string; readonly publicSummary: string }, Unavailable>
}

/** Null if no provider is configured: then AI fields are null, and operations that need AI are unavailable. */
export class Ai extends Context.Reference<Ai>()("belltower/Ai", {
  defaultValue: (): AiProvider | null => null
}) {}
