/** Finds the components that a subscription names by id or key, or fails with `validation_failed`. */
import { Effect } from "effect"
import type { ComponentId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import { Subscribers } from "../../store/subscriber/Subscribers.ts"

export const makeRequireComponents = Effect.map(Subscribers, (subscribers) =>
  Effect.fn("RequireComponents.of")(
    function*(
      page: { readonly workspaceId: WorkspaceId; readonly id: PageId },
      given: ReadonlyArray<string>,
      /** Components that the subscription names already, which may be deleted or hidden meanwhile. */
      named: ReadonlyArray<ComponentId> = []
    ) {
      if (given.length === 0) return []
      const names = given.map(storable)
      const found = yield* subscribers.components(page.workspaceId, page.id, names)
      const kept = named.filter((id) => names.includes(id) && !found.some((one) => one.id === id))
      const refusals = names.flatMap((name, index) =>
        kept.some((id) => id === name) || found.some(({ id, key }) => id === name || key === name)
          ? []
          : [{
            path: `components.${index}`,
            message: `No component ${name} on this page`,
            hint: "Send ids or keys of components. GET /api/v1/public/pages/{slug} lists them"
          }]
      )
      if (refusals.length > 0) return yield* validationFailure(refusals)
      return [...found.map(({ id }) => id), ...kept]
    }
  ))
