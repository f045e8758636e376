/** The full record of an incident. */
import { Effect } from "effect"
import type { IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import { Links } from "../../links/Links.ts"
import { Incidents } from "../../store/incident/Incidents.ts"
import { orNoSuch } from "../NoSuch.ts"

export const makeRequireIncident = Effect.zipWith(
  Incidents,
  Links,
  (incidents, links) => (workspaceId: WorkspaceId, id: IncidentId) =>
    orNoSuch("incident", id, incidents.find(workspaceId, id, links.incident))
)
