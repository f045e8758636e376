/** Finds an incident or fails with `not_found`. */
import { Effect, Option } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import type { IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import type { Incident } from "../../../schema/incident/Incident.ts"
import { Links } from "../../links/Links.ts"
import { Incidents } from "../../store/incident/Incidents.ts"

export const noIncident = (id: string) =>
  new NotFound({
    message: `No incident ${id} in this workspace`,
    hint: "List incidents and maintenance windows with GET /api/v1/incidents"
  })

/** The value, or `not_found` for the incident with this id. */
export const orNoIncident = <A>(id: string, found: Option.Option<A>): Effect.Effect<A, NotFound> =>
  Option.match(found, { onNone: () => Effect.fail(noIncident(id)), onSome: Effect.succeed })

export const makeRequireIncident = Effect.gen(function*() {
  const incidents = yield* Incidents
  const links = yield* Links
  /** The full record. */
  return (workspaceId: WorkspaceId, id: IncidentId): Effect.Effect<Incident, NotFound> =>
    Effect.flatMap(incidents.find(workspaceId, id, links.incident), (found) => orNoIncident(id, found))
})
