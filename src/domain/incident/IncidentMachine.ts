/** The states of incidents and maintenance windows: the changes that are allowed, and the event of each. */
import { Either } from "effect"
import type { EventType } from "../../../schema/event/Event.ts"
import type { EventDraft } from "../../../schema/event/EventData.ts"
import {
  type Incident,
  type IncidentKind,
  IncidentStatus,
  type IncidentUpdate,
  type ProgressStatus
} from "../../../schema/incident/Incident.ts"
import { durationText, secondsBetween } from "../tools/time/Duration.ts"

export interface Standing {
  readonly kind: IncidentKind
  readonly status: ProgressStatus
}

const incidentStatuses: ReadonlyArray<ProgressStatus> = IncidentStatus.literals

/** The statuses that may follow each status. What is over stays over; a window that has started cannot be scheduled again. */
const successors: Record<ProgressStatus, ReadonlyArray<ProgressStatus>> = {
  investigating: incidentStatuses,
  identified: incidentStatuses,
  monitoring: incidentStatuses,
  resolved: ["resolved"],
  scheduled: ["scheduled", "in_progress", "completed"],
  in_progress: ["in_progress", "completed"],
  completed: ["completed"]
}

const statusesOf: Record<IncidentKind, string> = {
  incident: "investigating, identified, monitoring or resolved",
  maintenance: "scheduled, in_progress or completed"
}

export const endOf = { incident: "resolved", maintenance: "completed" } as const satisfies Record<IncidentKind, ProgressStatus>

export const isStatusOf = (kind: IncidentKind, status: ProgressStatus): boolean =>
  incidentStatuses.includes(status) === (kind === "incident")

export const isOver = (status: ProgressStatus): boolean => status === "resolved" || status === "completed"

/** The status after an update to `wanted`; null keeps it. Refused are statuses of the other kind, and reopening what is over. */
export const moved = (
  { kind, status }: Standing,
  wanted: ProgressStatus | null
): Either.Either<ProgressStatus, { readonly _tag: "OtherKind" | "WouldReopen"; readonly message: string }> => {
  if (wanted === null) return Either.right(status)
  const to = wanted === "resolved" ? endOf[kind] : wanted
  if (!isStatusOf(kind, to)) {
    return Either.left({
      _tag: "OtherKind",
      message: `${wanted} is not a status of ${kind === "incident" ? "an incident" : "a maintenance window"}. Use ${
        statusesOf[kind]
      }`
    })
  }
  return successors[status].includes(to)
    ? Either.right(to)
    : Either.left({
      _tag: "WouldReopen",
      message: isOver(status) ? `It is already ${status} and cannot be reopened` : `It is already ${status}`
    })
}

export type ProgressEvent = `incident.${"created" | "updated" | "resolved"}` | Extract<EventType, `maintenance.${string}`>

/** The events of changes to these statuses; other changes are updates. */
const changes: Partial<Record<ProgressStatus, ProgressEvent>> = {
  resolved: "incident.resolved",
  in_progress: "maintenance.started",
  completed: "maintenance.completed"
}

/** The event of a change of status, or of an update that keeps it; `from` is null for a new incident. */
export const eventTypeOf = (kind: IncidentKind, from: ProgressStatus | null, to: ProgressStatus): ProgressEvent => {
  if (from === null) return kind === "incident" ? "incident.created" : "maintenance.scheduled"
  return (from === to ? undefined : changes[to]) ?? `${kind}.updated`
}

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

/** The event for a change that `update` reports; `incident` is the state after it, and `manual` is true for a change of a person. */
export const incidentEvent = (type: ProgressEvent, incident: Incident, update: IncidentUpdate, manual: boolean): EventDraft =>
  type === "incident.resolved" ? resolved(eventIncident(incident), update, manual) : {
    type,
    data: { incident: eventIncident(incident), update, manual }
  }
