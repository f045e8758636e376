/** Turns each new event into deliveries exactly once: one transaction changes the rows of both. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { Event, type WorkspaceEvent } from "../../../schema/event/Event.ts"
import { eventTypes } from "../../../schema/event/EventData.ts"
import { ChannelId, type EventId, type IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import { audienceOf, type ChannelLinks, linkKey } from "../../domain/alert/EventRouting.ts"
import { makeId } from "../../domain/Id.ts"
import { DatabaseClock } from "../postgres/DatabaseClock.ts"
import { Signals } from "../postgres/Signals.ts"
import { type Alerted, AlertedChannels } from "./AlertedChannels.ts"
import { deliveriesSignal } from "./DeliveryQueues.ts"

const NewEvent = Schema.Struct({ ...Event.fields, at: Schema.DateTimeUtcFromDate, workspaceId: WorkspaceId })

/** A channel that may receive events. Its type is plain text because a newer version may have written it. */
const ListeningChannel = Schema.Struct({
  id: ChannelId,
  workspaceId: WorkspaceId,
  type: Schema.String,
  url: Schema.NullOr(Schema.String),
  targetHash: Schema.NullOr(Schema.String),
  enabled: Schema.Boolean,
  events: Schema.NullOr(Schema.Array(Schema.String))
})

const Link = Schema.Struct({ key: Schema.String, channelIds: Schema.Array(ChannelId) })

/** New events, with all data that decides which deliveries to create. */
export interface EventBatch {
  /** Oldest first. */
  readonly events: ReadonlyArray<WorkspaceEvent>
  /** The enabled channels of their workspaces. */
  readonly channels: ReadonlyArray<typeof ListeningChannel.Type>
  readonly links: ChannelLinks
}

/** One event for channels that receive the same bytes. */
export interface PlannedMessage {
  readonly workspaceId: WorkspaceId
  readonly eventId: EventId
  /** The incident that the event is about. */
  readonly incidentId: IncidentId | null
  readonly body: string
  readonly deliveries: ReadonlyArray<{
    readonly channelId: ChannelId
    /** Channels with the same target, which get no delivery of their own. */
    readonly sharedWith: ReadonlyArray<ChannelId>
  }>
}

/** The channels of messages about incidents, including those that share a delivery. */
const alertedBy = (messages: ReadonlyArray<PlannedMessage>): ReadonlyArray<Alerted> =>
  messages.flatMap(({ deliveries, incidentId, workspaceId }) =>
    incidentId === null ?
      [] :
      deliveries.flatMap(({ channelId, sharedWith }) =>
        [channelId, ...sharedWith].map((id) => ({ workspaceId, incidentId, channelId: id }))
      )
  )

export class FanOut extends Effect.Service<FanOut>()("belltower/FanOut", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const clock = yield* DatabaseClock
    const alertedChannels = yield* AlertedChannels

    // A newer runner processes types that this version does not know.
    const claim = SqlSchema.findAll({
      Request: Schema.Int,
      Result: NewEvent,
      execute: (limit) =>
        sql`
        select id, type, at, data, workspace_id as "workspaceId" from events
        where not fanned_out and type = any(${[...eventTypes]}::text[])
        order by id limit ${limit} for update skip locked`
    })

    // The lock keeps a channel from being deleted before its deliveries are written.
    const listening = SqlSchema.findAll({
      Request: Schema.Array(WorkspaceId),
      Result: ListeningChannel,
      execute: (workspaceIds) =>
        sql`
        select id, workspace_id as "workspaceId", type, url, encode(target_hash, 'hex') as "targetHash", enabled, events
        from channels
        where workspace_id = any(${[...workspaceIds]}::text[]) and enabled order by id for key share`
    })

    const Keys = Schema.Struct({ workspaceIds: Schema.Array(WorkspaceId), ids: Schema.Array(Schema.String) })

    const attachedTo = SqlSchema.findAll({
      Request: Keys,
      Result: Link,
      execute: ({ ids, workspaceIds }) =>
        sql`
        select id as key, channel_ids as "channelIds" from monitors
        where workspace_id = any(${[...workspaceIds]}::text[]) and id = any(${[...ids]}::text[])`
    })

    const linksOf = Effect.fn("FanOut.links")(function*(
      events: ReadonlyArray<WorkspaceEvent>,
      audience: ReturnType<typeof audienceOf>,
      find: typeof attachedTo
    ) {
      const concerned = events.filter(({ type }) => audienceOf(type) === audience)
      const ids = concerned.flatMap((event) => linkKey(event) ?? [])
      if (ids.length === 0) return []
      const rows = yield* find({ workspaceIds: [...new Set(concerned.map(({ workspaceId }) => workspaceId))], ids })
      return rows.map(({ channelIds, key }) => [key, new Set(channelIds)] as const)
    })

    const load = Effect.fn("FanOut.load")(function*(events: ReadonlyArray<WorkspaceEvent>) {
      const channels = yield* listening([...new Set(events.map(({ workspaceId }) => workspaceId))])
      const attached = yield* linksOf(events, "attached", attachedTo)
      const alerted = yield* linksOf(events, "alerted", alertedChannels.find)
      const batch: EventBatch = { events, channels, links: new Map([...attached, ...alerted]) }
      return batch
    })

    const insert = Effect.fn("FanOut.insert")(function*(messages: ReadonlyArray<PlannedMessage>, now: DateTime.Utc) {
      const at = DateTime.toDateUtc(now)
      const targets = messages.flatMap(({ deliveries }, index) => deliveries.map((one) => ({ ...one, message: index + 1 })))
      const ids = targets.map(() => makeId("dlv", DateTime.toEpochMillis(now), randomBytes(10)))
      yield* sql`
        insert into deliveries (id, workspace_id, event_id, channel_id, shared_with, body, status, due_at, created_at)
        select target.id, message.workspace_id, message.event_id, target.channel_id,
               array(select jsonb_array_elements_text(target.shared_with)), message.body, 'due', ${at}, ${at}
        from unnest(${ids}::text[], ${targets.map(({ channelId }) => channelId)}::text[],
                    ${targets.map(({ sharedWith }) => JSON.stringify(sharedWith))}::jsonb[],
                    ${targets.map(({ message }) => message)}::int[]) as target (id, channel_id, shared_with, message)
        join unnest(${messages.map(({ workspaceId }) => workspaceId)}::text[], ${messages.map(({ eventId }) => eventId)}::text[],
                    ${messages.map(({ body }) => body)}::text[]) with ordinality as message (workspace_id, event_id, body, number)
          on message.number = target.message
        on conflict (event_id, channel_id) do nothing`
    })

    /**
     * Takes up to `limit` new events, oldest first, writes the deliveries that `plan` returns for them, and returns the
     * number of events. Any number of runners may call it concurrently.
     */
    const step = Effect.fn("FanOut.step")(
      function*(limit: number, plan: (batch: EventBatch) => ReadonlyArray<PlannedMessage>) {
        const events = yield* claim(limit)
        if (events.length === 0) return { events: 0, messages: 0 }
        const messages = plan(yield* load(events))
        if (messages.length > 0) {
          // The database's clock decides when deliveries are due.
          const now = yield* clock.now
          yield* alertedChannels.add(alertedBy(messages), now)
          yield* insert(messages, now)
        }
        yield* sql`
          update events set fanned_out = true
          from unnest(${events.map(({ workspaceId }) => workspaceId)}::text[], ${events.map(({ id }) => id)}::text[])
            as done (workspace_id, id)
          where events.workspace_id = done.workspace_id and events.id = done.id`
        return { events: events.length, messages: messages.length }
      },
      (work) => Effect.orDie(sql.withTransaction(work)),
      // After the commit: a transaction that notifies holds a lock of the whole database until its commit is flushed.
      Effect.tap(({ messages }) => (messages === 0 ? Effect.void : signals.send(deliveriesSignal))),
      Effect.map(({ events }) => events)
    )

    return { step }
  })
}) {}
