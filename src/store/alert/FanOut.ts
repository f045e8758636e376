/** Turns new events into deliveries, once each: the rows of both change in one transaction. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { Event } from "../../../schema/event/Event.ts"
import { eventTypes } from "../../../schema/event/EventData.ts"
import { ChannelId, type EventId, IncidentId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { audienceOf, hears, type Occasion } from "../../domain/alert/EventRouting.ts"
import { teamPayload } from "../../domain/alert/WebhookPayload.ts"
import { makeId } from "../../domain/Id.ts"
import { deliveriesSignal } from "./Deliveries.ts"

const NewEvent = Schema.Struct({ ...Event.fields, at: Schema.DateTimeUtcFromDate, workspaceId: WorkspaceId })
type NewEvent = typeof NewEvent.Type

const Listening = Schema.Struct({
  id: ChannelId,
  workspaceId: WorkspaceId,
  enabled: Schema.Boolean,
  events: Schema.NullOr(Schema.Array(Schema.String))
})

/** What of an event's data decides who hears of it; whatever is missing decides nothing. */
const Facts = Schema.Struct({
  monitor: Schema.optional(Schema.NullOr(Schema.Struct({ _id: MonitorId }))),
  incident: Schema.optional(Schema.NullOr(Schema.Struct({ id: IncidentId, automatic: Schema.optional(Schema.Boolean) }))),
  channel: Schema.optional(Schema.Struct({ id: ChannelId })),
  notified: Schema.optional(Schema.Struct({ channelIds: Schema.Array(ChannelId) }))
})
type Facts = typeof Facts.Type

const factsOf = (event: NewEvent): Facts => Option.getOrElse(Schema.decodeUnknownOption(Facts)(event.data), (): Facts => ({}))

const Links = Schema.Struct({ key: Schema.String, channelIds: Schema.Array(ChannelId) })
type Links = ReadonlyMap<string, ReadonlySet<ChannelId>>

const nobody: ReadonlySet<ChannelId> = new Set()

const occasionOf = (event: NewEvent, attached: Links, alerted: Links): Occasion => {
  const facts = factsOf(event)
  return {
    type: event.type,
    automatic: facts.incident?.automatic ?? false,
    attached: attached.get(facts.monitor?._id ?? "") ?? nobody,
    alerted: alerted.get(facts.incident?.id ?? "") ?? nobody,
    named: new Set([...(facts.channel === undefined ? [] : [facts.channel.id]), ...(facts.notified?.channelIds ?? [])])
  }
}

export class FanOut extends Effect.Service<FanOut>()("belltower/FanOut", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    // Of a type unknown to this version, a newer runner takes care.
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
      Result: Listening,
      execute: (workspaceIds) =>
        sql`
        select id, workspace_id as "workspaceId", enabled, events from channels
        where workspace_id = any(${[...workspaceIds]}::text[]) and enabled order by id for key share`
    })

    const attachedTo = SqlSchema.findAll({
      Request: Schema.Struct({ workspaceIds: Schema.Array(WorkspaceId), ids: Schema.Array(Schema.String) }),
      Result: Links,
      execute: ({ ids, workspaceIds }) =>
        sql`
        select id as key, channel_ids as "channelIds" from monitors
        where workspace_id = any(${[...workspaceIds]}::text[]) and id = any(${[...ids]}::text[])`
    })

    const alertedOf = SqlSchema.findAll({
      Request: Schema.Struct({ workspaceIds: Schema.Array(WorkspaceId), ids: Schema.Array(Schema.String) }),
      Result: Links,
      execute: ({ ids, workspaceIds }) =>
        sql`
        select e.data -> 'incident' ->> 'id' as key, array_agg(distinct d.channel_id) as "channelIds"
        from deliveries d join events e on e.workspace_id = d.workspace_id and e.id = d.event_id
        where d.workspace_id = any(${[...workspaceIds]}::text[]) and e.data -> 'incident' ->> 'id' = any(${[...ids]}::text[])
        group by 1`
    })

    const linksOf = Effect.fn("FanOut.links")(function*(
      events: ReadonlyArray<NewEvent>,
      audience: ReturnType<typeof audienceOf>,
      keyOf: (facts: Facts) => string | undefined,
      find: typeof attachedTo
    ) {
      const concerned = events.filter(({ type }) => audienceOf(type) === audience)
      if (concerned.length === 0) return new Map<string, ReadonlySet<ChannelId>>()
      const ids = concerned.flatMap((event) => keyOf(factsOf(event)) ?? [])
      const rows = yield* find({ workspaceIds: [...new Set(concerned.map(({ workspaceId }) => workspaceId))], ids })
      return new Map(rows.map(({ channelIds, key }) => [key, new Set(channelIds)]))
    })

    const insert = Effect.fn("FanOut.insert")(function*(
      events: ReadonlyArray<NewEvent>,
      targets: ReadonlyArray<{ readonly eventId: EventId; readonly channelId: ChannelId }>
    ) {
      const now = yield* DateTime.now
      const at = DateTime.toDateUtc(now)
      const ids = targets.map(() => makeId("dlv", DateTime.toEpochMillis(now), randomBytes(10)))
      yield* sql`
        insert into deliveries (id, workspace_id, event_id, channel_id, body, status, due_at, created_at)
        select target.id, event.workspace_id, event.id, target.channel_id, event.body, 'due', ${at}, ${at}
        from unnest(${ids}::text[], ${targets.map(({ eventId }) => eventId)}::text[],
                    ${targets.map(({ channelId }) => channelId)}::text[]) as target (id, event_id, channel_id)
        join unnest(${events.map(({ workspaceId }) => workspaceId)}::text[], ${events.map(({ id }) => id)}::text[],
                    ${events.map((event) => teamPayload(event.workspaceId, event))}::text[])
          as event (workspace_id, id, body)
          on event.id = target.event_id
        on conflict (event_id, channel_id) do nothing`
      yield* sql`select pg_notify(${deliveriesSignal}, '')`
    })

    /** Takes up to `limit` new events, the oldest first, and returns how many there were. Any number of runners may. */
    const step = Effect.fn("FanOut.step")(function*(limit: number) {
      const events = yield* claim(limit)
      if (events.length === 0) return 0
      const channels = yield* listening([...new Set(events.map(({ workspaceId }) => workspaceId))])
      const attached = yield* linksOf(events, "attached", ({ monitor }) => monitor?._id, attachedTo)
      const alerted = yield* linksOf(events, "alerted", ({ incident }) => incident?.id, alertedOf)
      const targets = events.flatMap((event) => {
        const occasion = occasionOf(event, attached, alerted)
        return channels
          .filter((channel) => channel.workspaceId === event.workspaceId && hears(channel, occasion))
          .map((channel) => ({ eventId: event.id, channelId: channel.id }))
      })
      if (targets.length > 0) yield* insert(events, targets)
      yield* sql`
        update events set fanned_out = true
        from unnest(${events.map(({ workspaceId }) => workspaceId)}::text[], ${events.map(({ id }) => id)}::text[])
          as done (workspace_id, id)
        where events.workspace_id = done.workspace_id and events.id = done.id`
      return events.length
    }, (work) => Effect.orDie(sql.withTransaction(work)))

    return { step }
  })
}) {}
