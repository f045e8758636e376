/** The messages of a subscriber's actor. Its entity id is `<workspace id>/<subscriber id>`. */
import { ClusterSchema, Entity } from "@effect/cluster"
import { Rpc } from "@effect/rpc"
import { SubscriberId } from "../../schema/Ids.ts"
import { entityIds, WakeAnswer } from "../ActorProtocol.ts"

export const SubscriberEntity = Entity.make("Subscriber", [
  /** The subscription expires, ends with its incident, or is to be disabled. */
  Rpc.make("Wake", { success: WakeAnswer })
]).annotate(ClusterSchema.ClientTracingEnabled, false)

export const { entityKey } = entityIds(SubscriberId)
