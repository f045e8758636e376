/** A ping: what a job says of itself by calling its heartbeat monitor. */
import { Schema } from "effect"
import { Outcome } from "../check/Check.ts"
import { optional, text, Timestamp, whole } from "../Fields.ts"

/** Longer messages are refused by the operation, and cut by the short forms. */
export const longestMessage = 500

export const HeartbeatInput = Schema.Struct({
  status: optional(Outcome.annotations({ description: "How the job went; default up. down alerts at once", examples: ["up"] })),
  message: optional(
    text(longestMessage).annotations({
      description: "Why the job is down or degraded; shown as the error of the check. Not kept of one that is up",
      examples: ["pg_dump: connection refused"]
    })
  ),
  durationMs: optional(
    whole(0, Number.MAX_SAFE_INTEGER).annotations({
      description: "How long the job took; shown as the latency of the check",
      examples: [5120]
    })
  )
}).annotations({ identifier: "HeartbeatInput" })
export type HeartbeatInput = typeof HeartbeatInput.Type

export const HeartbeatReceipt = Schema.Struct({
  ok: Schema.Literal(true),
  at: Timestamp.annotations({ description: "When the ping was received; it is stored when this answers" })
}).annotations({ identifier: "HeartbeatReceipt" })
export type HeartbeatReceipt = typeof HeartbeatReceipt.Type
