/** Handles the alarms of incidents: each one wakes its actor. */
import { Effect } from "effect"
import { IncidentId } from "../../schema/Ids.ts"
import type { AlarmHandler } from "../AlarmHandler.ts"
import { entityId, IncidentEntity } from "./IncidentProtocol.ts"

export const incidentAlarms = Effect.map(IncidentEntity.client, (incident): AlarmHandler => ({
  settleInBulk: Effect.succeed,
  wake: ({ id, workspaceId }) => incident(entityId(workspaceId, IncidentId.make(id))).Wake()
}))
