/** Renders the bodies of messages once, so that retries send the same bytes. */
import { Array } from "effect"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import type { ChannelId, IncidentId } from "../../../schema/Ids.ts"
import type { PlannedMessage } from "../../domain/alert/DeliveryPlan.ts"
import { acknowledgeable } from "../../domain/alert/EventRouting.ts"
import { renderFor } from "./channelKinds.ts"

/** The page on which the readers of a channel acknowledge an incident. */
export type AcknowledgeLink = (incidentId: IncidentId, channelId: ChannelId, event: WorkspaceEvent) => string

/** An acknowledge link names its channel; otherwise the channels of a message share one body. */
export const renderMessages = (linkOf: AcknowledgeLink) => (messages: ReadonlyArray<PlannedMessage>) =>
  messages.flatMap((message) => {
    const { alert, channelIds, event, type } = message
    const incidentId = acknowledgeable(event)
    if (incidentId === null) return [{ ...message, body: renderFor(type, event, null, alert?.key) }]
    const bodyFor = (id: ChannelId) => renderFor(type, event, linkOf(incidentId, id, event), alert?.key)
    return Object.entries(Array.groupBy(channelIds, bodyFor)).map(([body, ids]) => ({ ...message, body, channelIds: ids }))
  })
