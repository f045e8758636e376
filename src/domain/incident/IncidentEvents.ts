/** Builds the event for a change of an incident or a maintenance window. */
import type { EventDraft } from "../../../schema/event/EventData.ts"
import type { Incident, IncidentUpdate } from "../../../schema/incident/Incident.ts"
import { durationText, secondsBetween } from "../tools/Duration.ts"
import type { ProgressEvent } from "./IncidentMachine.ts"

/** How many updates an event carries: each event stores its own copy. */
const mostUpdates = 20

/** The incident as its events carry it: with its newest updates. */
export const eventIncident = (incident: Incident): Incident => ({ ...incident, updates: incident.updates.slice(-mostUpdates) })

const resolved = (incident: Incident, update: IncidentUpdate, manual: boolean): EventDraft => {
  const ended = incident.resolvedAt ?? update.at
  const seconds = secondsBetween(incident.startedAt.epochMillis, ended.epochMillis)
  return {
    type: "incident.resolved",
    data: { incident, update, manual, durationMinutes: Math.round(seconds / 60), durationText: durationText(seconds) }
  }
}

/** The event for a change that `update` reports; `incident` is the state after it, `manual` whether a person made the change. */
export const incidentEvent = (
  type: ProgressEvent,
  incident: Incident,
  update: IncidentUpdate,
  manual: boolean
): EventDraft =>
  type === "incident.resolved" ? resolved(eventIncident(incident), update, manual) : {
    type,
    data: { incident: eventIncident(incident), update, manual }
  }
