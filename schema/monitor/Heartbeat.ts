/** A ping: a job's report to its heartbeat monitor. */
import { Schema } from "effect"
import { Outcome } from "../check/Check.ts"
import { optional, text, Timestamp, whole } from "../Fields.ts"

/** In characters. The operation rejects a longer field and cuts a longer plain text; the short forms cut both. */
export const longestMessage = 500

export const HeartbeatInput = Schema.Struct({
  status: optional(Outcome, "Default up; down alerts immediately", "up"),
  message: optional(
    text(longestMessage),
    "Why it is down or degraded",
    "pg_dump: connection refused"
  ),
  durationMs: optional(
    whole(0, Number.MAX_SAFE_INTEGER),
    "Duration of the job",
    5120
  )
}).annotations({ identifier: "HeartbeatInput" })
export type HeartbeatInput = typeof HeartbeatInput.Type

export const HeartbeatReceipt = Schema.Struct({
  ok: Schema.Literal(true),
  at: Timestamp.annotations({ description: "Time the ping was received" })
}).annotations({ identifier: "HeartbeatReceipt" })
export type HeartbeatReceipt = typeof HeartbeatReceipt.Type
