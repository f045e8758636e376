/** What a component's actor can be asked. Its entity id is `<workspace id>/<component id>`. */
import { ClusterSchema, Entity } from "@effect/cluster"
import { Rpc } from "@effect/rpc"
import { Schema } from "effect"
import { ComponentStatus } from "../../schema/component/Component.ts"
import { PushReceipt } from "../../schema/component/Push.ts"
import { ComponentId, WorkspaceId } from "../../schema/Ids.ts"

export const ComponentEntity = Entity.make("Component", [
  /** A push came in; what it changed is committed when this answers. Null where the component is gone or takes no pushes. */
  Rpc.make("Push", {
    payload: {
      status: ComponentStatus,
      message: Schema.NullOr(Schema.String),
      confirmed: Schema.Boolean,
      observedAt: Schema.NullOr(Schema.Number).annotations({ description: "ms since 1970" })
    },
    success: Schema.NullOr(PushReceipt)
  }),
  /** Its time may be up, or something that it shows has changed elsewhere. */
  Rpc.make("Wake")
]).annotate(ClusterSchema.ClientTracingEnabled, false)

export const entityId = (workspaceId: WorkspaceId, componentId: ComponentId): string => `${workspaceId}/${componentId}`

/** The workspace and component of an entity id. */
export const entityKey = (id: string): { readonly workspaceId: WorkspaceId; readonly componentId: ComponentId } => {
  const slash = id.indexOf("/")
  return { workspaceId: WorkspaceId.make(id.slice(0, slash)), componentId: ComponentId.make(id.slice(slash + 1)) }
}
