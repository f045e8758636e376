/** Says in the answer to a creation what the new thing repeats: an agent that begins again creates what it has. */
import { Effect, Option } from "effect"
import type { WorkspaceId } from "../../schema/Ids.ts"
import { maskUrls } from "../domain/secret/UrlSecrets.ts"
import { type DuplicateNoun, Duplicates } from "../store/Duplicates.ts"

/** The words for what the other one does already, and the path that deletes one. */
const texts = {
  monitor: ["already watches the same target or job", "monitors/{id}"],
  page: ["has the same name", "pages/{pageId}"],
  component: ["has the same name on this page", "components/{id}"],
  channel: ["receives at the same address already, so each alert arrives twice", "channels/{id}"],
  schedule: ["has the same name", "oncall/schedules/{id}"],
  policy: ["has the same name", "escalation-policies/{id}"],
  template: ["has the same name", "incident-templates/{id}"]
} as const satisfies Record<DuplicateNoun, unknown>

interface Created {
  readonly id: string
  readonly warnings?: ReadonlyArray<string>
}

export class WarnOfDuplicates extends Effect.Service<WarnOfDuplicates>()("belltower/WarnOfDuplicates", {
  effect: Effect.map(Duplicates, (duplicates) => {
    const warnings = (noun: DuplicateNoun, workspaceId: WorkspaceId, id: string): Effect.Effect<ReadonlyArray<string>> => {
      const [same, path] = texts[noun]
      return Effect.map(
        duplicates.find(noun, workspaceId, id),
        Option.match({
          onNone: () => [],
          onSome: (one) => [`${maskUrls(one.name)} (${one.id}) ${same}. To keep one, use DELETE /api/v1/${path}.`]
        })
      )
    }
    return {
      warnings,
      /** The answer to a creation, with a warning if the new thing repeats another. */
      after: <A extends Created, E, R>(noun: DuplicateNoun, workspaceId: WorkspaceId, creating: Effect.Effect<A, E, R>) =>
        Effect.gen(function*() {
          const created = yield* creating
          const found = yield* warnings(noun, workspaceId, created.id)
          return found.length === 0 ? created : { ...created, warnings: [...created.warnings ?? [], ...found] }
        })
    }
  })
}) {}
