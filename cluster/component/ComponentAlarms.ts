/** Handles the alarms of components: each one wakes its actor. */
import { Effect } from "effect"
import { ComponentId } from "../../schema/Ids.ts"
import type { AlarmHandler } from "../AlarmHandler.ts"
import { ComponentEntity, entityId } from "./ComponentProtocol.ts"

export const componentAlarms = Effect.map(ComponentEntity.client, (component): AlarmHandler => ({
  settleInBulk: Effect.succeed,
  wake: ({ id, workspaceId }) => component(entityId(workspaceId, ComponentId.make(id))).Wake()
}))
