/** Renders the bodies of messages once, so that retries send the same bytes. */
import { Array, Effect } from "effect"
import type { ChannelId, UserId } from "../../schema/Ids.ts"
import type { PlannedMessage } from "../../src/domain/alert/DeliveryPlan.ts"
import { acknowledgeable, wayOf } from "../../src/domain/alert/EventRouting.ts"
import { isWayTarget, kindOfWay } from "../../src/domain/paging/WayTarget.ts"
import { Links } from "../../src/links/Links.ts"
import { renderFor } from "../../src/notify/alert/channelKinds.ts"
import { composePage } from "../../src/notify/way/wayKinds.ts"
import { AcknowledgeTokens } from "../../src/store/incident/AcknowledgeTokens.ts"

/** A link to acknowledge names its channel, or the person of a contact way; otherwise the channels of a message share one body. */
export const makeRenderMessages = Effect.gen(function*() {
  const links = yield* Links
  const tokens = yield* AcknowledgeTokens

  return (messages: ReadonlyArray<PlannedMessage>) =>
    messages.flatMap((message) => {
      const { alert, channelIds, event, type } = message
      const incidentId = acknowledgeable(event)
      if (incidentId === null) return [{ ...message, body: renderFor(type, event, null, alert?.key) }]
      const linkOf = (recipient: ChannelId | UserId) => links.acknowledge(tokens.make({ incidentId, recipient }, event.at))
      const way = wayOf(event)
      if (isWayTarget(type)) {
        if (way === null) return []
        const kind = kindOfWay(type)
        // A text has little room.
        const link = kind === "sms" ? links.acknowledge(tokens.ofPage(way.pagingId)) : linkOf(way.userId)
        return [{ ...message, body: composePage(kind, event, link) }]
      }
      const bodyFor = (id: ChannelId) => renderFor(type, event, linkOf(id), alert?.key)
      return Object.entries(Array.groupBy(channelIds, bodyFor)).map(([body, ids]) => ({ ...message, body, channelIds: ids }))
    })
})
