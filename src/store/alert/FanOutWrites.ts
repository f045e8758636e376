/** Writes what becomes of new events, in the caller's transaction: deliveries, alerts that wait, broadcasts and requests for reports. */
import { SqlClient } from "@effect/sql"
import { Array, DateTime, Duration, Effect } from "effect"
import { randomBytes } from "node:crypto"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import type { ChannelId, EventId, IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import { incidentOf } from "../../domain/alert/EventRouting.ts"
import type { AlertChange } from "../../domain/alert/PagingAlerts.ts"
import { makeId } from "../../domain/Id.ts"
import { ReportRequests } from "../ai/ReportRequests.ts"
import { DatabaseClock } from "../postgres/DatabaseClock.ts"
import { withNext } from "../postgres/LeanTransactions.ts"
import { Signals } from "../postgres/Signals.ts"
import { Broadcasts } from "../subscriber/Broadcasts.ts"
import { type Alerted, AlertedChannels, type PagingAlert } from "./AlertedChannels.ts"
import { AlertGroups } from "./AlertGroups.ts"
import { AlertStreaks, type ChannelChange } from "./AlertStreaks.ts"
import { deliveriesSignal } from "./DeliveryQueues.ts"
import { DependentTroubles } from "./DependentTroubles.ts"
import type { EventBatch } from "./FanOutChannels.ts"
import { type QuietAlert, QuietAlerts } from "./QuietAlerts.ts"
import { StandingAcknowledgements } from "./StandingAcknowledgements.ts"

/** One event for channels that receive the same bytes. */
export interface PlannedMessage {
  readonly workspaceId: WorkspaceId
  readonly eventId: EventId
  /** The incident that the event is about. */
  readonly incidentId: IncidentId | null
  /** What it does to the alert of the channels; null unless they are of a paging service. */
  readonly alert: AlertChange | null
  readonly body: string
  readonly channelIds: ReadonlyArray<ChannelId>
}

/** What becomes of new events. */
export interface DeliveryPlan {
  readonly messages: ReadonlyArray<PlannedMessage>
  /** Alerts that wait for others of their channel, oldest first. */
  readonly held: ReadonlyArray<ChannelChange>
  /** Alerts that wait for the end of quiet hours. */
  readonly quiet: ReadonlyArray<QuietAlert>
}

/** Decides what becomes of events. */
export type PlanEvents = (batch: EventBatch) => DeliveryPlan

/** The channels of messages about incidents. */
const alertedBy = (messages: ReadonlyArray<PlannedMessage>): ReadonlyArray<Alerted> =>
  messages.flatMap(({ channelIds, incidentId, workspaceId }) =>
    incidentId === null ? [] : channelIds.map((channelId) => ({ workspaceId, incidentId, channelId }))
  )

/** The alerts that messages open and close, in their order. */
const alertsBy = (messages: ReadonlyArray<PlannedMessage>): ReadonlyArray<PagingAlert> =>
  messages.flatMap(({ alert, channelIds, workspaceId }) => {
    if (alert === null || alert.subject === null || (alert._tag === "Tell" && !alert.opens)) return []
    const { subject } = alert
    const key = alert._tag === "Close" ? null : alert.key
    return channelIds.map((channelId) => ({ workspaceId, subject, channelId, key }))
  })

const makeDeliver = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const signals = yield* Signals
  const clock = yield* DatabaseClock
  const alertedChannels = yield* AlertedChannels

  const insert = Effect.fn("FanOut.insert")(function*(
    messages: ReadonlyArray<PlannedMessage>,
    now: DateTime.Utc,
    wait: Duration.DurationInput
  ) {
    const at = DateTime.toDateUtc(now)
    const due = DateTime.toDateUtc(DateTime.addDuration(now, wait))
    const targets = messages.flatMap(({ channelIds }, index) => channelIds.map((channelId) => ({ channelId, message: index + 1 })))
    const ids = targets.map(() => makeId("dlv", DateTime.toEpochMillis(now), randomBytes(10)))
    yield* sql`
      insert into deliveries (id, workspace_id, event_id, channel_id, alert_key, closes_alert, body, status, due_at, created_at)
      select target.id, message.workspace_id, message.event_id, target.channel_id, message.alert_key, message.closes,
             message.body, 'due',
             -- Microseconds apart, so that a channel gets the events of one batch in their order.
             ${due}::timestamptz - (${targets.length} - target.place) * interval '1 microsecond', ${at}
      from unnest(${ids}::text[], ${targets.map(({ channelId }) => channelId)}::text[],
                  ${targets.map(({ message }) => message)}::int[])
        with ordinality as target (id, channel_id, message, place)
      join unnest(${messages.map(({ workspaceId }) => workspaceId)}::text[], ${messages.map(({ eventId }) => eventId)}::text[],
                  ${messages.map(({ body }) => body)}::text[], ${messages.map(({ alert }) => alert?.key ?? null)}::text[],
                  ${messages.map(({ alert }) => alert?._tag === "Close")}::boolean[])
        with ordinality as message (workspace_id, event_id, body, alert_key, closes, number)
        on message.number = target.message
      on conflict (event_id, channel_id) do nothing`
  })

  /** Writes the deliveries of messages in the caller's transaction; they are due after `wait`. */
  const deliver = Effect.fn("FanOut.deliver")(function*(
    messages: ReadonlyArray<PlannedMessage>,
    wait: Duration.DurationInput = Duration.zero
  ) {
    if (messages.length === 0) return
    // The database's clock decides when deliveries are due.
    const now = yield* clock.now
    yield* alertedChannels.add(alertedBy(messages), now)
    yield* alertedChannels.record(alertsBy(messages), now)
    yield* insert(messages, now, wait)
    yield* signals.send(deliveriesSignal)
  })

  return deliver
})

export type FanOutWrites = Effect.Effect.Success<typeof makeFanOutWrites>

export const makeFanOutWrites = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const broadcasts = yield* Broadcasts
  const groups = yield* AlertGroups
  const streaks = yield* AlertStreaks
  const dependents = yield* DependentTroubles
  const quietAlerts = yield* QuietAlerts
  const acknowledgements = yield* StandingAcknowledgements
  const reports = yield* ReportRequests
  const deliver = yield* makeDeliver

  /** Keeps alerts back in the caller's transaction, except those of monitors that are known to flap. */
  const keepBack = Effect.fn("FanOut.keepBack")(function*({ held, quiet }: DeliveryPlan, now: DateTime.Utc) {
    const tellings = yield* streaks.take(held)
    const told = held.flatMap((alert, index) => {
      const telling = tellings[index]
      return telling === "nothing" ? [] : [{ ...alert, flapping: telling === "flapping" }]
    })
    yield* groups.hold(told, now)
    yield* quietAlerts.hold(quiet)
  })

  /** The acknowledgements of incidents whose alerts have waited for a parent: the channels that are alerted now missed them. */
  const acknowledgedMeanwhile = Effect.fnUntraced(function*(waited: ReadonlySet<WorkspaceEvent>) {
    const byWorkspace = Array.groupBy(waited, ({ workspaceId }) => workspaceId)
    const found = yield* Effect.forEach(
      Object.values(byWorkspace),
      (ofOne) => acknowledgements.find(ofOne[0].workspaceId, ofOne.flatMap((event) => incidentOf(event) ?? []))
    )
    return found.flat()
  })

  /** Fans out events, oldest first, and returns the number of broadcasts that begin. */
  const write = Effect.fn("FanOut.write")(function*(events: ReadonlyArray<WorkspaceEvent>, batch: EventBatch, plan: PlanEvents) {
    if (events.length === 0) return 0
    const { now } = batch
    const { sent: told, waited } = yield* dependents.sift(events, now)
    const planned = plan({ ...batch, events: [...told, ...yield* acknowledgedMeanwhile(waited)] })
    // Groups before queues: the sender of a group locks them in this order.
    yield* keepBack(planned, now)
    yield* deliver(planned.messages)
    const begun = yield* broadcasts.plan(events, now)
    yield* reports.add(told, now)
    yield* withNext(sql`
      update events set fanned_out = true
      from unnest(${events.map(({ workspaceId }) => workspaceId)}::text[], ${events.map(({ id }) => id)}::text[])
        as done (workspace_id, id)
      where events.workspace_id = done.workspace_id and events.id = done.id`)
    return begun
  })

  return { write, deliver }
})
