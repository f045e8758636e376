/** The states of incidents and maintenance windows: the changes that are allowed, and the event of each. */
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

export const endOf = { incident: "resolved", maintenance: "completed" } as const satisfies Record<IncidentKind, ProgressStatus>

export const isStatusOf = (kind: IncidentKind, status: ProgressStatus): boolean =>
  incidentStatuses.includes(status) === (kind === "incident")

export const isOver = (status: ProgressStatus): boolean => status === "resolved" || status === "completed"

/**
 * The status after an update that asks for `wanted`; null keeps it. Every update is accepted: the end of either kind ends it, and
 * what is no step forward keeps the status. What is over stays over, a window that runs is not scheduled again, and a status of
 * the other kind says nothing about this one.
 */
export const moved = ({ kind, status }: Standing, wanted: ProgressStatus | null): ProgressStatus => {
  if (wanted === null || isOver(status)) return status
  if (isOver(wanted)) return endOf[kind]
  return isStatusOf(kind, wanted) && status !== "in_progress" ? wanted : status
}

const nameOf = { incident: "incident", maintenance: "maintenance window" } as const satisfies Record<IncidentKind, string>

/** Says that an update kept the status although it asked for another one; none if it did what it asked for. */
export const keptWarnings = (before: Standing, wanted: ProgressStatus | null): ReadonlyArray<string> => {
  const after = moved(before, wanted)
  if (wanted === null || wanted === after || (isOver(wanted) && isOver(after))) return []
  const { kind } = before
  return [
    isOver(after)
      ? `It stays ${after}: an update does not reopen what is over. If it is back, open another ${nameOf[kind]}`
      : isStatusOf(kind, wanted)
      ? `It stays ${after}: it does not go back to ${wanted}`
      : `It stays ${after}: ${wanted} is not a status of ${kind === "incident" ? "incidents" : "maintenance windows"}`
  ]
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
