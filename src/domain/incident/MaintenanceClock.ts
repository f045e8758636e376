/** When a maintenance window starts and completes by itself. */
import { DateTime } from "effect"
import type { ProgressStatus } from "../../../schema/incident/Incident.ts"

/** The part of a maintenance window that its timetable depends on. */
export interface MaintenanceWindow {
  readonly status: ProgressStatus
  readonly scheduledStart: DateTime.Utc | null
  readonly scheduledEnd: DateTime.Utc | null
}

export interface DueStep {
  readonly status: "in_progress" | "completed"
  /** The time it was scheduled for, which has passed. */
  readonly at: DateTime.Utc
}

/** What is next in the window, and when; null for what is over or is no window. */
const nextStep = ({ scheduledEnd, scheduledStart, status }: MaintenanceWindow): DueStep | null => {
  if (status === "scheduled" && scheduledStart !== null) return { status: "in_progress", at: scheduledStart }
  return status === "in_progress" && scheduledEnd !== null ? { status: "completed", at: scheduledEnd } : null
}

/** The steps that are due at `now`, in order: both of a window that began and ended while no process ran. */
export const dueSteps = (window: MaintenanceWindow, now: DateTime.Utc): ReadonlyArray<DueStep> => {
  const step = nextStep(window)
  return step === null || DateTime.greaterThan(step.at, now) ? [] : [step, ...dueSteps({ ...window, status: step.status }, now)]
}

/** When the next step is due; null if there is none. */
export const nextAlarm = (window: MaintenanceWindow): DateTime.Utc | null => nextStep(window)?.at ?? null
