/** Quiet hours of an alert channel: daily hours in which its alerts wait. */
import { Schema } from "effect"
import { clockTime, list, optional, textLike, timezone, whole } from "../Fields.ts"

const from = clockTime("Local start, HH:MM", "22:00")
const to = clockTime("Local end, HH:MM; on the next day if before from", "07:00")

export const QuietHoursInput = Schema.Struct({
  timezone: timezone(64),
  from,
  to,
  days: optional(list(whole(0, 6), 7), "0 is Monday; default all", [
    0,
    1,
    2,
    3,
    4
  ]),
  criticalPasses: optional(Schema.Boolean, "Whether outages and major incidents are sent")
}).pipe(
  Schema.filter((quiet) => quiet.from !== quiet.to || { path: ["to"], message: "Expected another time than from" })
).annotations({ identifier: "QuietHoursInput" })
export type QuietHoursInput = typeof QuietHoursInput.Type

export const QuietHours = Schema.Struct({
  timezone: textLike("Europe/Athens", "Zone of their times"),
  from: textLike("22:00", "Local time at which they begin"),
  to: textLike("07:00", "Local time at which they end"),
  days: Schema.Array(Schema.Int).annotations({ description: "Days they begin on, 0 is Monday" }),
  criticalPasses: Schema.Boolean.annotations({ description: "Whether outages are sent in them" })
}).annotations({ identifier: "QuietHours" })
export type QuietHours = typeof QuietHours.Type
