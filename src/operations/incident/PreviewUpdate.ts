/** Shows what visitors and subscribers would read of an update, without posting it. */
import { DateTime, Effect, Option } from "effect"
import type { UpdatePreview } from "../../../schema/api/Incidents.ts"
import { type IncidentId, UpdateId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { Incident, PublicUpdate } from "../../../schema/incident/Incident.ts"
import type { IncidentUpdateInput } from "../../../schema/incident/IncidentInput.ts"
import { isOver } from "../../domain/incident/IncidentMachine.ts"
import { reachAfter, reachesTooMany, withListed } from "../../domain/incident/ManualIncident.ts"
import { makePreviewNews } from "../../notify/subscriber/PreviewNews.ts"
import { componentPath, makeIncidentScope, requireFewPages } from "./IncidentScope.ts"
import { makeRequireIncident } from "./RequireIncident.ts"
import { statusAfter } from "./StatusAfter.ts"

export class PreviewUpdate extends Effect.Service<PreviewUpdate>()("belltower/PreviewUpdate", {
  effect: Effect.gen(function*() {
    const newsOf = yield* makePreviewNews
    const require = yield* makeRequireIncident
    const scope = yield* makeIncidentScope

    /** Fails as posting the update would: with `not_found`, `conflict` or `validation_failed`. */
    const preview = Effect.fn("PreviewUpdate.preview")(
      function*(workspaceId: WorkspaceId, id: IncidentId, input: IncidentUpdateInput) {
        const incident = yield* require(workspaceId, id)
        const listed = input.components ?? []
        const componentIds = listed.map(({ componentId }) => componentId)
        const listedOn = yield* scope(workspaceId, { pageIds: [], componentIds, pathOf: componentPath })
        const status = yield* statusAfter(incident, input.status ?? null)
        const at = yield* DateTime.now
        const update: PublicUpdate = {
          id: UpdateId.make("upd_preview", { disableValidation: true }),
          status,
          body: input.message,
          at,
          ai: false,
          public: true
        }
        const reach = isOver(incident.status) ? incident : reachAfter(incident, listedOn, input.public)
        if (reachesTooMany(incident, reach)) yield* requireFewPages(reach.pageIds.length, "components")
        const after: Incident = {
          ...incident,
          public: reach.public,
          pageIds: reach.pageIds,
          status,
          resolvedAt: isOver(status) ? incident.resolvedAt ?? at : null,
          components: listed.length === 0 ? incident.components : withListed(incident.components, listed),
          updates: [...incident.updates, update]
        }
        const shows = reach.public && (input.public ?? true)
        const pages = yield* Effect.forEach(
          shows ? reach.pageIds : [],
          (pageId) =>
            Effect.map(
              newsOf(workspaceId, pageId, after, update),
              Option.map(({ mail, ...news }) => ({
                pageId,
                ...news,
                mail: input.notify === false ? null : { subject: mail.subject, text: mail.text }
              }))
            )
        )
        return { pages: pages.flatMap(Option.toArray) } satisfies UpdatePreview
      }
    )

    return { preview }
  })
}) {}
