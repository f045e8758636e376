/** The settings of a heartbeat monitor: how often it expects a ping, and how long its runs may take. */
import { Schema } from "effect"
import { kindSchema } from "../KindSchema.ts"

const settings = { periodSec: Schema.Int, graceSec: Schema.Int }

const words = {
  mailStart: Schema.NullOr(Schema.String),
  mailSuccess: Schema.NullOr(Schema.String),
  mailFailure: Schema.NullOr(Schema.String)
}

export const heartbeat = kindSchema("heartbeat", {
  settings,
  later: { maxRunSec: Schema.NullOr(Schema.Int), degradedAfterMs: Schema.NullOr(Schema.Int), ...words },
  inEvents: settings,
  probed: false,
  recordDescription: "heartbeat only; null for other kinds"
})
export type HeartbeatTarget = typeof heartbeat.target.Type
