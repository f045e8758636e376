/** Handles the alarms of subscribers: each one wakes its actor. */
import { Effect } from "effect"
import { SubscriberId } from "../../schema/Ids.ts"
import type { AlarmHandler } from "../AlarmHandler.ts"
import { entityId, SubscriberEntity } from "./SubscriberProtocol.ts"

export const subscriberAlarms = Effect.map(SubscriberEntity.client, (subscriber): AlarmHandler => ({
  settleInBulk: Effect.succeed,
  wake: ({ id, workspaceId }) => subscriber(entityId(workspaceId, SubscriberId.make(id))).Wake()
}))
