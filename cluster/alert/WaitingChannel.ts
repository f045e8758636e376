/** A channel for which alerts wait, together with the channels that share them. */
import type { EventData } from "../../schema/event/EventData.ts"
import type { ChannelId, WorkspaceId } from "../../schema/Ids.ts"

export interface WaitingChannel {
  readonly workspaceId: WorkspaceId
  readonly channelId: ChannelId
  readonly name: string
  readonly type: string
  /** Channels that had the same target when the alerts began to wait. */
  readonly sharedWith: ReadonlyArray<ChannelId>
}

/** The channels that share any of the alerts, each once, oldest first. */
export const sharingAny = (alerts: ReadonlyArray<{ readonly sharedWith: ReadonlyArray<ChannelId> }>): ReadonlyArray<ChannelId> =>
  [...new Set(alerts.flatMap(({ sharedWith }) => sharedWith))].sort()

type NamedChannel = EventData<"quiet.ended">["channel"]

/** The channel as the events name it that are made of its alerts. */
export const namedChannel = (id: ChannelId, name: string, sharedWith: ReadonlyArray<ChannelId>): NamedChannel => ({
  id,
  name,
  ...(sharedWith.length === 0 ? {} : { sharedWith })
})
