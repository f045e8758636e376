/** Serves incidents, maintenance windows, their templates and postmortems. */
import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { AcknowledgeIncident } from "../../operations/incident/AcknowledgeIncident.ts"
import { AnalyzeIncident } from "../../operations/incident/AnalyzeIncident.ts"
import { ManagePostmortems } from "../../operations/incident/ManagePostmortems.ts"
import { ManageTemplates } from "../../operations/incident/ManageTemplates.ts"
import { OpenIncident } from "../../operations/incident/OpenIncident.ts"
import { ReadIncidents } from "../../operations/incident/ReadIncidents.ts"
import { UpdateIncident } from "../../operations/incident/UpdateIncident.ts"

const defaultLimit = 50

export const IncidentsLive = HttpApiBuilder.group(Api, "Incidents", (handlers) =>
  Effect.gen(function*() {
    const reading = yield* ReadIncidents
    const opening = yield* OpenIncident
    const updating = yield* UpdateIncident
    const acknowledging = yield* AcknowledgeIncident
    const analyzing = yield* AnalyzeIncident
    const postmortems = yield* ManagePostmortems
    const templates = yield* ManageTemplates

    return handlers
      .handle("list_incidents", ({ urlParams }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          reading.list(workspaceId, {
            open: urlParams.open ?? false,
            kind: urlParams.kind ?? null,
            page: urlParams.pageId ?? null,
            monitorId: urlParams.monitorId ?? null,
            before: urlParams.before ?? null,
            limit: urlParams.limit ?? defaultLimit
          })))
      .handle("get_incident", ({ path }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          reading.get(workspaceId, path.id)))
      .handle("create_incident", ({ payload }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          opening.create(workspaceId, payload)))
      .handle("post_incident_update", ({ path, payload }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          updating.post(workspaceId, path.id, payload)))
      .handle("resolve_incident", ({ path, payload }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          updating.resolve(workspaceId, path.id, payload)))
      .handle("analyze_incident", ({ path }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          analyzing.analyze(workspaceId, path.id)))
      .handle("schedule_maintenance", ({ payload }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          opening.schedule(workspaceId, payload)))
      .handle("acknowledge_incident", ({ path, payload }) =>
        Effect.flatMap(Access, (caller) =>
          acknowledging.acknowledge(caller, path.id, payload.note)))
      .handle("unacknowledge_incident", ({ path }) =>
        Effect.flatMap(Access, (caller) =>
          acknowledging.unacknowledge(caller, path.id)))
      .handle("generate_postmortem", ({ path, payload }) =>
        Effect.flatMap(Access, (caller) =>
          postmortems.generate(caller, path.id, payload)))
      .handle("get_postmortem", ({ path, urlParams }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          postmortems.read(workspaceId, path.id, urlParams.history ?? false)))
      .handle("save_postmortem", ({ path, payload }) =>
        Effect.flatMap(Access, (caller) =>
          postmortems.save(caller, path.id, payload)))
      .handle("publish_postmortem", ({ path, payload }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          postmortems.publish(workspaceId, path.id, payload)))
      .handle("list_incident_templates", () =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          Effect.map(templates.list(workspaceId), (data) => ({ data, next: null }))))
      .handle("create_incident_template", ({ payload }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          templates.create(workspaceId, payload)))
      .handle("update_incident_template", ({ path, payload }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          templates.update(workspaceId, path.id, payload)))
      .handle("delete_incident_template", ({ path }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          Effect.as(templates.remove(workspaceId, path.id), { id: path.id, deleted: true as const })))
      .handle("render_incident_template", ({ path, payload }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          templates.render(workspaceId, path.id, payload)))
  }))
