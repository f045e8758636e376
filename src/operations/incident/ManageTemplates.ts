/** Creates, updates, deletes and renders incident templates. */
import { DateTime, Effect, Either } from "effect"
import type { ComponentId, TemplateId, WorkspaceId } from "../../../schema/Ids.ts"
import type { RenderInput, Template, TemplateInput, TemplateUpdate } from "../../../schema/incident/Template.ts"
import {
  renderTemplate,
  settleTemplate,
  settleTemplateEdit,
  type TemplateSettings
} from "../../domain/incident/IncidentTemplate.ts"
import { type Refusal, validationFailure } from "../../domain/Refusal.ts"
import { secondsBetween } from "../../domain/tools/time/Duration.ts"
import { IncidentComponents } from "../../store/incident/IncidentComponents.ts"
import { IncidentTemplates } from "../../store/incident/IncidentTemplates.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { orNoSuch, removed } from "../NoSuch.ts"
import { makeIncidentScope, requireFewPages } from "./IncidentScope.ts"
import { makeRequireIncident } from "./RequireIncident.ts"

const accepted = (settled: Either.Either<TemplateSettings, ReadonlyArray<Refusal>>) => Either.mapLeft(settled, validationFailure)

const componentPath = (index: number) => `componentIds.${index}`

export class ManageTemplates extends Effect.Service<ManageTemplates>()("belltower/ManageTemplates", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const templates = yield* IncidentTemplates
    const components = yield* IncidentComponents
    const scope = yield* makeIncidentScope
    const quotas = yield* Quotas
    const incident = yield* makeRequireIncident

    const require = (workspaceId: WorkspaceId, id: TemplateId) =>
      orNoSuch("incident template", id, templates.find(workspaceId, id))

    /** No incident can be opened with components of too many pages. */
    const requireComponents = (workspaceId: WorkspaceId, componentIds: ReadonlyArray<ComponentId>) =>
      Effect.flatMap(
        scope(workspaceId, { pageIds: [], componentIds, pathOf: componentPath }),
        (pageIds) => requireFewPages(pageIds.length, "componentIds")
      )

    /** Fails with `validation_failed` for a status of the other kind, unknown components or too many pages, and above the cap. */
    const create = Effect.fn("ManageTemplates.create")(function*(workspaceId: WorkspaceId, input: TemplateInput) {
      const settings = yield* accepted(settleTemplate(input))
      yield* requireComponents(workspaceId, settings.componentIds)
      yield* quotas.takeCapped(workspaceId, { templates: 1 })
      return yield* templates.insert(workspaceId, settings, yield* DateTime.now)
    }, transaction)

    /** Fails like `create`, and with `not_found`. */
    const update = Effect.fn("ManageTemplates.update")(
      function*(workspaceId: WorkspaceId, id: TemplateId, input: TemplateUpdate) {
        const { createdAt: _, id: __, updatedAt: ___, ...before } = yield* require(workspaceId, id)
        const settings = yield* accepted(settleTemplateEdit(before, input))
        yield* requireComponents(workspaceId, input.componentIds ?? [])
        return yield* orNoSuch("incident template", id, templates.update(workspaceId, id, settings, yield* DateTime.now))
      },
      transaction
    )

    const remove = Effect.fn("ManageTemplates.remove")((workspaceId: WorkspaceId, id: TemplateId) =>
      removed("incident template", id, templates.remove(workspaceId, id))
    )

    /** The incident that fills a template, with the components to fill it with. */
    const sourceOf = Effect.fnUntraced(function*(workspaceId: WorkspaceId, template: Template, input: RenderInput) {
      if (input.incidentId === undefined) {
        if (input.componentIds !== undefined) yield* requireComponents(workspaceId, input.componentIds)
        return { componentIds: input.componentIds ?? template.componentIds, incident: null }
      }
      const found = yield* incident(workspaceId, input.incidentId)
      const end = found.resolvedAt ?? (yield* DateTime.now)
      const lastedSec = secondsBetween(found.startedAt.epochMillis, end.epochMillis)
      return {
        componentIds: found.components.map(({ componentId }) => componentId),
        incident: { title: found.title, lastedSec }
      }
    })

    /** Fills the placeholders. Fails with `not_found` for the template and the incident, `validation_failed` for a component. */
    const render = Effect.fn("ManageTemplates.render")(function*(workspaceId: WorkspaceId, id: TemplateId, input: RenderInput) {
      const template = yield* require(workspaceId, id)
      const source = yield* sourceOf(workspaceId, template, input)
      const known = yield* components.known(workspaceId, source.componentIds)
      return renderTemplate(template, {
        components: known.map(({ id, name }) => ({ id, name })),
        pageNames: known.map(({ pageName }) => pageName),
        incident: source.incident
      })
    })

    return { list: templates.list, create, update, remove, render }
  })
}) {}
