/** Has AI rewrite a note, if its author asked for it. */
import { DateTime, Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Incident, SetComponent } from "../../../schema/incident/Incident.ts"
import { neutralText, type PublicAiText, publicAiText } from "../../domain/ai/PublicAiText.ts"
import { namesOf } from "../../domain/incident/ComponentOutage.ts"
import { AiTexts } from "../../services/ai/AiTexts.ts"
import { makePublicRules } from "../../services/ai/PublicWriting.ts"
import { IncidentComponents } from "../../store/incident/IncidentComponents.ts"

interface Noted extends Pick<Incident, "kind" | "status" | "startedAt" | "pageIds" | "monitorId"> {
  readonly components: ReadonlyArray<SetComponent>
}

/**
 * The note as it is posted. A person who asks for polishing may have written what customers must not read, so without a
 * provider the call fails with `unavailable` and posts nothing, and a rewritten text that breaks the pages' rules is replaced by
 * a neutral one. Fails with `plan_limit` if the month's AI texts are used up.
 */
export const makePolishNote = Effect.gen(function*() {
  const texts = yield* AiTexts
  const rulesOf = yield* makePublicRules
  const store = yield* IncidentComponents
  /** An internal note is not for customers, so nothing guards it. */
  return Effect.fn("PolishNote.of")(function*(workspaceId: WorkspaceId, about: Noted, body: string, isPublic: boolean) {
    const rules = yield* rulesOf(workspaceId, about)
    const polished = yield* texts.polish(workspaceId, body, isPublic, rules)
    const written: PublicAiText = { body: polished, ai: true }
    if (!isPublic) return written
    const affected = yield* store.known(workspaceId, about.components.map(({ componentId }) => componentId))
    const names = namesOf(affected)
    return publicAiText(polished, rules, neutralText(about, names, yield* DateTime.now))
  })
})
