/** The rows of deliveries beside the queues: lists, replays, tests of channels, and old deliveries. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { ChannelType } from "../../../schema/alert/Channel.ts"
import { Delivery, type DeliveryStatus } from "../../../schema/alert/Delivery.ts"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { ChannelId, DeliveryId, type EventId, type WorkspaceId } from "../../../schema/Ids.ts"
import { makeId } from "../../domain/tools/Id.ts"
import { EventLog, EventRow } from "../event/EventLog.ts"
import { findAll, findOne, findSingle } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"
import { inTransaction } from "../postgres/Transaction.ts"
import { keptColumns, keptSettings } from "./Channels.ts"
import type { HeldDelivery } from "./DeliveryClaim.ts"
import { deliveriesSignal, lease } from "./DeliveryQueues.ts"

const retention = Duration.days(30)

/** The rows deleted in one statement. More would hold locks for too long. */
const pruneBatch = 1000

/** Replayed in one call, in one transaction. */
export const mostReplayed = 1000

const Row = Schema.Struct({
  ...Delivery.fields,
  nextAttemptAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  createdAt: Schema.DateTimeUtcFromDate,
  finishedAt: Schema.NullOr(Schema.DateTimeUtcFromDate)
})

export interface WantedDeliveries {
  readonly channelId: ChannelId | null
  readonly status: DeliveryStatus | null
  readonly before: DeliveryId | null
  readonly limit: number
}

/** Deliveries that ended, by id or since a time. */
export type Replayable =
  | { readonly id: DeliveryId }
  | { readonly since: DateTime.Utc; readonly channelId: ChannelId | null; readonly status: DeliveryStatus }

export class Deliveries extends Effect.Service<Deliveries>()("belltower/Deliveries", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const events = yield* EventLog
    const signals = yield* Signals

    const channelForTest = findOne(
      Schema.Struct({ id: ChannelId, name: Schema.String, type: ChannelType, ...keptSettings }),
      (workspaceId: WorkspaceId, channelId: ChannelId) =>
        sql`
        select id, name, type, ${sql.literal(keptColumns)} from channels
        where workspace_id = ${workspaceId} and id = ${channelId} for key share`
    )

    const recorded = findSingle(
      EventRow,
      (workspaceId: WorkspaceId, eventId: EventId) =>
        sql`
        update events set fanned_out = true where workspace_id = ${workspaceId} and id = ${eventId}
        returning id, type, at, data`
    )

    const insert = Effect.fn("Deliveries.insert")(function*(delivery: HeldDelivery, now: DateTime.Utc) {
      yield* sql`
        insert into deliveries (id, workspace_id, event_id, channel_id, body, status, due_at, created_at)
        values (${delivery.id}, ${delivery.workspaceId}, ${delivery.eventId}, ${delivery.channelId}, ${delivery.body}, 'due',
                ${DateTime.toDateUtc(delivery.heldUntil)}, ${DateTime.toDateUtc(now)})`
    })

    const status = `case when d.captured then 'captured' else d.status end`
    const columns = sql.literal(`
      d.id, d.channel_id as "channelId", d.event_id as "eventId", e.type as "eventType", ${status} as status,
      case when d.status <> 'due' then ${status} when q.held_until > now() and d.due_at <= now() then 'attempting'
           when d.attempts = 0 then 'queued' else 'retrying' end as stage, d.attempts,
      d.last_status_code as "statusCode", d.last_error as error, d.latency_ms as "latencyMs",
      case when d.status = 'due' then d.due_at end as "nextAttemptAt", d.created_at as "createdAt", d.finished_at as "finishedAt"
      from deliveries d left join events e on e.workspace_id = d.workspace_id and e.id = d.event_id
      left join delivery_queues q on q.channel_id = d.channel_id`)

    // Deliveries to people are in the log of pages.
    const toChannel = sql.literal(`d.channel_id not like 'way\\_%'`)
    // In words that the planner compares with those of the index deliveries_undelivered.
    const hasStatus = (status: DeliveryStatus) =>
      sql.literal(status === "captured" ? "d.status = 'delivered' and d.captured" : `d.status = '${status}' and not d.captured`)
    // A message about an alert that a paging service has closed meanwhile would open it again, and nothing would close it.
    const mayReplay = sql.literal(`
      (d.alert_key is null or not exists (
        select from deliveries c
        where c.workspace_id = d.workspace_id and c.channel_id = d.channel_id and c.alert_key = d.alert_key
          and c.closes_alert and c.status = 'delivered' and c.event_id > d.event_id
      ))`)
    // One that waits for its next attempt is sent now. One that is due within moments may be under way already.
    const isIdle = (now: DateTime.Utc) =>
      sql`(d.status <> 'due' or d.attempts > 0 and d.due_at > ${DateTime.toDateUtc(DateTime.add(now, { seconds: 2 }))})`
    const chosen = (workspaceId: WorkspaceId, which: Replayable, now: DateTime.Utc) =>
      "id" in which
        ? sql`
          select d.id, d.channel_id from deliveries d
          where d.workspace_id = ${workspaceId} and d.id = ${which.id} and ${isIdle(now)} and ${mayReplay}`
        : sql`
          select d.id, d.channel_id from deliveries d
          where d.workspace_id = ${workspaceId} and d.created_at > ${DateTime.toDateUtc(which.since)} and ${
          hasStatus(which.status)
        }
            and (${which.channelId}::text is null or d.channel_id = ${which.channelId}) and ${mayReplay}
          order by d.id limit ${mostReplayed}`

    return {
      /**
       * Records `test.ping` and its one delivery, which is held for the caller's attempt. `render` creates the body. None when
       * the channel does not exist.
       */
      recordTest: Effect.fn("Deliveries.recordTest")(function*(
        workspaceId: WorkspaceId,
        channelId: ChannelId,
        now: DateTime.Utc,
        render: (type: ChannelType, event: WorkspaceEvent) => string
      ) {
        const found = yield* channelForTest(workspaceId, channelId)
        if (Option.isNone(found)) return Option.none<HeldDelivery>()
        const { id, name, ...channel } = found.value
        const message = `This is a test of the alert channel ${name}. Nothing is wrong.`
        const [eventId] = yield* events.append(workspaceId, [{ type: "test.ping", data: { message, channel: { id, name } } }])
        if (eventId === undefined) return Option.none<HeldDelivery>()
        const event = yield* recorded(workspaceId, eventId)
        const delivery: HeldDelivery = {
          ...channel,
          id: DeliveryId.make(makeId("dlv", DateTime.toEpochMillis(now), randomBytes(10))),
          workspaceId,
          channelId,
          eventId,
          body: render(channel.type, { workspaceId, ...event }),
          closesAlert: false,
          attempts: 0,
          begun: 0,
          heldUntil: DateTime.addDuration(now, lease)
        }
        yield* insert(delivery, now)
        return Option.some(delivery)
      }, inTransaction(sql)),
      /** Newest first, by the index of a workspace's deliveries. */
      list: findAll(Row, (workspaceId: WorkspaceId, { before, channelId, limit, status: wanted }: WantedDeliveries) =>
        sql`
        select ${columns}
        where d.workspace_id = ${workspaceId} and (${before}::text is null or d.id < ${before}) and ${toChannel}
          and (${channelId}::text is null or d.channel_id = ${channelId}) and ${wanted === null ? sql`true` : hasStatus(wanted)}
        order by d.id desc limit ${limit}`),
      find: findOne(
        Row,
        (workspaceId: WorkspaceId, id: DeliveryId) =>
          sql`select ${columns} where d.workspace_id = ${workspaceId} and d.id = ${id} and ${toChannel}`
      ),
      /**
       * Makes deliveries due at `now` with all their attempts, if their channels are enabled and their alerts were not closed since;
       * returns how many. Rows are locked in order: queues by channel, then deliveries and turns.
       */
      replay: Effect.fn("Deliveries.replay")(
        function*(workspaceId: WorkspaceId, which: Replayable, now: DateTime.Utc) {
          const at = DateTime.toDateUtc(now)
          const [row] = yield* sql<{ readonly replayed: number }>`
            with chosen as materialized (${chosen(workspaceId, which, now)}), queue as (
              insert into delivery_queues as q (channel_id, workspace_id, first_at)
              select distinct chosen.channel_id, ${workspaceId}, ${at}::timestamptz from chosen
              join channels c on c.id = chosen.channel_id and c.workspace_id = ${workspaceId} and c.enabled
              order by chosen.channel_id
              on conflict (channel_id) do update set first_at = least(q.first_at, excluded.first_at)
              returning channel_id, workspace_id, lane, ready_at
            ), again as (
              update deliveries d
              set status = 'due', attempts = 0, due_at = ${at}, finished_at = null, last_error = null, last_status_code = null,
                  latency_ms = null, captured = false
              from chosen join queue on queue.channel_id = chosen.channel_id
              where d.workspace_id = ${workspaceId} and d.id = chosen.id and ${isIdle(now)}
              returning 1
            ), turned as (
              insert into delivery_turns as t (workspace_id, lane, ready_at)
              select workspace_id, lane, min(ready_at) from queue group by workspace_id, lane order by workspace_id, lane
              on conflict (workspace_id, lane) do update set ready_at = excluded.ready_at where t.ready_at > excluded.ready_at
            )
            select count(*)::int as replayed from again`
          const replayed = row?.replayed ?? 0
          if (replayed > 0) yield* signals.send(deliveriesSignal)
          return replayed
        },
        Effect.orDie
      ),
      /** Deletes a batch of deliveries that finished more than 30 days before `now`. Returns whether there may be more. */
      prune: Effect.fn("Deliveries.prune")(function*(now: DateTime.Utc) {
        const before = DateTime.toDateUtc(DateTime.subtractDuration(now, retention))
        const gone = yield* sql`
          delete from deliveries where id in (
            select id from deliveries where status <> 'due' and finished_at < ${before} limit ${pruneBatch}
          ) returning id`
        return gone.length === pruneBatch
      }, Effect.orDie)
    }
  })
}) {}
