/** The rows of deliveries: their leases, results and retries. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { ChannelType } from "../../../schema/alert/Channel.ts"
import { Event, type WorkspaceEvent } from "../../../schema/event/Event.ts"
import { ChannelId, DeliveryId, EventId, WorkspaceId } from "../../../schema/Ids.ts"
import { Verdict } from "../../domain/alert/DeliveryVerdict.ts"
import { longestWait } from "../../domain/alert/RetrySchedule.ts"
import { makeId } from "../../domain/Id.ts"
import { EventLog } from "../event/EventLog.ts"
import { Signals } from "../postgres/Signals.ts"
import { OtherSettings } from "./Channels.ts"

/** Notified on every commit that makes deliveries due. */
export const deliveriesSignal = "belltower_deliveries"

/** How long a delivery is held for one attempt. After that, another worker takes it over. */
const lease = Duration.seconds(30)

const retention = Duration.days(30)

/** The rows deleted in one statement. More would hold locks for too long. */
const pruneBatch = 1000

/** A delivery held for one attempt. Until `heldUntil` no other worker takes it, and only its holder writes the result. */
export const HeldDelivery = Schema.Struct({
  id: DeliveryId,
  workspaceId: WorkspaceId,
  eventId: EventId,
  channelId: ChannelId,
  body: Schema.String,
  attempts: Schema.Int,
  heldUntil: Schema.DateTimeUtcFromDate,
  type: ChannelType,
  enabled: Schema.Boolean,
  url: Schema.NullOr(Schema.String),
  settings: OtherSettings,
  sealed: Schema.NullOr(Schema.String)
})
export type HeldDelivery = typeof HeldDelivery.Type

const TestRequest = Schema.Struct({ workspaceId: WorkspaceId, channelId: ChannelId })

export class Deliveries extends Effect.Service<Deliveries>()("belltower/Deliveries", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const events = yield* EventLog

    const held = sql.literal(`
      d.id, d.workspace_id as "workspaceId", d.event_id as "eventId", d.channel_id as "channelId", d.body, d.attempts,
      d.due_at as "heldUntil", c.type, c.enabled, c.url, c.settings, c.sealed`)

    const claim = SqlSchema.findAll({
      Request: Schema.Struct({
        now: Schema.DateTimeUtcFromSelf,
        limit: Schema.Int,
        perChannel: Schema.Int,
        holding: Schema.Array(DeliveryId)
      }),
      Result: HeldDelivery,
      // Walks the index from channel to channel, so a channel's backlog costs no more than its first few rows. A newer runner
      // attempts deliveries of types that this version does not know.
      execute: ({ holding, limit, now, perChannel }) =>
        sql`
        with recursive waiting as (
          (select channel_id from deliveries where status = 'due' order by channel_id limit 1)
          union all
          select (select d.channel_id from deliveries d where d.status = 'due' and d.channel_id > w.channel_id
                  order by d.channel_id limit 1)
          from waiting w where w.channel_id is not null
        ), busy as (
          select channel_id, count(*) as count from deliveries where id = any(${[...holding]}::text[]) group by channel_id
        ), chosen as (
          select first.id from waiting w
          join channels known on known.id = w.channel_id and known.type = any(${[...ChannelType.literals]}::text[])
          left join busy b on b.channel_id = w.channel_id
          cross join lateral (
            select d.id, d.due_at from deliveries d
            where d.status = 'due' and d.channel_id = w.channel_id and d.due_at <= ${DateTime.toDateUtc(now)}
              and d.id <> all(${[...holding]}::text[])
            order by d.due_at limit greatest(${perChannel} - coalesce(b.count, 0), 0)
            for update skip locked
          ) first
          order by first.due_at limit ${limit}
        )
        update deliveries d set due_at = ${DateTime.toDateUtc(DateTime.addDuration(now, lease))}
        from chosen, channels c
        where d.id = chosen.id and c.id = d.channel_id and c.workspace_id = d.workspace_id
        returning ${held}`
    })

    /** Makes deliveries due now whose time is so far ahead that only a wrong clock can have set it. */
    const recall = Effect.fn("Deliveries.recall")(function*(now: DateTime.Utc) {
      const tooFar = DateTime.addDuration(now, Duration.sum(longestWait, Duration.hours(1)))
      yield* sql`
        update deliveries set due_at = ${DateTime.toDateUtc(now)}
        where status = 'due' and due_at > ${DateTime.toDateUtc(tooFar)}`
    }, Effect.orDie)

    const earliest = SqlSchema.single({
      Request: Schema.DateTimeUtcFromSelf,
      Result: Schema.Struct({ at: Schema.NullOr(Schema.DateTimeUtcFromDate) }),
      execute: (now) => sql`select min(due_at) as at from deliveries where status = 'due' and due_at > ${DateTime.toDateUtc(now)}`
    })

    const isHeld = ({ heldUntil, id, workspaceId }: HeldDelivery) =>
      sql`workspace_id = ${workspaceId} and id = ${id} and status = 'due' and due_at = ${DateTime.toDateUtc(heldUntil)}`

    /** Writes the result of an attempt. Does nothing when another worker has taken the delivery over or it was deleted. */
    const settle = Effect.fn("Deliveries.settle")(function*(delivery: HeldDelivery, verdict: Verdict, at: DateTime.Utc) {
      const now = DateTime.toDateUtc(at)
      yield* Verdict.$match(verdict, {
        Delivered: ({ statusCode }) =>
          sql`
          update deliveries
          set status = 'delivered', attempts = attempts + 1, last_status_code = ${statusCode}, last_error = null,
              finished_at = ${now}
          where ${isHeld(delivery)}`,
        Again: ({ at, error, statusCode }) =>
          sql`
          update deliveries
          set attempts = attempts + 1, last_status_code = ${statusCode}, last_error = ${error},
              due_at = ${DateTime.toDateUtc(at)}
          where ${isHeld(delivery)}`,
        Dead: ({ error, statusCode }) =>
          sql`
          update deliveries
          set status = 'dead', attempts = attempts + 1, last_status_code = ${statusCode}, last_error = ${error},
              finished_at = ${now}
          where ${isHeld(delivery)}`
      })
    }, Effect.orDie)

    /** Gives deliveries back without an attempt. They are due immediately. */
    const release = Effect.fn("Deliveries.release")(function*(held: ReadonlyArray<HeldDelivery>) {
      const now = yield* DateTime.now
      yield* sql`
        update deliveries d set due_at = ${DateTime.toDateUtc(now)}
        from unnest(${held.map(({ workspaceId }) => workspaceId)}::text[], ${held.map(({ id }) => id)}::text[],
                    ${held.map(({ heldUntil }) => DateTime.toDateUtc(heldUntil))}::timestamptz[])
          as given (workspace_id, id, due_at)
        where d.workspace_id = given.workspace_id and d.id = given.id and d.status = 'due' and d.due_at = given.due_at`
      yield* signals.send(deliveriesSignal)
    }, Effect.orDie)

    const channelForTest = SqlSchema.findOne({
      Request: TestRequest,
      Result: Schema.Struct({ id: ChannelId, name: Schema.String, type: ChannelType }),
      execute: ({ channelId, workspaceId }) =>
        sql`
        select id, name, type from channels where workspace_id = ${workspaceId} and id = ${channelId} for key share`
    })

    const recorded = SqlSchema.single({
      Request: Schema.Struct({ workspaceId: WorkspaceId, eventId: EventId }),
      Result: Schema.Struct({ ...Event.fields, at: Schema.DateTimeUtcFromDate }),
      execute: ({ eventId, workspaceId }) =>
        sql`
        update events set fanned_out = true where workspace_id = ${workspaceId} and id = ${eventId}
        returning id, type, at, data`
    })

    const insertHeld = SqlSchema.single({
      Request: Schema.Struct({
        ...TestRequest.fields,
        eventId: EventId,
        body: Schema.String,
        now: Schema.DateTimeUtcFromSelf
      }),
      Result: HeldDelivery,
      execute: ({ body, channelId, eventId, now, workspaceId }) =>
        sql`
        with d as (
          insert into deliveries (id, workspace_id, event_id, channel_id, body, status, due_at, created_at)
          values (${makeId("dlv", DateTime.toEpochMillis(now), randomBytes(10))}, ${workspaceId}, ${eventId}, ${channelId},
                  ${body}, 'due', ${DateTime.toDateUtc(DateTime.addDuration(now, lease))}, ${DateTime.toDateUtc(now)})
          returning *
        )
        select ${held} from d join channels c on c.id = d.channel_id`
    })

    /**
     * Records `test.ping` and its one delivery, which is held for the caller's attempt. `render` creates the body. None when
     * the channel does not exist.
     */
    const recordTest = Effect.fn("Deliveries.recordTest")(function*(
      workspaceId: WorkspaceId,
      channelId: ChannelId,
      render: (type: ChannelType, event: WorkspaceEvent) => string
    ) {
      const found = yield* channelForTest({ workspaceId, channelId })
      if (Option.isNone(found)) return Option.none<HeldDelivery>()
      const { type, ...channel } = found.value
      const message = `This is a test of the alert channel ${channel.name}. Nothing is wrong.`
      const [eventId] = yield* events.append(workspaceId, [{ type: "test.ping", data: { message, channel } }])
      if (eventId === undefined) return Option.none<HeldDelivery>()
      const event = yield* recorded({ workspaceId, eventId })
      const now = yield* DateTime.now
      const body = render(type, { workspaceId, ...event })
      return Option.some(yield* insertHeld({ workspaceId, channelId, eventId, body, now }))
    }, (work) => Effect.orDie(sql.withTransaction(work)))

    /** Deletes a batch of deliveries that finished more than 30 days ago. Returns whether there may be more. */
    const prune = Effect.fn("Deliveries.prune")(function*() {
      const before = DateTime.subtractDuration(yield* DateTime.now, retention)
      const gone = yield* sql`
        delete from deliveries where id in (
          select id from deliveries where status <> 'due' and finished_at < ${DateTime.toDateUtc(before)} limit ${pruneBatch}
        ) returning id`
      return gone.length === pruneBatch
    }, Effect.orDie)

    return {
      /**
       * Claims up to `limit` due deliveries, the longest overdue first. Each channel gets at most `perChannel`, including
       * those that the caller already holds (`holding`).
       */
      claim: (request: {
        readonly now: DateTime.Utc
        readonly limit: number
        readonly perChannel: number
        readonly holding: ReadonlyArray<DeliveryId>
      }) => Effect.orDie(claim(request)),
      /** The first time after `now` at which a delivery is due. */
      nextDueAt: (now: DateTime.Utc) => Effect.orDie(earliest(now)).pipe(Effect.map(({ at }) => Option.fromNullable(at))),
      recall,
      settle,
      release,
      recordTest,
      prune
    }
  })
}) {}
