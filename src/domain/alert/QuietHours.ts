/** The quiet hours of an alert channel, and the alerts that wait for their end. */
import { DateTime, Option, Schema } from "effect"
import type { QuietHours, QuietHoursInput } from "../../../schema/alert/QuietHours.ts"
import type { EventType, WorkspaceEvent } from "../../../schema/event/Event.ts"
import { clockSpan, localDay, weekdayOf } from "../tools/time/LocalTime.ts"

/** When the quiet hours end that contain `now`; null if none do. A clock change makes them shorter or longer. */
export const quietUntil = (quiet: QuietHours, now: DateTime.Utc): DateTime.Utc | null => {
  const today = localDay(now, quiet.timezone)
  const containing = [today - 1, today]
    .filter((day) => quiet.days.includes(weekdayOf(day)))
    .map((day) => clockSpan(day, quiet, quiet.timezone))
    .find(({ end, start }) => DateTime.lessThanOrEqualTo(start, now) && DateTime.lessThan(now, end))
  return containing?.end ?? null
}

/** Events that never wait: tests, the digest, pages of people, and messages made of alerts that have waited already. */
const exempt: ReadonlyArray<EventType> = [
  "test.ping",
  "digest.weekly",
  "incident.escalated",
  "incident.paged",
  "monitor.summary",
  "quiet.ended"
]

/** The event data that decides. Another version may have written the event, so a missing field decides nothing. */
const Facts = Schema.Struct({
  incident: Schema.optional(
    Schema.NullOr(Schema.Struct({ kind: Schema.optional(Schema.String), impact: Schema.optional(Schema.String) }))
  )
})

const ofOutages: ReadonlyArray<EventType> = ["monitor.down", "monitor.reminder", "monitor.flapping"]

/** Outages, and incidents of major or critical impact, each with its end. */
const isCritical = ({ data, type }: WorkspaceEvent): boolean => {
  if (ofOutages.includes(type)) return true
  const { incident } = Option.getOrElse(Schema.decodeUnknownOption(Facts)(data), (): typeof Facts.Type => ({}))
  if (type === "monitor.up") return incident !== undefined && incident !== null
  return incident?.kind === "incident" && (incident.impact === "major" || incident.impact === "critical")
}

/** Until when an event waits for a channel with these quiet hours; null if it is sent now. */
export const waitsUntil = (quiet: QuietHours | null, event: WorkspaceEvent, now: DateTime.Utc): DateTime.Utc | null =>
  quiet === null || exempt.includes(event.type) || (quiet.criticalPasses && isCritical(event)) ? null : quietUntil(quiet, now)

/** The hours that an input means: every day, unless it names days. Null for none. */
export const quietHoursOf = (input: QuietHoursInput | null | undefined): QuietHours | null =>
  input === undefined || input === null ? null : { days: [0, 1, 2, 3, 4, 5, 6], criticalPasses: false, ...input }
