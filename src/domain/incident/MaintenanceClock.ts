/** The clock of maintenance windows: when one reminds its subscribers, starts and completes, and how its series goes on. */
import { DateTime, Duration, Either, Option } from "effect"
import type { Incident, MaintenanceRecurrence } from "../../../schema/incident/Incident.ts"
import type { Refusal } from "../Refusal.ts"
import { nextStart, parseRule, type RecurrenceRule, startsAfter } from "./Recurrence.ts"

type MaintenanceWindow = Pick<Incident, "status" | "scheduledStart" | "scheduledEnd">

export interface Reminders {
  readonly remindMinutes: ReadonlyArray<number>
  readonly remindedAt: DateTime.Utc | null
}

export const noReminders: Reminders = { remindMinutes: [], remindedAt: null }

interface DueStep {
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

/** The steps that are due at `now`, in order. Of several reminders the last goes out, and none for a window that should have begun. */
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
export const nextWindow = ({ firstStart, rule, scheduledEnd, scheduledStart, timezone }: Series, now: DateTime.Utc) => {
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

/** The part of a series that is looked through for windows that overlap: all days of two months, leap days of four years. */
const comparedWindows = 62
const comparedYears = 5

/** By the clock of its time zone, so that windows of a whole day do not overlap where the clock changes. */
const hasOverlap = (rule: RecurrenceRule, zone: DateTime.TimeZone, start: DateTime.Utc, lengthMs: number): boolean => {
  const first = DateTime.unsafeMake(DateTime.toParts(DateTime.setZone(start, zone)))
  const last = DateTime.add(first, { years: comparedYears })
  let before = first
  let compared = 0
  for (const at of startsAfter(rule, DateTime.zoneMakeOffset(0), first, first)) {
    if (at.epochMillis - before.epochMillis < lengthMs) return true
    compared += 1
    if (compared === comparedWindows || DateTime.greaterThan(at, last)) return false
    before = at
  }
  return false
}

/** A rule that cannot be followed, and one by which a window would begin before the one before it has ended. */
export const seriesRefusals = (
  { recurrence, scheduledEnd, scheduledStart }: Pick<Series, "scheduledStart" | "scheduledEnd"> & {
    readonly recurrence: typeof MaintenanceRecurrence.Type
  }
): ReadonlyArray<Refusal> => {
  const zone = DateTime.zoneMakeNamed(recurrence.timezone ?? "UTC")
  if (Option.isNone(zone)) {
    return [{ path: "recurrence.timezone", message: "Expected an IANA time zone, such as Europe/Berlin" }]
  }
  return Either.match(parseRule(recurrence.rule), {
    onLeft: (message) => [{ path: "recurrence.rule", message }],
    onRight: (rule) =>
      hasOverlap(rule, zone.value, scheduledStart, scheduledEnd.epochMillis - scheduledStart.epochMillis)
        ? [{ path: "recurrence.rule", message: "A window would begin before the one before it ends" }]
        : []
  })
}
