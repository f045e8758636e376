/** When a maintenance window reminds its subscribers, starts and completes by itself, and when its series goes on. */
import { DateTime, Duration, Either, Option } from "effect"
import type { ProgressStatus } from "../../../schema/incident/Incident.ts"
import { nextStart, parseRule } from "./Recurrence.ts"

/** The part of a maintenance window that its timetable depends on. */
export interface MaintenanceWindow {
  readonly status: ProgressStatus
  readonly scheduledStart: DateTime.Utc | null
  readonly scheduledEnd: DateTime.Utc | null
}

/** The reminders of a window. */
export interface Reminders {
  readonly remindMinutes: ReadonlyArray<number>
  readonly remindedAt: DateTime.Utc | null
}

export const noReminders: Reminders = { remindMinutes: [], remindedAt: null }

export interface DueStep {
  /** `scheduled` for a reminder. */
  readonly status: "scheduled" | "in_progress" | "completed"
  /** The time it was scheduled for, which has passed. */
  readonly at: DateTime.Utc
}

/** The times of reminders that have not gone out, in order. */
const reminderTimes = (start: DateTime.Utc, { remindMinutes, remindedAt }: Reminders): ReadonlyArray<DateTime.Utc> =>
  remindMinutes
    .map((minutes) => DateTime.subtract(start, { minutes }))
    .filter((at) => remindedAt === null || DateTime.greaterThan(at, remindedAt))
    .sort((a, b) => a.epochMillis - b.epochMillis)

/** The window's next step and its time; null if it is over or no window. */
const nextStep = ({ scheduledEnd, scheduledStart, status }: MaintenanceWindow, reminders: Reminders): DueStep | null => {
  if (status === "scheduled" && scheduledStart !== null) {
    const [reminder] = reminderTimes(scheduledStart, reminders)
    return reminder === undefined ? { status: "in_progress", at: scheduledStart } : { status: "scheduled", at: reminder }
  }
  return status === "in_progress" && scheduledEnd !== null ? { status: "completed", at: scheduledEnd } : null
}

const isDue = (at: DateTime.Utc, now: DateTime.Utc): boolean => DateTime.lessThanOrEqualTo(at, now)

/**
 * The steps that are due at `now`, in order: both of a window that began and ended while no process ran. Of several reminders that
 * are due only the last goes out, and none for a window that should have begun.
 */
export const dueSteps = (
  window: MaintenanceWindow,
  now: DateTime.Utc,
  reminders: Reminders = noReminders
): ReadonlyArray<DueStep> => {
  const { scheduledStart, status } = window
  if (status === "scheduled" && scheduledStart !== null && !isDue(scheduledStart, now)) {
    const due = reminderTimes(scheduledStart, reminders).filter((at) => isDue(at, now)).at(-1)
    return due === undefined ? [] : [{ status: "scheduled", at: due }]
  }
  const step = nextStep(window, noReminders)
  return step === null || !isDue(step.at, now) ? [] : [step, ...dueSteps({ ...window, status: step.status }, now)]
}

/** When the next step is due; null if there is none. */
export const nextAlarm = (window: MaintenanceWindow, reminders: Reminders = noReminders): DateTime.Utc | null =>
  nextStep(window, reminders)?.at ?? null

/** The series to continue: its rule, and the window that has just ended. */
interface Series {
  readonly rule: string
  readonly timezone: string
  readonly firstStart: DateTime.Utc
  readonly scheduledStart: DateTime.Utc
  readonly scheduledEnd: DateTime.Utc
}

/** The next window that is not over at `now`: those that passed while no process ran are left out. None after the last one. */
export const nextWindow = (
  { firstStart, rule, scheduledEnd, scheduledStart, timezone }: Series,
  now: DateTime.Utc
): Option.Option<{ readonly scheduledStart: DateTime.Utc; readonly scheduledEnd: DateTime.Utc }> => {
  const parsed = parseRule(rule)
  const zone = DateTime.zoneMakeNamed(timezone)
  if (Either.isLeft(parsed) || Option.isNone(zone)) return Option.none()
  const length = Duration.millis(scheduledEnd.epochMillis - scheduledStart.epochMillis)
  const after = DateTime.max(scheduledStart, DateTime.subtractDuration(now, length))
  return Option.map(nextStart(parsed.right, zone.value, firstStart, after), (start) => ({
    scheduledStart: start,
    scheduledEnd: DateTime.addDuration(start, length)
  }))
}
