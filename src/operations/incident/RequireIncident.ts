/** The full record of an incident; of a maintenance window with the monitors that it mutes. */
import { Effect } from "effect"
import type { IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import { mutes, mutesNothing, muteWarnings } from "../../domain/incident/MaintenanceMutes.ts"
import { Links } from "../../links/Links.ts"
import { MutedMonitors } from "../../store/alert/MutedMonitors.ts"
import { Incidents } from "../../store/incident/Incidents.ts"
import { orNoSuch } from "../NoSuch.ts"

const mostNamed = 100

export const makeRequireIncident = Effect.gen(function*() {
  const incidents = yield* Incidents
  const links = yield* Links
  const muted = yield* MutedMonitors

  return Effect.fnUntraced(function*(workspaceId: WorkspaceId, id: IncidentId) {
    const incident = yield* orNoSuch("incident", id, incidents.find(workspaceId, id, links.incident))
    if (!mutes(incident)) return incident
    const found = (yield* muted.ofWindows(workspaceId, [id], mostNamed)).get(id) ?? mutesNothing
    const warnings = muteWarnings(incident, found)
    return { ...incident, mutes: found, ...(warnings.length === 0 ? {} : { warnings }) }
  })
})
