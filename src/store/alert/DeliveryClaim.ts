/** The steps of a claim, in one transaction: lock turns, lock queues, read deliveries, hold the queues, end the turns. */
import type { SqlClient } from "@effect/sql"
import { Array as Arr, DateTime, Effect, Schema } from "effect"
import { ChannelId, DeliveryId, EventId, WorkspaceId } from "../../../schema/Ids.ts"
import { roomOf, visitQueue } from "../../domain/alert/QueueVisit.ts"
import { TargetType } from "../../domain/paging/WayTarget.ts"
import { findAll } from "../postgres/Queries.ts"
import { keptColumns, type KeptSettings, keptSettings } from "./Channels.ts"

/**
 * A delivery to a channel or a contact way, held for one attempt. Until `heldUntil` no other worker takes it, and only its holder writes the
 * result.
 */
export interface HeldDelivery extends KeptSettings {
  readonly id: DeliveryId
  readonly workspaceId: WorkspaceId
  readonly eventId: EventId
  readonly channelId: ChannelId
  readonly body: string
  /** The fan-out that made it, if its trace is recorded. */
  readonly traceparent?: string | null
  /** Whether it closes an alert at a paging service. */
  readonly closesAlert: boolean
  readonly attempts: number
  /** How often an attempt at its page has begun, which its holder counts up. More than `attempts` if one ended without a result. */
  begun: number
  readonly heldUntil: DateTime.Utc
  readonly type: TargetType
}

/** The held queue of a channel, with the deliveries to attempt; none if they ended since they were queued. */
export interface ClaimedQueue {
  readonly workspaceId: WorkspaceId
  readonly channelId: ChannelId
  readonly heldUntil: DateTime.Utc
  readonly deliveries: ReadonlyArray<HeldDelivery>
  /** When the first of the other deliveries without an attempt is due, and of those with one; null if there is none. */
  readonly firstAt: DateTime.Utc | null
  readonly retryAt: DateTime.Utc | null
  /** False for a channel type that only a newer version supports. The queue stays held, so that it delays no other. */
  readonly supported: boolean
}

interface LaneTime {
  readonly lane: number
  readonly now: DateTime.Utc
}

const Queue = Schema.Struct({
  workspaceId: WorkspaceId,
  channelId: ChannelId,
  slow: Schema.NullOr(Schema.Boolean),
  readyAt: Schema.DateTimeUtcFromDate,
  /** False if it is beyond the share, or if another worker has locked it. */
  locked: Schema.Boolean
})
type Queue = typeof Queue.Type

const Delivery = Schema.Struct({
  id: DeliveryId,
  channelId: ChannelId,
  eventId: EventId,
  body: Schema.String,
  traceparent: Schema.NullOr(Schema.String),
  closesAlert: Schema.Boolean,
  attempts: Schema.Int,
  begun: Schema.Int,
  dueAt: Schema.DateTimeUtcFromDate
})

const isTargetType = Schema.is(TargetType)
const dateOf = (at: DateTime.Utc | null): Date | null => (at === null ? null : DateTime.toDateUtc(at))

/** Each query is bounded by the room of the claim, and reads by index. */
const readers = (sql: SqlClient.SqlClient) => ({
  lockTurns: findAll(
    Schema.Struct({ workspaceId: WorkspaceId }),
    ({ lane, now }: LaneTime, limit: number, except: ReadonlyArray<WorkspaceId>) =>
      sql`
      select workspace_id as "workspaceId" from delivery_turns
      where lane = ${lane} and ready_at <= ${DateTime.toDateUtc(now)} and workspace_id <> all(${except}::text[])
      order by ready_at limit ${limit} for update skip locked`
  ),
  // In a statement of its own: it sees all changes of queues whose writers had the lock of the turn before.
  lockQueues: findAll(Queue, ({ lane, now }: LaneTime, workspaceIds: ReadonlyArray<WorkspaceId>, share: number) =>
    sql`
      select turn.workspace_id as "workspaceId", ready.channel_id as "channelId", locked.slow, ready.ready_at as "readyAt",
             locked.channel_id is not null as locked
      from unnest(${workspaceIds}::text[]) as turn (workspace_id)
      cross join lateral (
        select due.channel_id, due.ready_at, row_number() over (order by due.ready_at) as ordinal from (
          select channel_id, ready_at from delivery_queues
          where workspace_id = turn.workspace_id and lane = ${lane} and ready_at <= ${DateTime.toDateUtc(now)}
          order by ready_at limit ${share + 1}
        ) due
      ) ready
      left join lateral (
        select q.channel_id, q.slow from delivery_queues q
        where q.channel_id = ready.channel_id and ready.ordinal <= ${share}
          and q.lane = ${lane} and q.ready_at <= ${DateTime.toDateUtc(now)}
        for update skip locked
      ) locked on true`),
  channels: findAll(
    Schema.Struct({ id: ChannelId, type: Schema.String, ...keptSettings }),
    (ids: ReadonlyArray<ChannelId>) =>
      sql`
      select id, type, ${sql.literal(keptColumns)} from channels where id = any(${ids}::text[])
      union all
      select id, 'person.' || kind, verified_at is not null, null, '{}'::jsonb, sealed, problem, updated_at from contact_ways
      where id = any(${ids}::text[])`
  ),
  deliveries: findAll(Delivery, (queues: ReadonlyArray<{ readonly channelId: ChannelId; readonly room: number }>) =>
    sql`
      select d.id, d.channel_id as "channelId", d.event_id as "eventId", d.body, d.traceparent,
             d.closes_alert as "closesAlert", d.attempts, d.begun,
             d.due_at as "dueAt"
      from unnest(${queues.map(({ channelId }) => channelId)}::text[], ${queues.map(({ room }) => room)}::int[])
        as queue (channel_id, room)
      cross join lateral (
        (select * from deliveries where channel_id = queue.channel_id and status = 'due' and attempts = 0
         order by due_at limit queue.room + 1)
        union all
        (select * from deliveries where channel_id = queue.channel_id and status = 'due' and attempts > 0
         order by due_at limit queue.room + 1)
      ) d`)
})

type Known = Effect.Effect.Success<ReturnType<ReturnType<typeof readers>["channels"]>>[number]

const checkOut = (
  { channelId, workspaceId }: Queue,
  { id: _, type, ...settings }: Known,
  room: number,
  waiting: ReadonlyArray<typeof Delivery.Type>,
  { heldUntil, now }: { readonly heldUntil: DateTime.Utc; readonly now: DateTime.Utc }
): ClaimedQueue => {
  const { firstAt, retryAt, taken } = visitQueue(waiting, isTargetType(type) ? room : 0, now)
  return {
    workspaceId,
    channelId,
    heldUntil,
    firstAt,
    retryAt,
    supported: isTargetType(type),
    deliveries: isTargetType(type)
      ? taken.map(({ dueAt: _, ...delivery }) => ({ ...delivery, ...settings, type, workspaceId, heldUntil }))
      : []
  }
}

/** The ends of a claim, which write. */
const writers = (sql: SqlClient.SqlClient) => ({
  hold: (claimed: ReadonlyArray<ClaimedQueue>, lane: number) =>
    claimed.length === 0 ? Effect.void : sql`
      update delivery_queues q
      set held_until = held.until, held_lane = ${lane},
          first_at = coalesce(held.first_at, 'infinity'), retry_at = coalesce(held.retry_at, 'infinity')
      from unnest(${claimed.map(({ channelId }) => channelId)}::text[],
                  ${claimed.map(({ heldUntil }) => DateTime.toDateUtc(heldUntil))}::timestamptz[],
                  ${claimed.map(({ firstAt }) => dateOf(firstAt))}::timestamptz[],
                  ${claimed.map(({ retryAt }) => dateOf(retryAt))}::timestamptz[])
        as held (channel_id, until, first_at, retry_at)
      where q.channel_id = held.channel_id`,
  /** A workspace with more queues that are ready goes behind the others; those without wait for their next queue, or for a lease. */
  endTurns: (
    workspaceIds: ReadonlyArray<WorkspaceId>,
    found: ReadonlyArray<Queue>,
    { lane, now }: LaneTime
  ) => {
    const left = new Set(found.flatMap(({ locked, workspaceId }) => (locked ? [] : [workspaceId])))
    return sql`
      update delivery_turns t
      set ready_at = case when ended.more then ${DateTime.toDateUtc(now)} else coalesce(
        (select q.ready_at from delivery_queues q
         where q.workspace_id = ended.workspace_id and q.lane = ${lane} and q.ready_at > ${DateTime.toDateUtc(now)}
         order by q.ready_at limit 1),
        'infinity'
      ) end
      from unnest(${workspaceIds}::text[], ${workspaceIds.map((id) => left.has(id))}::bool[]) as ended (workspace_id, more)
      where t.workspace_id = ended.workspace_id and t.lane = ${lane}`
  }
})

export const claimSteps = (sql: SqlClient.SqlClient) => {
  const { channels, deliveries, lockQueues, lockTurns } = readers(sql)

  const takeDeliveries = Effect.fn("DeliveryClaim.takeDeliveries")(
    function*(queues: ReadonlyArray<Queue>, share: number, now: DateTime.Utc, heldUntil: DateTime.Utc) {
      if (queues.length === 0) return []
      const beside = Arr.groupBy(queues, ({ workspaceId }) => workspaceId)
      const known = new Map((yield* channels(queues.map(({ channelId }) => channelId))).map((one) => [one.id, one]))
      const withRoom = queues.map((queue) => {
        const each = Math.floor(share / (beside[queue.workspaceId]?.length ?? 1))
        const type = known.get(queue.channelId)?.type ?? ""
        return { queue, channelId: queue.channelId, room: roomOf(type, queue.slow, each) }
      })
      const waiting = Arr.groupBy(yield* deliveries(withRoom), ({ channelId }) => channelId)
      return withRoom.flatMap(({ channelId, queue, room }) => {
        const channel = known.get(channelId)
        return channel === undefined ? [] : [checkOut(queue, channel, room, waiting[channelId] ?? [], { now, heldUntil })]
      })
    }
  )

  return { lockTurns, lockQueues, takeDeliveries, ...writers(sql) }
}
