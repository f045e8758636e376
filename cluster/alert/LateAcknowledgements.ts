/** Sends the acknowledgement of an incident after an alert that waited, if somebody acknowledged it meanwhile. */
import { type DateTime, type Duration, Effect, Option } from "effect"
import type { IncidentId } from "../../schema/Ids.ts"
import { messagesTo } from "../../src/domain/alert/DeliveryPlan.ts"
import { incidentOf, receiversOf } from "../../src/domain/alert/EventRouting.ts"
import { keepsAlerts } from "../../src/domain/alert/PagingAlerts.ts"
import { AlertedChannels } from "../../src/store/alert/AlertedChannels.ts"
import type { AlertGroup, GroupedAlert } from "../../src/store/alert/AlertGroups.ts"
import { FanOutRows } from "../../src/store/alert/FanOutRows.ts"
import { StandingAcknowledgements } from "../../src/store/alert/StandingAcknowledgements.ts"
import { makeRenderMessages } from "./RenderMessages.ts"

/** A summary is an event, which becomes a delivery in the next round of the fan-out. */
const afterSummary: Duration.DurationInput = "2 seconds"

export const makeLateAcknowledgements = Effect.gen(function*() {
  const acknowledgements = yield* StandingAcknowledgements
  const { channels, deliver } = yield* FanOutRows
  const alerted = yield* AlertedChannels
  const rendered = yield* makeRenderMessages

  /** The acknowledgements of incidents that a channel is alerted about now. A channel that has one gets it no second time. */
  const messages = Effect.fnUntraced(
    function*({ channelId, type, workspaceId }: AlertGroup, incidentIds: ReadonlyArray<IncidentId>) {
      const events = yield* acknowledgements.find(workspaceId, incidentIds)
      if (events.length === 0) return []
      const found = Option.toArray(yield* channels.find(workspaceId, channelId))
      const ids = new Set(found.map(({ id }) => id))
      const alerts = yield* alerted.alertsOf(events, keepsAlerts(type) ? [...ids] : [])
      return rendered(events.flatMap((event) => {
        const links = new Map([[incidentOf(event) ?? "", ids]])
        return messagesTo(event, type, receiversOf(event, found, links, () => false), alerts)
      }))
    }
  )

  /** Sends them after a summary of the channel, in the caller's transaction. */
  const followSummary = (channel: AlertGroup, incidentIds: ReadonlyArray<IncidentId>) =>
    Effect.flatMap(messages(channel, incidentIds), (found) => deliver(found, afterSummary))

  /** Also notes that the channel is alerted about the incidents of these alerts, so that it learns of later acknowledgements. */
  const summarize = Effect.fnUntraced(
    function*(channel: AlertGroup, alerts: ReadonlyArray<Pick<GroupedAlert, "incidentId">>, now: DateTime.Utc) {
      const { channelId, workspaceId } = channel
      const about = alerts.flatMap(({ incidentId }) => incidentId ?? [])
      yield* alerted.add(about.map((incidentId) => ({ workspaceId, incidentId, channelId })), now)
      yield* followSummary(channel, about)
    }
  )

  return { messages, followSummary, summarize }
})
