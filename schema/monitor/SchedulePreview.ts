/** The next times at which a heartbeat with a schedule would expect pings. */
import { Schema } from "effect"
import { described, orNull, textLike, Timestamp } from "../Fields.ts"

const ScheduledTime = Schema.Struct({
  at: described(Timestamp, "In UTC"),
  local: textLike("2026-11-28T02:30:00+01:00", "As a clock in the zone shows it"),
  note: orNull(
    textLike("The clock shows this time twice: a ping is expected at the first"),
    "What a change of the clock does to it; null if nothing"
  )
}).annotations({ identifier: "ScheduledTime" })

export const SchedulePreview = Schema.Struct({
  words: textLike("every day at 02:30 (Europe/Berlin)", "The schedule in words"),
  rule: textLike("When clocks go forward, a time that they skip is not expected.", "What happens when clocks change"),
  graceSec: described(Schema.Int, "Grace that a new heartbeat gets, in seconds"),
  times: Schema.Array(ScheduledTime).annotations({ description: "The next times; fewer if the schedule ends" })
}).annotations({ identifier: "SchedulePreview" })
export type SchedulePreview = typeof SchedulePreview.Type
