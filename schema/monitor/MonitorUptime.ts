/** The uptime of a monitor on each of the last days. */
import { Schema } from "effect"
import { orNull, textLike, Timestamp } from "../Fields.ts"
import { UptimeShare } from "./Monitor.ts"

export const MonitorUptime = Schema.Struct({
  timezone: textLike("Europe/Berlin").annotations({ description: "The zone whose days they are" }),
  days: Schema.Array(Schema.Struct({
    date: textLike("2026-11-22").annotations({ description: "The day in the zone" }),
    from: Timestamp.annotations({ description: "Its midnight" }),
    uptime: orNull(UptimeShare, "Null for a day that was not observed"),
    downSec: Schema.Int.annotations({ description: "Seconds in which it was down" })
  })).annotations({ description: "Oldest first" })
}).annotations({ identifier: "MonitorUptime" })
export type MonitorUptime = typeof MonitorUptime.Type
