/** Has AI rewrite a note, if its author asked for it. */
import { Effect } from "effect"
import { Unavailable } from "../../../schema/Errors.ts"
import type { PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { publicTextRefusals } from "../../domain/page/PublicTextGuard.ts"
import { Ai, type WritingRules } from "../../external/ai/AiProvider.ts"
import { Pages } from "../../store/page/Pages.ts"

export const aiNotConfigured = (hint: string) => new Unavailable({ message: "No AI provider is configured", hint })

export interface Note {
  readonly body: string
  /** Whether AI wrote it. */
  readonly ai: boolean
}

/** What pages ask of texts for their visitors. */
export const makeWritingRules = Effect.gen(function*() {
  const pages = yield* Pages
  return Effect.fn("WritingRules.of")(function*(workspaceId: WorkspaceId, pageIds: ReadonlyArray<PageId>) {
    const shown = (yield* pages.list(workspaceId)).filter(({ id }) => pageIds.includes(id))
    const rules: WritingRules = {
      guidelines: shown.flatMap(({ settings }) => settings.aiGuidelines === "" ? [] : [settings.aiGuidelines]),
      avoidTerms: [...new Set(shown.flatMap(({ settings }) => settings.aiAvoidTerms))]
    }
    return rules
  })
})

/**
 * The note as it is posted. A person who asks for polishing may have written what customers must not read, so without a
 * provider the call fails with `unavailable` and posts nothing. A rewritten text that breaks the pages' rules is not used.
 */
export const makePolishNote = Effect.gen(function*() {
  const rulesOf = yield* makeWritingRules
  return Effect.fn("PolishNote.of")(
    function*(workspaceId: WorkspaceId, pageIds: ReadonlyArray<PageId>, body: string, polish: boolean) {
      const asWritten: Note = { body, ai: false }
      if (!polish) return asWritten
      const ai = yield* Ai
      if (ai === null) return yield* aiNotConfigured("Send the text without polish, or configure an AI provider")
      const rules = yield* rulesOf(workspaceId, pageIds)
      const polished = yield* ai.polish(body, rules)
      const refusals = publicTextRefusals("message", polished, { avoidTerms: rules.avoidTerms, confidential: [] })
      return refusals.length > 0 ? asWritten : { body: polished, ai: true } satisfies Note
    }
  )
})
