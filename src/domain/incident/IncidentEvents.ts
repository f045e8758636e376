/** Builds the event for a change of an incident. */
import { DateTime } from "effect"
import type { EventDraft } from "../../../schema/event/EventData.ts"
import type { Incident, IncidentUpdate } from "../../../schema/incident/Incident.ts"
import { durationText, secondsBetween } from "../Duration.ts"
import type { IncidentChange } from "./AutomaticIncident.ts"

const resolved = (incident: Incident, update: IncidentUpdate): EventDraft => {
  const ended = incident.resolvedAt ?? update.at
  const seconds = secondsBetween(DateTime.toEpochMillis(incident.startedAt), DateTime.toEpochMillis(ended))
  return {
    type: "incident.resolved",
    data: { incident, update, durationMinutes: Math.round(seconds / 60), durationText: durationText(seconds) }
  }
}

const draftOf: Record<IncidentChange["_tag"], (incident: Incident, update: IncidentUpdate) => EventDraft> = {
  Open: (incident, update) => ({ type: "incident.created", data: { incident, update } }),
  Update: (incident, update) => ({ type: "incident.updated", data: { incident, update } }),
  Resolve: resolved
}

/** The event for a change; `incident` is the state after it. */
export const incidentEvent = (change: IncidentChange["_tag"], incident: Incident, update: IncidentUpdate): EventDraft =>
  draftOf[change](incident, update)
