/** A message that sums up alerts which waited is for one channel, whatever the settings of the others. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import type { QuietHours } from "../../../schema/alert/QuietHours.ts"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { encodeEventData } from "../../../schema/event/EventData.ts"
import { ChannelId, EventId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { planDeliveries, type Receiver } from "../../../src/domain/alert/DeliveryPlan.ts"
import { degraded } from "../../notify/alert/Receiver.ts"

const workspaceId = WorkspaceId.make("ws_1")
const now = DateTime.unsafeMake("2026-11-20T12:00:00Z")
const quiet: QuietHours = { timezone: "UTC", from: "10:00", to: "14:00", days: [0, 1, 2, 3, 4, 5, 6], criticalPasses: false }
const [first, second] = [ChannelId.make("ch_1"), ChannelId.make("ch_2")]

const channel = (id: ChannelId, quietHours: QuietHours | null): Receiver => ({
  id,
  workspaceId,
  type: "slack",
  enabled: true,
  groups: true,
  quietHours,
  events: null
})

const { monitor } = degraded(MonitorId.make("mon_1"))
const flapping: WorkspaceEvent = {
  id: EventId.make("evt_1"),
  workspaceId,
  type: "monitor.flapping",
  at: now,
  data: encodeEventData({
    type: "monitor.flapping",
    data: { channel: { id: first, name: "Team" }, monitor, flapping: true, incident: null }
  })
}

const planned = (channels: ReadonlyArray<Receiver>) => {
  const { messages, quiet } = planDeliveries([flapping], {
    channels,
    links: new Map(),
    alerts: new Map(),
    now
  })
  return { sent: messages.flatMap(({ channelIds }) => channelIds), quiet: quiet.map(({ channelId }) => channelId) }
}

describe("what was made of alerts that waited for a channel", () => {
  it("is for that channel only", () => {
    expect(planned([channel(first, null), channel(second, null)])).toEqual({ sent: [first], quiet: [] })
    expect(planned([channel(second, null)])).toEqual({ sent: [], quiet: [] })
  })

  it("waits in the quiet hours of that channel", () => {
    expect(planned([channel(first, quiet), channel(second, null)])).toEqual({ sent: [], quiet: [first] })
  })
})
