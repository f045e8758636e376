/** Answers the alarms of components: each is for its actor to judge. */
import { Effect } from "effect"
import { ComponentId } from "../../schema/Ids.ts"
import type { Waker } from "../Waker.ts"
import { ComponentEntity, entityId } from "./ComponentProtocol.ts"

export const componentWaker = Effect.map(ComponentEntity.client, (component): Waker => ({
  sift: Effect.succeed,
  wake: ({ id, workspaceId }) => component(entityId(workspaceId, ComponentId.make(id))).Wake()
}))
