/** The pages and components that an input names: both must exist in the workspace, and the pages must not be too many. */
import { Effect } from "effect"
import type { ValidationFailed } from "../../../schema/Errors.ts"
import type { ComponentId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import type { SetComponent } from "../../../schema/incident/Incident.ts"
import { pagesRefusal } from "../../domain/incident/ManualIncident.ts"
import { type Refusal, validationFailure } from "../../domain/Refusal.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import { unknownComponent, unknownPage } from "../../domain/UnknownReference.ts"
import { IncidentComponents } from "../../store/incident/IncidentComponents.ts"

/** `pathOf` is the field that names a component, by its index. `kept`: those that the incident has, which may be deleted meanwhile. */
interface Named {
  readonly pageIds: ReadonlyArray<string>
  readonly componentIds: ReadonlyArray<ComponentId>
  readonly pathOf: (index: number) => string
  readonly kept?: ReadonlyArray<SetComponent>
}

export const makeIncidentScope = Effect.gen(function*() {
  const store = yield* IncidentComponents

  /** The pages that are named by id or slug, and those of the components. Fails with `validation_failed` for an unknown one. */
  return Effect.fn("IncidentScope.of")(
    function*(workspaceId: WorkspaceId, named: Named): Effect.fn.Return<ReadonlyArray<PageId>, ValidationFailed> {
      const wanted = named.pageIds.map(storable)
      const pages = yield* store.knownPages(workspaceId, wanted)
      const components = yield* store.known(workspaceId, named.componentIds)
      const knownIds = new Set([...components.map(({ id }) => id), ...(named.kept ?? []).map(({ componentId }) => componentId)])
      const refusals: ReadonlyArray<Refusal> = [
        ...wanted.flatMap((name, index) =>
          pages.some(({ id, slug }) => id === name || slug === name)
            ? []
            : [unknownPage(`pageIds.${index}`, name)]
        ),
        ...named.componentIds.flatMap((id, index) => knownIds.has(id) ? [] : [unknownComponent(named.pathOf(index), id)])
      ]
      if (refusals.length > 0) return yield* validationFailure(refusals)
      return [...new Set([...pages.map(({ id }) => id), ...components.map(({ pageId }) => pageId)])]
    }
  )
})

export const requireFewPages = (...[pages, path]: Parameters<typeof pagesRefusal>): Effect.Effect<void, ValidationFailed> => {
  const refusal = pagesRefusal(pages, path)
  return refusal === null ? Effect.void : Effect.fail(validationFailure([refusal]))
}

export const componentPath = (index: number) => `components.${index}.componentId`
