/** The rules for texts for customers: those of the pages that show an incident, and the texts that the guard removes. */
import { Effect, Option } from "effect"
import type { MonitorId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import type { PublicWriting } from "../../domain/ai/Prompts.ts"
import { confidentialTexts } from "../../domain/monitor/settings/ConfidentialTexts.ts"
import type { PublicTextPolicy } from "../../domain/page/PublicTextGuard.ts"
import { Monitors } from "../../store/monitor/Monitors.ts"
import { Pages } from "../../store/page/Pages.ts"

interface PublicRules extends PublicWriting, PublicTextPolicy {
  /** Whether every page that shows the incident lets AI write updates. */
  readonly allowsUpdates: boolean
}

interface Shown {
  readonly pageIds: ReadonlyArray<PageId>
  readonly monitorId: MonitorId | null
}

export const makePublicRules = Effect.gen(function*() {
  const pages = yield* Pages
  const monitors = yield* Monitors

  const confidentialOf = (workspaceId: WorkspaceId, id: MonitorId | null) =>
    id === null ? Effect.succeed([]) : Effect.map(
      Effect.orDie(monitors.find(workspaceId, id)),
      Option.match({
        onNone: () => [],
        onSome: ({ lastCheck, target }) => [
          ...confidentialTexts(target),
          ...Option.toArray(Option.fromNullable(lastCheck?.error))
        ]
      })
    )

  return Effect.fn("PublicRules.of")(function*(workspaceId: WorkspaceId, { monitorId, pageIds }: Shown) {
    const found = pageIds.length === 0 ? [] : yield* pages.list(workspaceId)
    const shown = found.filter(({ id }) => pageIds.includes(id))
    const [language = "auto"] = shown.map(({ settings }) => settings.language)
    const rules: PublicRules = {
      guidelines: shown.flatMap(({ settings }) => settings.aiGuidelines === "" ? [] : [settings.aiGuidelines]),
      avoidTerms: [...new Set(shown.flatMap(({ settings }) => settings.aiAvoidTerms))],
      language: language === "auto" ? "en" : language,
      allowsUpdates: shown.length > 0 && shown.every(({ settings }) => settings.aiPublicUpdates),
      confidential: yield* confidentialOf(workspaceId, monitorId)
    }
    return rules
  })
})
