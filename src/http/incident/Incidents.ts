/** Serves incidents, maintenance windows, their templates and postmortems. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { AcknowledgeIncident } from "../../operations/incident/AcknowledgeIncident.ts"
import { AnalyzeIncident } from "../../operations/incident/AnalyzeIncident.ts"
import { ManagePostmortems } from "../../operations/incident/ManagePostmortems.ts"
import { ManageTemplates } from "../../operations/incident/ManageTemplates.ts"
import { OpenIncident } from "../../operations/incident/OpenIncident.ts"
import { PassOnIncident } from "../../operations/incident/PassOnIncident.ts"
import { previewRecurrence } from "../../operations/incident/PreviewRecurrence.ts"
import { ReadIncidents } from "../../operations/incident/ReadIncidents.ts"
import { UpdateIncident } from "../../operations/incident/UpdateIncident.ts"
import { WarnOfDuplicates } from "../../operations/WarnOfDuplicates.ts"
import { all, asCaller, deleted, inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const defaultLimit = 50
const defaultTimes = 5

export const IncidentsLive = operationGroup(Api, "Incidents", (handlers) =>
  Effect.gen(function*() {
    const warn = yield* WarnOfDuplicates
    const reading = yield* ReadIncidents
    const opening = yield* OpenIncident
    const updating = yield* UpdateIncident
    const acknowledging = yield* AcknowledgeIncident
    const passing = yield* PassOnIncident
    const analyzing = yield* AnalyzeIncident
    const postmortems = yield* ManagePostmortems
    const templates = yield* ManageTemplates

    return handlers
      .handle("list_incidents", ({ urlParams }) => {
        const { before = null, kind = null, limit = defaultLimit, monitorId = null, open = false, pageId: page = null } =
          urlParams
        return inWorkspace((id) => reading.list(id, { open, kind, page, monitorId, before, limit }))
      })
      .handle("get_incident", ({ path }) => inWorkspace((id) => reading.get(id, path.id)))
      .handle("create_incident", ({ payload }) => inWorkspace((id) => opening.create(id, payload)))
      .handle("post_incident_update", ({ path, payload }) => inWorkspace((id) => updating.post(id, path.id, payload)))
      .handle("preview_incident_update", ({ path, payload }) => inWorkspace((id) => updating.preview(id, path.id, payload)))
      .handle("resolve_incident", ({ path, payload }) => inWorkspace((id) => updating.resolve(id, path.id, payload)))
      .handle("analyze_incident", ({ path }) => inWorkspace((id) => analyzing.analyze(id, path.id)))
      .handle("preview_recurrence", ({ urlParams: { limit = defaultTimes, rule, start, timezone = "UTC" } }) =>
        all(previewRecurrence({ limit, rule, start, timezone })))
      .handle("schedule_maintenance", ({ payload }) =>
        inWorkspace((id) => opening.schedule(id, payload)))
      .handle(
        "acknowledge_incident",
        ({ path, payload }) => asCaller((caller) => acknowledging.acknowledge(caller, path.id, payload.note))
      )
      .handle("unacknowledge_incident", ({ path }) => asCaller((caller) => acknowledging.unacknowledge(caller, path.id)))
      .handle("escalate_incident", ({ path, payload }) => asCaller((caller) => passing.escalate(caller, path.id, payload)))
      .handle("hand_over_incident", ({ path, payload }) => asCaller((caller) => passing.handOver(caller, path.id, payload)))
      .handle("generate_postmortem", ({ path, payload }) => asCaller((caller) => postmortems.generate(caller, path.id, payload)))
      .handle(
        "get_postmortem",
        ({ path, urlParams }) => inWorkspace((id) => postmortems.read(id, path.id, urlParams.history ?? false))
      )
      .handle("save_postmortem", ({ path, payload }) => asCaller((caller) => postmortems.save(caller, path.id, payload)))
      .handle("publish_postmortem", ({ path, payload }) => inWorkspace((id) => postmortems.publish(id, path.id, payload)))
      .handle("list_incident_templates", () => all(inWorkspace(templates.list)))
      .handle("create_incident_template", ({ payload }) =>
        inWorkspace((id) =>
          warn.after("template", id, templates.create(id, payload))
        ))
      .handle("update_incident_template", ({ path, payload }) => inWorkspace((id) => templates.update(id, path.id, payload)))
      .handle("delete_incident_template", ({ path }) => deleted(path.id, inWorkspace((id) => templates.remove(id, path.id))))
      .handle("render_incident_template", ({ path, payload }) => inWorkspace((id) => templates.render(id, path.id, payload)))
  }))
