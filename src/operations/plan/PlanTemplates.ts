/** Compares the incident templates of a document with those of the workspace. */
import { Array as Arr, Effect, Either } from "effect"
import { ComponentId, TemplateId } from "../../../schema/Ids.ts"
import type { TemplateEntry, WorkspaceDocument } from "../../../schema/plan/WorkspaceDocument.ts"
import { settleTemplate } from "../../domain/incident/IncidentTemplate.ts"
import { sameValue } from "../../domain/plan/FieldChanges.ts"
import { templateFields } from "../../domain/plan/ThingFields.ts"
import type { Refusal } from "../../domain/Refusal.ts"
import { ManageTemplates } from "../incident/ManageTemplates.ts"
import { currentTemplate } from "./CurrentFields.ts"
import type { Findings } from "./Findings.ts"
import type { WorkspaceState } from "./LoadWorkspace.ts"
import { componentKey, type Made, type Step, stepOf } from "./Step.ts"

const knownComponents = (
  { components, keys }: WorkspaceState,
  { pages = [] }: WorkspaceDocument,
  { pruned }: Findings
): ReadonlySet<string> =>
  new Set([
    ...components
      .filter(({ id, pageId }) => !pruned.has(id) && !pruned.has(pageId))
      .map(({ key, pageId }) => componentKey(keys.page.keyOf.get(pageId) ?? "", key)),
    ...pages.flatMap((page) => (page.components ?? []).map(({ key }) => componentKey(page.key, key)))
  ])

const unknownComponents = ({ components = [] }: TemplateEntry, known: ReadonlySet<string>): ReadonlyArray<Refusal> =>
  components.flatMap(({ component, page }, index) =>
    known.has(componentKey(page, component)) ? [] : [{
      path: `components.${index}`,
      message: `No component with the key ${component} on a page with the key ${page} in the document or the workspace`
    }]
  )

export const makePlanTemplates = Effect.gen(function*() {
  const manage = yield* ManageTemplates

  return (state: WorkspaceState, document: WorkspaceDocument, findings: Findings): ReadonlyArray<Step> => {
    const { workspaceId } = state
    const known = knownComponents(state, document, findings)
    const stepFor = (entry: TemplateEntry, index: number): ReadonlyArray<Step> => {
      const { components: given = [], key, ...settings } = entry
      const components = Arr.dedupeWith(given, sameValue)
      const at = `templates.${index}`
      findings.refuse(at, unknownComponents(entry, known))
      const settled = settleTemplate(settings)
      if (Either.isLeft(settled)) {
        findings.refuse(at, settled.left)
        return []
      }
      const id = state.keys.template.idOf.get(key) ?? null
      const current = id === null ? null : state.templates.get(id) ?? null
      const inputOf = (made: Made) => ({
        ...settled.right,
        componentIds: components.map(({ component, page }) =>
          ComponentId.make(made.idOf("component", componentKey(page, component)))
        )
      })
      return [stepOf({
        kind: "template",
        key,
        id,
        name: entry.name,
        from: current === null ? null : currentTemplate(state, current),
        to: templateFields(settled.right, components),
        create: (made) => manage.create(workspaceId, inputOf(made)),
        update: (made, known) => manage.update(workspaceId, TemplateId.make(known), inputOf(made))
      })]
    }
    return (document.templates ?? []).flatMap(stepFor)
  }
})
