/** The messages of an incident's actor. Its entity id is `<workspace id>/<incident id>`. */
import { ClusterSchema, Entity } from "@effect/cluster"
import { Rpc } from "@effect/rpc"
import { IncidentId } from "../../schema/Ids.ts"
import { entityIds, WakeAnswer } from "../ActorProtocol.ts"

export const IncidentEntity = Entity.make("Incident", [
  /** A step of a maintenance window or of an incident's alerting is due. */
  Rpc.make("Wake", { success: WakeAnswer })
]).annotate(ClusterSchema.ClientTracingEnabled, false)

export const { entityKey } = entityIds(IncidentId)
