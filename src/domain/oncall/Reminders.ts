/** The reminders of a monitor that stays down. */
import { DateTime } from "effect"

export const minutesInto = (startedAt: DateTime.Utc, now: DateTime.Utc): number =>
  Math.max(0, Math.floor(DateTime.distance(startedAt, now) / 60_000))

/** The mark to report at `now`, in minutes into the outage; null if none is due. `reminded` is the last mark that was settled. */
export const dueReminder = (marks: ReadonlyArray<number>, startedAt: DateTime.Utc, reminded: number, now: DateTime.Utc) => {
  const passed = marks.filter((mark) => mark > reminded && mark <= minutesInto(startedAt, now))
  return passed.length === 0 ? null : { afterMinutes: Math.max(...passed) }
}

/** When the next mark after `reminded` is reached; null if there is none. */
export const nextReminderAt = (marks: ReadonlyArray<number>, startedAt: DateTime.Utc, reminded: number): DateTime.Utc | null => {
  const left = marks.filter((mark) => mark > reminded)
  return left.length === 0 ? null : DateTime.add(startedAt, { minutes: Math.min(...left) })
}
