/** Sends a recorded event to one channel and those that share it, as if it had not waited. */
import { Effect, Option } from "effect"
import type { EventId } from "../../schema/Ids.ts"
import { incidentOf } from "../../src/domain/alert/EventRouting.ts"
import { type AcknowledgeLink, messagesTo } from "../../src/notify/alert/PlanDeliveries.ts"
import { AlertGroups } from "../../src/store/alert/AlertGroups.ts"
import { FanOut } from "../../src/store/alert/FanOut.ts"
import { makeLateAcknowledgements } from "./LateAcknowledgements.ts"
import type { WaitingChannel } from "./WaitingChannel.ts"

/** In the caller's transaction. Sends nothing if the channel was disabled meanwhile. */
export const makeSendAlone = (linkOf: AcknowledgeLink) =>
  Effect.gen(function*() {
    const groups = yield* AlertGroups
    const fanOut = yield* FanOut
    const late = yield* makeLateAcknowledgements(linkOf)
    return Effect.fn("SingleAlerts.send")(function*(channel: WaitingChannel, eventId: EventId) {
      const { channelId, sharedWith, type, workspaceId } = channel
      const found = yield* groups.event(workspaceId, eventId)
      if (Option.isNone(found)) return
      const receivers = yield* fanOut.sharing(workspaceId, channelId, sharedWith)
      const incidentId = incidentOf(found.value)
      const acknowledged = yield* late.messages(channel, incidentId === null ? [] : [incidentId])
      yield* fanOut.deliver([...messagesTo(found.value, type, receivers, linkOf), ...acknowledged])
    })
  })
