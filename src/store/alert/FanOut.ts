/** Turns each new event into deliveries exactly once: one transaction changes the rows of both. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { Event, type WorkspaceEvent } from "../../../schema/event/Event.ts"
import { eventTypes } from "../../../schema/event/EventData.ts"
import { ChannelId, type EventId, WorkspaceId } from "../../../schema/Ids.ts"
import { audienceOf, type ChannelLinks, linkKey } from "../../domain/alert/EventRouting.ts"
import { makeId } from "../../domain/Id.ts"
import { Signals } from "../postgres/Signals.ts"
import { deliveriesSignal } from "./Deliveries.ts"

const NewEvent = Schema.Struct({ ...Event.fields, at: Schema.DateTimeUtcFromDate, workspaceId: WorkspaceId })

/** A channel that may receive events. Its type is plain text because a newer version may have written it. */
const ListeningChannel = Schema.Struct({
  id: ChannelId,
  workspaceId: WorkspaceId,
  type: Schema.String,
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
  readonly body: string
  readonly channelIds: ReadonlyArray<ChannelId>
}

export class FanOut extends Effect.Service<FanOut>()("belltower/FanOut", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals

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
        select id, workspace_id as "workspaceId", type, enabled, events from channels
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

    const alertedOf = SqlSchema.findAll({
      Request: Keys,
      Result: Link,
      execute: ({ ids, workspaceIds }) =>
        sql`
        select e.data -> 'incident' ->> 'id' as key, array_agg(distinct d.channel_id) as "channelIds"
        from deliveries d join events e on e.workspace_id = d.workspace_id and e.id = d.event_id
        where d.workspace_id = any(${[...workspaceIds]}::text[]) and e.data -> 'incident' ->> 'id' = any(${[...ids]}::text[])
        group by 1`
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
      const alerted = yield* linksOf(events, "alerted", alertedOf)
      const batch: EventBatch = { events, channels, links: new Map([...attached, ...alerted]) }
      return batch
    })

    const insert = Effect.fn("FanOut.insert")(function*(messages: ReadonlyArray<PlannedMessage>) {
      const now = yield* DateTime.now
      const at = DateTime.toDateUtc(now)
      const targets = messages.flatMap(({ channelIds }, index) =>
        channelIds.map((channelId) => ({ channelId, message: index + 1 }))
      )
      const ids = targets.map(() => makeId("dlv", DateTime.toEpochMillis(now), randomBytes(10)))
      yield* sql`
        insert into deliveries (id, workspace_id, event_id, channel_id, body, status, due_at, created_at)
        select target.id, message.workspace_id, message.event_id, target.channel_id, message.body, 'due', ${at}, ${at}
        from unnest(${ids}::text[], ${targets.map(({ channelId }) => channelId)}::text[],
                    ${targets.map(({ message }) => message)}::int[]) as target (id, channel_id, message)
        join unnest(${messages.map(({ workspaceId }) => workspaceId)}::text[], ${messages.map(({ eventId }) => eventId)}::text[],
                    ${messages.map(({ body }) => body)}::text[]) with ordinality as message (workspace_id, event_id, body, number)
          on message.number = target.message
        on conflict (event_id, channel_id) do nothing`
      yield* signals.send(deliveriesSignal)
    })

    /**
     * Takes up to `limit` new events, oldest first, writes the deliveries that `plan` returns for them, and returns the
     * number of events. Any number of runners may call it concurrently.
     */
    const step = Effect.fn("FanOut.step")(
      function*(limit: number, plan: (batch: EventBatch) => ReadonlyArray<PlannedMessage>) {
        const events = yield* claim(limit)
        if (events.length === 0) return 0
        const messages = plan(yield* load(events))
        if (messages.length > 0) yield* insert(messages)
        yield* sql`
          update events set fanned_out = true
          from unnest(${events.map(({ workspaceId }) => workspaceId)}::text[], ${events.map(({ id }) => id)}::text[])
            as done (workspace_id, id)
          where events.workspace_id = done.workspace_id and events.id = done.id`
        return events.length
      },
      (work) => Effect.orDie(sql.withTransaction(work))
    )

    return { step }
  })
}) {}
