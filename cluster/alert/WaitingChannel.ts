/** A channel for which alerts wait. */
import type { ChannelId, WorkspaceId } from "../../schema/Ids.ts"

export interface WaitingChannel {
  readonly workspaceId: WorkspaceId
  readonly channelId: ChannelId
  readonly name: string
  readonly type: string
}
