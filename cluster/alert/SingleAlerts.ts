/** Sends a recorded event to one channel, as if it had not waited. */
import { Effect, Option } from "effect"
import type { EventId } from "../../schema/Ids.ts"
import { messagesTo, type PlannedMessage } from "../../src/domain/alert/DeliveryPlan.ts"
import { incidentOf } from "../../src/domain/alert/EventRouting.ts"
import { keepsAlerts } from "../../src/domain/alert/PagingAlerts.ts"
import { AlertedChannels } from "../../src/store/alert/AlertedChannels.ts"
import type { AlertGroup } from "../../src/store/alert/AlertGroups.ts"
import { FanOutRows } from "../../src/store/alert/FanOutRows.ts"
import { EventLog } from "../../src/store/event/EventLog.ts"
import { makeLateAcknowledgements } from "./LateAcknowledgements.ts"
import { makeRenderMessages } from "./RenderMessages.ts"

const opensAlert = ({ alert }: PlannedMessage): boolean => alert?._tag === "Announce" && alert.opens

export const makeSendSingle = Effect.gen(function*() {
  const events = yield* EventLog
  const { channels, deliver } = yield* FanOutRows
  const alerted = yield* AlertedChannels
  const late = yield* makeLateAcknowledgements
  const rendered = yield* makeRenderMessages

  /** In the caller's transaction. Opens no alert at a paging service for an incident that has ended: nothing would close it. */
  return Effect.fn("SingleAlerts.send")(function*(channel: AlertGroup, eventId: EventId) {
    const { channelId, type, workspaceId } = channel
    const found = yield* events.find(workspaceId, eventId)
    if (Option.isNone(found)) return
    const event = found.value
    const receivers = Option.toArray(yield* channels.find(workspaceId, channelId))
    const alerts = yield* alerted.alertsOf([event], keepsAlerts(type) ? receivers.map(({ id }) => id) : [])
    const messages = messagesTo(event, type, receivers, alerts)
    const incidentId = incidentOf(event)
    if (incidentId !== null && messages.some(opensAlert) && (yield* alerted.isOver(workspaceId, incidentId))) return
    const acknowledged = yield* late.messages(channel, incidentId === null ? [] : [incidentId])
    yield* deliver([...rendered(messages), ...acknowledged])
  })
})
