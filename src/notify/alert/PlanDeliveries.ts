/** Plans the deliveries of new events and renders their bodies once, so that retries send the same bytes. */
import { Array } from "effect"
import { incidentOf, receiversOf } from "../../domain/alert/EventRouting.ts"
import { shareTargets } from "../../domain/alert/SharedTargets.ts"
import type { EventBatch, PlannedMessage } from "../../store/alert/FanOut.ts"
import { renderFor } from "./channelKinds.ts"

/** All channels of one type share one body, and those with the same target one delivery. */
export const planDeliveries = ({ channels, events, links }: EventBatch): ReadonlyArray<PlannedMessage> =>
  events.flatMap((event) =>
    Object.entries(Array.groupBy(receiversOf(event, channels, links), ({ type }) => type)).map(([type, receivers]) => ({
      workspaceId: event.workspaceId,
      eventId: event.id,
      incidentId: incidentOf(event),
      body: renderFor(type, event),
      deliveries: shareTargets(receivers).map(({ carrier, sharedWith }) => ({
        channelId: carrier.id,
        sharedWith: sharedWith.map(({ id }) => id)
      }))
    }))
  )
