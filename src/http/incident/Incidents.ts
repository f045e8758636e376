/** Serves incidents, maintenance windows, their templates and postmortems. */
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { AcknowledgeIncident } from "../../operations/incident/AcknowledgeIncident.ts"
import { AnalyzeIncident } from "../../operations/incident/AnalyzeIncident.ts"
import { ManagePostmortems } from "../../operations/incident/ManagePostmortems.ts"
import { ManageTemplates } from "../../operations/incident/ManageTemplates.ts"
import { OpenIncident } from "../../operations/incident/OpenIncident.ts"
import { PreviewUpdate } from "../../operations/incident/PreviewUpdate.ts"
import { ReadIncidents } from "../../operations/incident/ReadIncidents.ts"
import { UpdateIncident } from "../../operations/incident/UpdateIncident.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const defaultLimit = 50

const withWorkspace = <A, E, R>(use: (workspaceId: WorkspaceId) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Access, ({ workspaceId }) => use(workspaceId))

export const IncidentsLive = operationGroup(Api, "Incidents", (handlers) =>
  Effect.gen(function*() {
    const reading = yield* ReadIncidents
    const opening = yield* OpenIncident
    const updating = yield* UpdateIncident
    const previewing = yield* PreviewUpdate
    const acknowledging = yield* AcknowledgeIncident
    const analyzing = yield* AnalyzeIncident
    const postmortems = yield* ManagePostmortems
    const templates = yield* ManageTemplates

    return handlers
      .handle("list_incidents", ({ urlParams }) =>
        withWorkspace((id) =>
          reading.list(id, {
            open: urlParams.open ?? false,
            kind: urlParams.kind ?? null,
            page: urlParams.pageId ?? null,
            monitorId: urlParams.monitorId ?? null,
            before: urlParams.before ?? null,
            limit: urlParams.limit ?? defaultLimit
          })
        ))
      .handle("get_incident", ({ path }) => withWorkspace((id) => reading.get(id, path.id)))
      .handle("create_incident", ({ payload }) => withWorkspace((id) => opening.create(id, payload)))
      .handle("post_incident_update", ({ path, payload }) => withWorkspace((id) => updating.post(id, path.id, payload)))
      .handle("preview_incident_update", ({ path, payload }) => withWorkspace((id) => previewing.preview(id, path.id, payload)))
      .handle("resolve_incident", ({ path, payload }) => withWorkspace((id) => updating.resolve(id, path.id, payload)))
      .handle("analyze_incident", ({ path }) => withWorkspace((id) => analyzing.analyze(id, path.id)))
      .handle("schedule_maintenance", ({ payload }) => withWorkspace((id) => opening.schedule(id, payload)))
      .handle("acknowledge_incident", ({ path, payload }) =>
        Effect.flatMap(Access, (caller) => acknowledging.acknowledge(caller, path.id, payload.note)))
      .handle("unacknowledge_incident", ({ path }) =>
        Effect.flatMap(Access, (caller) =>
          acknowledging.unacknowledge(caller, path.id)))
      .handle("generate_postmortem", ({ path, payload }) =>
        Effect.flatMap(Access, (caller) =>
          postmortems.generate(caller, path.id, payload)))
      .handle("get_postmortem", ({ path, urlParams }) =>
        withWorkspace((id) =>
          postmortems.read(id, path.id, urlParams.history ?? false)
        ))
      .handle("save_postmortem", ({ path, payload }) =>
        Effect.flatMap(Access, (caller) =>
          postmortems.save(caller, path.id, payload)))
      .handle("publish_postmortem", ({ path, payload }) =>
        withWorkspace((id) =>
          postmortems.publish(id, path.id, payload)
        ))
      .handle("list_incident_templates", () =>
        Effect.map(withWorkspace(templates.list), (data) => ({ data, next: null })))
      .handle("create_incident_template", ({ payload }) => withWorkspace((id) => templates.create(id, payload)))
      .handle("update_incident_template", ({ path, payload }) => withWorkspace((id) => templates.update(id, path.id, payload)))
      .handle("delete_incident_template", ({ path }) =>
        Effect.as(
          withWorkspace((id) => templates.remove(id, path.id)),
          { id: path.id, deleted: true as const }
        ))
      .handle("render_incident_template", ({ path, payload }) => withWorkspace((id) => templates.render(id, path.id, payload)))
  }))
