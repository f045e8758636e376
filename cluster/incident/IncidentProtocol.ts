/** The messages of an incident's actor. Its entity id is `<workspace id>/<incident id>`. */
import { ClusterSchema, Entity } from "@effect/cluster"
import { Rpc } from "@effect/rpc"
import { IncidentId } from "../../schema/Ids.ts"
import { entityIds } from "../EntityKey.ts"

export const IncidentEntity = Entity.make("Incident", [
  /** A maintenance window is to start or to complete. */
  Rpc.make("Wake")
]).annotate(ClusterSchema.ClientTracingEnabled, false)

export const { entityId, entityKey } = entityIds(IncidentId)
