/** The rows of the fan-out: events to take, channels that receive them, and their deliveries. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { QuietHours } from "../../../schema/alert/QuietHours.ts"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { ChannelId, type WayId, WorkspaceId } from "../../../schema/Ids.ts"
import { groupingTypes } from "../../domain/alert/AlertGroup.ts"
import type { RenderedMessage } from "../../domain/alert/DeliveryPlan.ts"
import { incidentOf } from "../../domain/alert/EventRouting.ts"
import { changedKey } from "../../domain/alert/PagingAlerts.ts"
import { isWayTarget } from "../../domain/paging/WayTarget.ts"
import { makeId } from "../../domain/tools/Id.ts"
import { DatabaseClock } from "../postgres/DatabaseClock.ts"
import { withNext } from "../postgres/LeanTransactions.ts"
import { findAll, findOne } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"
import { type Alerted, AlertedChannels, type PagingAlert } from "./AlertedChannels.ts"
import { deliveriesSignal } from "./DeliveryQueues.ts"
import { makeFanOutApart } from "./FanOutApart.ts"
import { makeFanOutClaim } from "./FanOutClaim.ts"

/** A channel as the fan-out reads it. Its type is plain text because a newer version may have written it. */
const ListeningChannel = Schema.Struct({
  id: ChannelId,
  workspaceId: WorkspaceId,
  name: Schema.String,
  type: Schema.String,
  enabled: Schema.Boolean,
  /** Whether its alerts wait for others. */
  groups: Schema.Boolean,
  quietHours: Schema.NullOr(QuietHours),
  events: Schema.NullOr(Schema.Array(Schema.String))
})

const Link = Schema.Struct({ key: Schema.String, channelIds: Schema.Array(ChannelId) })

/** Reads the channels that may receive events, and those that are attached to monitors. */
const makeChannels = (sql: SqlClient.SqlClient) => {
  const columns = sql.literal(`
    id, workspace_id as "workspaceId", name, type, enabled,
    coalesce(group_alerts, type = any('{${groupingTypes.join(",")}}')) as groups,
    quiet_hours as "quietHours", events`)

  return {
    /**
     * The enabled channels of workspaces, locked in the caller's transaction: the lock keeps a channel from being deleted before its
     * deliveries are written.
     */
    listening: findAll(ListeningChannel, (workspaceIds: ReadonlyArray<WorkspaceId>) =>
      sql`
      select ${columns} from channels
      where workspace_id = any(${workspaceIds}::text[]) and enabled order by id for key share`),
    /**
     * The contact ways that pages go to, locked like channels. Nothing holds a page back: they have no quiet hours, and wait for no others.
     */
    ways: findAll(ListeningChannel, (workspaceIds: ReadonlyArray<WorkspaceId>, ids: ReadonlyArray<WayId>) =>
      sql`
      select id, workspace_id as "workspaceId", label as name, 'person.' || kind as type, verified_at is not null as enabled,
             false as groups, null as "quietHours", null as events
      from contact_ways where workspace_id = any(${workspaceIds}::text[]) and id = any(${ids}::text[]) order by id for key share`),
    attachedTo: findAll(Link, (workspaceIds: ReadonlyArray<WorkspaceId>, ids: ReadonlyArray<string>) =>
      sql`
      select id as key, channel_ids as "channelIds" from monitors
      where workspace_id = any(${workspaceIds}::text[]) and id = any(${ids}::text[])`),
    /**
     * Groups that are being sent: their alerts count from their commit. What waits still is followed by the acknowledgement when it
     * is sent (`cluster/alert/LateAcknowledgements.ts`), and is not sent to a paging service after the end of its incident
     * (`cluster/alert/SingleAlerts.ts`).
     */
    awaitGroups: (ids: ReadonlyArray<ChannelId>) =>
      Effect.zipRight(
        sql`select from alert_groups where channel_id = any(${ids}::text[]) order by channel_id for update`,
        sql`select from quiet_groups where channel_id = any(${ids}::text[]) order by channel_id for update`
      ),
    /** An enabled channel, locked in the caller's transaction; none if it was disabled or deleted. */
    find: findOne(
      ListeningChannel,
      (workspaceId: WorkspaceId, id: ChannelId) =>
        sql`select ${columns} from channels where workspace_id = ${workspaceId} and id = ${id} and enabled for key share`
    )
  }
}

type Messages = ReadonlyArray<RenderedMessage>

/** The channels of messages about incidents. */
const alertedBy = (messages: Messages): ReadonlyArray<Alerted> =>
  messages.flatMap(({ channelIds, event, type }) => {
    if (isWayTarget(type)) return []
    const incidentId = incidentOf(event)
    return incidentId === null ? [] : channelIds.map((channelId) => ({ workspaceId: event.workspaceId, incidentId, channelId }))
  })

/** The alerts that messages open and close, in their order. */
const alertsBy = (messages: Messages): ReadonlyArray<PagingAlert> =>
  messages.flatMap(({ alert, channelIds, event: { workspaceId } }) => {
    const changed = changedKey(alert)
    return changed === null ? [] : channelIds.map((channelId) => ({ workspaceId, channelId, ...changed }))
  })

/** Writes what became of events, in the caller's transaction. */
const makeWrites = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const signals = yield* Signals
  const clock = yield* DatabaseClock
  const alertedChannels = yield* AlertedChannels

  const insert = Effect.fn("FanOut.insert")(function*(messages: Messages, now: DateTime.Utc, wait: Duration.DurationInput) {
    const at = DateTime.toDateUtc(now)
    const due = DateTime.toDateUtc(DateTime.addDuration(now, wait))
    const targets = messages.flatMap(({ channelIds }, index) =>
      channelIds.map((channelId) => ({ channelId, message: index + 1 }))
    )
    const ids = targets.map(() => makeId("dlv", DateTime.toEpochMillis(now), randomBytes(10)))
    yield* sql`
      insert into deliveries (id, workspace_id, event_id, channel_id, alert_key, closes_alert, body, traceparent, status, due_at,
                              created_at)
      select target.id, message.workspace_id, message.event_id, target.channel_id, message.alert_key, message.closes,
             message.body, message.traceparent, 'due',
             -- Microseconds apart, so that a channel gets the events of one batch in their order.
             ${due}::timestamptz - (${targets.length} - target.ordinal) * interval '1 microsecond', ${at}
      from unnest(${ids}::text[], ${targets.map(({ channelId }) => channelId)}::text[],
                  ${targets.map(({ message }) => message)}::int[])
        with ordinality as target (id, channel_id, message, ordinal)
      join unnest(${messages.map(({ event }) => event.workspaceId)}::text[], ${messages.map(({ event }) => event.id)}::text[],
                  ${messages.map(({ body }) => body)}::text[], ${messages.map(({ alert }) => alert?.key ?? null)}::text[],
                  ${messages.map(({ alert }) => alert?._tag === "Close")}::boolean[],
                  ${messages.map(({ event }) => event.traceparent ?? null)}::text[])
        with ordinality as message (workspace_id, event_id, body, alert_key, closes, traceparent, number)
        on message.number = target.message
      on conflict (event_id, channel_id) do nothing`
  })

  /** Writes the deliveries of messages, which are due after `wait`, and that their channels were alerted. */
  const deliver = Effect.fn("FanOut.deliver")(function*(messages: Messages, wait: Duration.DurationInput = Duration.zero) {
    if (messages.length === 0) return
    // The database's clock decides when deliveries are due.
    const now = yield* clock.now
    yield* alertedChannels.add(alertedBy(messages), now)
    yield* alertedChannels.record(alertsBy(messages), now)
    yield* insert(messages, now, wait)
    yield* signals.send(deliveriesSignal)
  })

  const finish = (events: ReadonlyArray<WorkspaceEvent>) =>
    withNext(sql`
    update events set fanned_out = true
    from unnest(${events.map(({ workspaceId }) => workspaceId)}::text[], ${events.map(({ id }) => id)}::text[])
      as done (workspace_id, id)
    where events.workspace_id = done.workspace_id and events.id = done.id`)

  return { deliver, finish }
})

export class FanOutRows extends Effect.Service<FanOutRows>()("belltower/FanOutRows", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const apart = makeFanOutApart(sql, yield* Signals)
    return { claim: makeFanOutClaim(sql), apart, channels: makeChannels(sql), ...(yield* makeWrites) }
  })
}) {}
