/** Sends a recorded event to one channel, as if it had not waited. */
import { Effect, Option } from "effect"
import type { ChannelId, EventId, WorkspaceId } from "../../schema/Ids.ts"
import { type AcknowledgeLink, messagesTo } from "../../src/notify/alert/PlanDeliveries.ts"
import { AlertGroups } from "../../src/store/alert/AlertGroups.ts"
import { FanOut } from "../../src/store/alert/FanOut.ts"

export interface WaitingChannel {
  readonly workspaceId: WorkspaceId
  readonly channelId: ChannelId
  readonly type: string
}

/** In the caller's transaction. Sends nothing if the channel was disabled meanwhile. */
export const makeSendAlone = (linkOf: AcknowledgeLink) =>
  Effect.gen(function*() {
    const groups = yield* AlertGroups
    const fanOut = yield* FanOut
    return Effect.fn("SingleAlerts.send")(function*({ channelId, type, workspaceId }: WaitingChannel, eventId: EventId) {
      const found = yield* groups.event(workspaceId, eventId)
      const receivers = yield* fanOut.channel(workspaceId, channelId)
      if (Option.isSome(found)) yield* fanOut.deliver(messagesTo(found.value, type, receivers, linkOf))
    })
  })
