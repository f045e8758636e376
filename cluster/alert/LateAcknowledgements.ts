/** What follows an alert that waited: the acknowledgement of its incident, if somebody acknowledged meanwhile. */
import { type Duration, Effect, Option } from "effect"
import type { IncidentId } from "../../schema/Ids.ts"
import { incidentOf, receiversOf } from "../../src/domain/alert/EventRouting.ts"
import { keepsAlerts } from "../../src/domain/alert/PagingAlerts.ts"
import { type AcknowledgeLink, messagesTo } from "../../src/notify/alert/PlanDeliveries.ts"
import { AlertedChannels } from "../../src/store/alert/AlertedChannels.ts"
import { FanOut } from "../../src/store/alert/FanOut.ts"
import type { PlannedMessage } from "../../src/store/alert/FanOutWrites.ts"
import { StandingAcknowledgements } from "../../src/store/alert/StandingAcknowledgements.ts"
import type { WaitingChannel } from "./WaitingChannel.ts"

/** A summary is an event, which becomes a delivery in the next round of the fan-out. */
const afterSummary: Duration.DurationInput = "2 seconds"

export const makeLateAcknowledgements = (linkOf: AcknowledgeLink) =>
  Effect.gen(function*() {
    const acknowledgements = yield* StandingAcknowledgements
    const fanOut = yield* FanOut
    const alerted = yield* AlertedChannels

    /** The acknowledgements of incidents that a channel is alerted about now. A channel that has one gets it no second time. */
    const messages = Effect.fnUntraced(
      function*({ channelId, type, workspaceId }: WaitingChannel, incidentIds: ReadonlyArray<IncidentId>) {
        const events = yield* acknowledgements.find(workspaceId, incidentIds)
        if (events.length === 0) return []
        const channels = Option.toArray(yield* fanOut.channel(workspaceId, channelId))
        const ids = new Set(channels.map(({ id }) => id))
        const alerts = yield* alerted.alertsOf(events, keepsAlerts(type) ? [...ids] : [])
        return events.flatMap((event): ReadonlyArray<PlannedMessage> => {
          const links = new Map([[incidentOf(event) ?? "", ids]])
          return messagesTo(event, type, receiversOf(event, channels, links, () => false), linkOf, alerts)
        })
      }
    )

    /** Sends them after a summary of the channel, in the caller's transaction. */
    const followSummary = (channel: WaitingChannel, incidentIds: ReadonlyArray<IncidentId>) =>
      Effect.flatMap(messages(channel, incidentIds), (found) => fanOut.deliver(found, afterSummary))

    return { messages, followSummary }
  })
