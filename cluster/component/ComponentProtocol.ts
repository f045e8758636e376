/** The messages of a component's actor. Its entity id is `<workspace id>/<component id>`. */
import { ClusterSchema, Entity } from "@effect/cluster"
import { Rpc } from "@effect/rpc"
import { Schema } from "effect"
import { ComponentStatus } from "../../schema/component/Component.ts"
import { PushReceipt } from "../../schema/component/Push.ts"
import { ComponentId } from "../../schema/Ids.ts"
import { entityIds, WakeAnswer } from "../ActorProtocol.ts"

export const ComponentEntity = Entity.make("Component", [
  /** Takes in a push and commits what it changed. Null when the component is gone or takes no pushes. */
  Rpc.make("Push", {
    payload: {
      status: ComponentStatus,
      message: Schema.NullOr(Schema.String),
      confirmed: Schema.Boolean,
      observedAt: Schema.NullOr(Schema.Number).annotations({ description: "ms since 1970" })
    },
    success: Schema.NullOr(PushReceipt)
  }),
  /** Its alarm is due: its push may have expired, or one of its sources has changed. */
  Rpc.make("Wake", { success: WakeAnswer })
]).annotate(ClusterSchema.ClientTracingEnabled, false)

export const { entityId, entityKey } = entityIds(ComponentId)
