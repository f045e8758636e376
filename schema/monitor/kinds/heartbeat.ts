/** The settings of a heartbeat monitor: how often it expects a ping, or when, and how long its runs may take. */
import { Schema } from "effect"
import { optional } from "../../Fields.ts"
import { kindSchema } from "../KindSchema.ts"

const settings = {
  /** Of a schedule, the longest time between two of its times: 1.0.0-rc.3 reads that alone. Records show null in its place. */
  periodSec: Schema.NullOr(Schema.Int),
  graceSec: Schema.Int
}

const later = { schedule: Schema.NullOr(Schema.String), timezone: Schema.NullOr(Schema.String) }

const words = {
  mailStart: Schema.NullOr(Schema.String),
  mailSuccess: Schema.NullOr(Schema.String),
  mailFailure: Schema.NullOr(Schema.String)
}

export const heartbeat = kindSchema("heartbeat", {
  settings,
  later: { ...later, maxRunSec: Schema.NullOr(Schema.Int), degradedAfterMs: Schema.NullOr(Schema.Int), ...words },
  inEvents: {
    ...settings,
    schedule: optional(Schema.String, "Its line of cron, or calendar expression of systemd", "30 2 * * *"),
    timezone: optional(Schema.String, "IANA zone of the schedule", "Europe/Berlin")
  },
  probed: false,
  recordDescription: "heartbeat only; null for other kinds"
})
export type HeartbeatTarget = typeof heartbeat.target.Type
