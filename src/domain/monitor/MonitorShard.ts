/** The shard of a monitor, from the entity id of its actor: `<workspace id>/<monitor id>`. */
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { shardOf } from "../tools/Shard.ts"

interface MonitorKey {
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
}

export const monitorShard = ({ monitorId, workspaceId }: MonitorKey): number => shardOf(`${workspaceId}/${monitorId}`)
