/** The states of incidents and maintenance windows: which changes are allowed, and the event of each. */
import { Either } from "effect"
import type { IncidentKind, ProgressStatus } from "../../../schema/incident/Incident.ts"

/** The part of an incident that its changes of status depend on. */
export interface Standing {
  readonly kind: IncidentKind
  readonly status: ProgressStatus
}

/** Why a status is refused: it belongs to the other kind, or it would reopen what is over. */
export interface RefusedStatus {
  readonly _tag: "OtherKind" | "WouldReopen"
  readonly message: string
}

const incidentStatuses = ["investigating", "identified", "monitoring", "resolved"] as const

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

const kinds: Record<ProgressStatus, IncidentKind> = {
  investigating: "incident",
  identified: "incident",
  monitoring: "incident",
  resolved: "incident",
  scheduled: "maintenance",
  in_progress: "maintenance",
  completed: "maintenance"
}

const statusesOf: Record<IncidentKind, string> = {
  incident: "investigating, identified, monitoring or resolved",
  maintenance: "scheduled, in_progress or completed"
}

/** The status that ends each kind. */
export const endOf = { incident: "resolved", maintenance: "completed" } as const satisfies Record<IncidentKind, ProgressStatus>

/** Whether a status belongs to a kind. */
export const isStatusOf = (kind: IncidentKind, status: ProgressStatus): boolean => kinds[status] === kind

export const isOver = (status: ProgressStatus): boolean => status === "resolved" || status === "completed"

/** The status after an update that asks for `wanted`; null keeps the status. `resolved` completes a maintenance window. */
export const moved = ({ kind, status }: Standing, wanted: ProgressStatus | null): Either.Either<ProgressStatus, RefusedStatus> => {
  if (wanted === null) return Either.right(status)
  const to = wanted === "resolved" ? endOf[kind] : wanted
  if (!isStatusOf(kind, to)) {
    return Either.left({
      _tag: "OtherKind",
      message: `${wanted} is not a status of ${kind === "incident" ? "an incident" : "a maintenance window"}. Use ${statusesOf[kind]}`
    })
  }
  return successors[status].includes(to)
    ? Either.right(to)
    : Either.left({
      _tag: "WouldReopen",
      message: isOver(status) ? `It is already ${status} and cannot be reopened` : `It is already ${status}`
    })
}

/** The types of the events of incidents and maintenance windows. */
export type ProgressEvent =
  | "incident.created"
  | "incident.updated"
  | "incident.resolved"
  | "maintenance.scheduled"
  | "maintenance.started"
  | "maintenance.updated"
  | "maintenance.completed"

/** The event of a change of status, or of an update that keeps it; `from` is null for a new incident. */
export const eventTypeOf = (kind: IncidentKind, from: ProgressStatus | null, to: ProgressStatus): ProgressEvent => {
  if (from === null) return kind === "incident" ? "incident.created" : "maintenance.scheduled"
  if (from === to) return `${kind}.updated`
  switch (to) {
    case "resolved":
      return "incident.resolved"
    case "in_progress":
      return "maintenance.started"
    case "completed":
      return "maintenance.completed"
    case "investigating":
    case "identified":
    case "monitoring":
    case "scheduled":
      return `${kind}.updated`
  }
}
