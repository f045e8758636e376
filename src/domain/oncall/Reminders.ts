/** When a monitor that stays down is reported again. */
import { DateTime } from "effect"

/** A passed mark to report to channels. */
export interface DueReminder {
  /** The mark, in minutes into the outage. */
  readonly afterMinutes: number
}

/** Whole minutes from the start of an outage. */
export const minutesInto = (startedAt: DateTime.Utc, now: DateTime.Utc): number =>
  Math.max(0, Math.floor(DateTime.distance(startedAt, now) / 60_000))

/**
 * The reminder to send at `now`; null if none is due. `reminded` is the last mark that was settled. Marks that passed while no
 * process ran share one reminder, that of the last.
 */
export const dueReminder = (
  marks: ReadonlyArray<number>,
  startedAt: DateTime.Utc,
  reminded: number,
  now: DateTime.Utc
): DueReminder | null => {
  const passed = marks.filter((mark) => mark > reminded && mark <= minutesInto(startedAt, now))
  return passed.length === 0 ? null : { afterMinutes: Math.max(...passed) }
}

/** When the next mark after `reminded` is reached; null if there is none. */
export const nextReminderAt = (marks: ReadonlyArray<number>, startedAt: DateTime.Utc, reminded: number): DateTime.Utc | null => {
  const left = marks.filter((mark) => mark > reminded)
  return left.length === 0 ? null : DateTime.add(startedAt, { minutes: Math.min(...left) })
}
