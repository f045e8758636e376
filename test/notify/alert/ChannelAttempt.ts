/** One attempt by a channel kind, from the settings of an input to the verdict on the answer. */
import { DateTime, Effect } from "effect"
import type { ChannelSettings } from "../../../schema/alert/Channel.ts"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import type { EventDraft } from "../../../schema/event/EventData.ts"
import { encodeEventData } from "../../../schema/event/EventData.ts"
import { ChannelId, EventId, MonitorId, PolicyId, UserId, WorkspaceId } from "../../../schema/Ids.ts"
import { type Answer, judge } from "../../../src/domain/alert/DeliveryVerdict.ts"
import { EgressGuard } from "../../../src/egress/EgressGuard.ts"
import { ChannelAddresses, publicAddresses, type ServiceAddresses } from "../../../src/notify/alert/ChannelAddresses.ts"
import type { ChannelKind } from "../../../src/notify/alert/ChannelKind.ts"
import { degraded, incidentCreated, loopback } from "./Receiver.ts"

const ids = { eventId: EventId.make("evt_1"), workspaceId: WorkspaceId.make("ws_1"), channelId: ChannelId.make("ch_1") }

const at = DateTime.unsafeMake("2026-11-20T08:00:00Z")

const eventOf = (draft: EventDraft): WorkspaceEvent => ({
  id: ids.eventId,
  workspaceId: ids.workspaceId,
  type: draft.type,
  at,
  data: encodeEventData(draft)
})

const monitorId = MonitorId.make("mon_1")
const { check, monitor } = degraded(monitorId)

/** Everything that a name may hold, and that the formats of the services give a meaning. */
export const awkward = "*Shop* _<b>_ [x](y) `a` ~b~ >c #d +e -f =g |h {i} .j !k & @everyone \\l"

export const down = eventOf({
  type: "monitor.down",
  data: {
    monitor: { ...monitor, name: awkward, state: "down" },
    check: { ...check, outcome: "down", cause: "status", statusCode: 503, error: "Answered 503 (expected 200-299) & <nothing>" },
    incident: {
      id: incidentCreated(true).incident.id,
      title: "Shop is down",
      url: "https://belltower.example/app/incidents/inc_1"
    },
    ai: null
  }
})

export const up = eventOf({
  type: "monitor.up",
  data: {
    monitor: { ...monitor, state: "up" },
    check: { ...check, outcome: "up" },
    downtimeSeconds: 125,
    incident: { id: incidentCreated(true).incident.id, url: "https://belltower.example/app/incidents/inc_1", resolved: true },
    ai: null
  }
})

export const acknowledged = eventOf({
  type: "incident.acknowledged",
  data: { incident: { ...incidentCreated(true).incident, monitorId }, ack: { at, by: "ops@example.com", via: "api" } }
})

/** The AI report on the recovery from an outage. */
export const analyzed = eventOf({
  type: "incident.analyzed",
  data: {
    incident: { ...incidentCreated(true).incident, monitorId, resolvedAt: at },
    phase: "recovery",
    ai: {
      at,
      analysis: "It answers again.",
      likelyCauses: [],
      suggestedActions: [],
      publicSummary: "All is well.",
      severity: "minor"
    }
  }
})

/** A level whose two people no page reaches. */
export const unreached = eventOf({
  type: "incident.escalated",
  data: {
    incident: incidentCreated(true).incident,
    policy: { id: PolicyId.make("pol_1"), name: "Platform" },
    level: 1,
    levels: 2,
    round: 1,
    unacknowledgedForMinutes: 0,
    notified: {
      channelIds: [ids.channelId],
      users: [],
      unreached: ["ada@a.example", "ben@a.example"].map((email, index) => ({
        id: UserId.make(`usr_${index}`),
        name: null,
        email,
        reason: "The email address is not confirmed"
      }))
    }
  }
})

/** A person's update of an outage, or at its end of an incident that a person opened. */
export const written = (automatic: boolean, resolvedAt: DateTime.Utc | null = null, body: string | null = null) => {
  const { incident, update } = incidentCreated(automatic)
  return eventOf({
    type: "incident.updated",
    data: {
      incident: { ...incident, resolvedAt, monitorId: automatic ? monitorId : null },
      update: { ...update, body: body ?? update.body },
      manual: true
    }
  })
}

export const stormUrl = "https://belltower.example/app/monitors?workspace=ws_1&state=down"

/** Two monitors that went down within a minute. */
export const storm = eventOf({
  type: "monitor.summary",
  data: {
    channel: { id: ids.channelId, name: "Team" },
    url: stormUrl,
    down: {
      count: 2,
      monitors: [awkward, "Search"].map((name) => ({ _id: monitorId, name, url: monitor.url, incidentId: null, error: null }))
    },
    degraded: { count: 0, monitors: [] },
    up: { count: 0, monitors: [] }
  }
})

export const ping = eventOf({
  type: "test.ping",
  data: { message: "This is a test", channel: { id: ids.channelId, name: "Team" } }
})

/** Settles the settings, renders the event and makes one attempt. */
export const attempt = Effect.fn("attempt")(
  function*(kind: ChannelKind, given: ChannelSettings, event: WorkspaceEvent = down, addresses: Partial<ServiceAddresses> = {}) {
    const stored = yield* kind.settle(given, { shown: {}, sealed: {} })
    const body = kind.render(event, null)
    const answer: Answer = yield* kind.send({ ...ids, body, signing: [], timeoutMs: 5000 }, stored).pipe(
      Effect.provideService(ChannelAddresses, { ...publicAddresses, ...addresses })
    )
    return { answer, body, stored, verdict: judge(answer, 1, at) }
  },
  (work) => Effect.provide(work, EgressGuard.Default({ allow: loopback }))
)
