/** The messages of a monitor's actor. Its entity id is `<workspace id>/<monitor id>`. */
import { ClusterSchema, Entity } from "@effect/cluster"
import { Rpc } from "@effect/rpc"
import { Schema } from "effect"
import { MonitorId } from "../../schema/Ids.ts"
import { Observation, Snapshot } from "../../schema/monitor/Machine.ts"
import { MonitorState } from "../../schema/monitor/Monitor.ts"
import { entityIds } from "../ActorProtocol.ts"

/** The result of taking in a check or a deadline. */
export const Observed = Schema.Struct({
  /** Whether the check counts towards the state of its monitor. One that does not is stored all the same. */
  counted: Schema.Boolean,
  /** The monitor is gone, or is not checked from the region of the check: nothing of it may be kept. */
  isForeign: Schema.optional(Schema.Literal(true)),
  /** True when the state changed; the change is already committed. */
  moved: Schema.Boolean,
  /** The snapshot that the caller must write in bulk; null when nothing changed or the actor wrote it itself. */
  snapshot: Schema.NullOr(Snapshot)
})
export type Observed = typeof Observed.Type

/** A check, and its span if the trace is recorded. */
const ObservedCheck = Schema.Struct({ ...Observation.fields, traceparent: Schema.optional(Schema.String) })

export const MonitorEntity = Entity.make("Monitor", [
  /** Takes in a check. The payload is a type schema: with a struct the client would validate each payload again. */
  Rpc.make("Observe", { payload: Schema.typeSchema(ObservedCheck), success: Observed }),
  Rpc.make("CloseDue", { success: Observed }),
  /** Decides immediately on checks that a person requested; `missing` regions were asked and did not answer. */
  Rpc.make("Apply", {
    payload: { checks: Schema.Array(Observation), missing: Schema.Int },
    success: Schema.NullOr(MonitorState)
  }),
  /** Its alarm is due: a heartbeat's deadline has passed, or pings wait to be processed. */
  Rpc.make("Wake"),
  /** The settings were edited, or the monitor was deleted. */
  Rpc.make("Reload")
]).annotate(ClusterSchema.ClientTracingEnabled, false)

export const { entityId, entityKey } = entityIds(MonitorId)
