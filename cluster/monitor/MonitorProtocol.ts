/** What a monitor's actor can be asked. Its entity id is `<workspace id>/<monitor id>`. */
import { ClusterSchema, Entity } from "@effect/cluster"
import { Rpc } from "@effect/rpc"
import { Schema } from "effect"
import { MonitorId, WorkspaceId } from "../../schema/Ids.ts"
import { Observation, Snapshot } from "../../schema/monitor/Machine.ts"
import { MonitorState } from "../../schema/monitor/Monitor.ts"

/** What came of a check or a deadline. */
export const Observed = Schema.Struct({
  counted: Schema.Boolean,
  /** True when the state changed: the change is committed already. */
  moved: Schema.Boolean,
  /** What the asker is to write in bulk; null when nothing changed or the actor has written it itself. */
  snapshot: Schema.NullOr(Snapshot)
})
export type Observed = typeof Observed.Type

export const MonitorEntity = Entity.make("Monitor", [
  /** A check came in. Not the bare struct: the client would validate each payload against that once more. */
  Rpc.make("Observe", { payload: Schema.typeSchema(Observation), success: Observed }),
  /** The time of an open round may be up. */
  Rpc.make("CloseDue", { success: Observed }),
  /** Checks made by hand are to decide at once; `missing` regions were asked and did not answer. */
  Rpc.make("Apply", {
    payload: { checks: Schema.Array(Observation), missing: Schema.Int },
    success: Schema.NullOr(MonitorState)
  }),
  /** Its alarm is due: a heartbeat's deadline has passed, or pings wait to be heard. */
  Rpc.make("Wake"),
  /** The settings were edited, or the monitor was deleted. */
  Rpc.make("Reload")
]).annotate(ClusterSchema.ClientTracingEnabled, false)

export const entityId = (workspaceId: WorkspaceId, monitorId: MonitorId): string => `${workspaceId}/${monitorId}`

/** The workspace and monitor of an entity id. */
export const entityKey = (id: string): { readonly workspaceId: WorkspaceId; readonly monitorId: MonitorId } => {
  const slash = id.indexOf("/")
  return { workspaceId: WorkspaceId.make(id.slice(0, slash)), monitorId: MonitorId.make(id.slice(slash + 1)) }
}
