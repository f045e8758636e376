/** Turns each new event into deliveries exactly once: one transaction changes the rows of both. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { QuietHours } from "../../../schema/alert/QuietHours.ts"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { ChannelId, type EventId, type IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import { groupingTypes } from "../../domain/alert/AlertGroup.ts"
import { audienceOf, type ChannelLinks, linkKey } from "../../domain/alert/EventRouting.ts"
import { makeId } from "../../domain/Id.ts"
import { ReportRequests } from "../ai/ReportRequests.ts"
import { DatabaseClock } from "../postgres/DatabaseClock.ts"
import { withNext } from "../postgres/LeanTransactions.ts"
import { Signals } from "../postgres/Signals.ts"
import { Broadcasts } from "../subscriber/Broadcasts.ts"
import { type Alerted, AlertedChannels } from "./AlertedChannels.ts"
import { AlertGroups } from "./AlertGroups.ts"
import { AlertStreaks, type ChannelChange } from "./AlertStreaks.ts"
import { deliveriesSignal } from "./DeliveryQueues.ts"
import { DependentTroubles } from "./DependentTroubles.ts"
import { makeFanOutClaim } from "./FanOutClaim.ts"
import { type QuietAlert, QuietAlerts } from "./QuietAlerts.ts"

/** A channel that may receive events. Its type is plain text because a newer version may have written it. */
const ListeningChannel = Schema.Struct({
  id: ChannelId,
  workspaceId: WorkspaceId,
  name: Schema.String,
  type: Schema.String,
  url: Schema.NullOr(Schema.String),
  targetHash: Schema.NullOr(Schema.String),
  enabled: Schema.Boolean,
  /** Whether its alerts wait for others. */
  groups: Schema.Boolean,
  quietHours: Schema.NullOr(QuietHours),
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
  /** By the database's clock. */
  readonly now: DateTime.Utc
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

/** What becomes of new events. */
export interface DeliveryPlan {
  readonly messages: ReadonlyArray<PlannedMessage>
  /** Alerts that wait for others of their channel, oldest first. */
  readonly held: ReadonlyArray<ChannelChange>
  /** Alerts that wait for the end of quiet hours. */
  readonly quiet: ReadonlyArray<QuietAlert>
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
    const broadcasts = yield* Broadcasts
    const groups = yield* AlertGroups
    const streaks = yield* AlertStreaks
    const dependents = yield* DependentTroubles
    const quietAlerts = yield* QuietAlerts
    const reports = yield* ReportRequests

    const columns = sql.literal(`
      id, workspace_id as "workspaceId", name, type, url, encode(target_hash, 'hex') as "targetHash", enabled,
      coalesce(group_alerts, type = any('{${groupingTypes.join(",")}}')) as groups, quiet_hours as "quietHours", events`)

    const claim = makeFanOutClaim(sql)

    // The lock keeps a channel from being deleted before its deliveries are written.
    const listening = SqlSchema.findAll({
      Request: Schema.Array(WorkspaceId),
      Result: ListeningChannel,
      execute: (workspaceIds) =>
        sql`
        select ${columns} from channels
        where workspace_id = any(${[...workspaceIds]}::text[]) and enabled order by id for key share`
    })

    const oneChannel = SqlSchema.findAll({
      Request: Schema.Struct({ workspaceId: WorkspaceId, id: ChannelId }),
      Result: ListeningChannel,
      execute: ({ id, workspaceId }) =>
        sql`select ${columns} from channels where workspace_id = ${workspaceId} and id = ${id} and enabled for key share`
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

    const load = Effect.fn("FanOut.load")(function*(events: ReadonlyArray<WorkspaceEvent>, now: DateTime.Utc) {
      const channels = yield* listening([...new Set(events.map(({ workspaceId }) => workspaceId))])
      const attached = yield* linksOf(events, "attached", attachedTo)
      const alerted = yield* linksOf(events, "alerted", alertedChannels.find)
      const batch: EventBatch = { events, channels, links: new Map([...attached, ...alerted]), now }
      return batch
    })

    const insert = Effect.fn("FanOut.insert")(function*(messages: ReadonlyArray<PlannedMessage>, now: DateTime.Utc) {
      const at = DateTime.toDateUtc(now)
      const targets = messages.flatMap(({ deliveries }, index) => deliveries.map((one) => ({ ...one, message: index + 1 })))
      const ids = targets.map(() => makeId("dlv", DateTime.toEpochMillis(now), randomBytes(10)))
      yield* sql`
        insert into deliveries (id, workspace_id, event_id, channel_id, shared_with, body, status, due_at, created_at)
        select target.id, message.workspace_id, message.event_id, target.channel_id,
               array(select jsonb_array_elements_text(target.shared_with)), message.body, 'due',
               -- Microseconds apart, so that a channel gets the events of one batch in their order.
               ${at}::timestamptz - (${targets.length} - target.place) * interval '1 microsecond', ${at}
        from unnest(${ids}::text[], ${targets.map(({ channelId }) => channelId)}::text[],
                    ${targets.map(({ sharedWith }) => JSON.stringify(sharedWith))}::jsonb[],
                    ${targets.map(({ message }) => message)}::int[])
          with ordinality as target (id, channel_id, shared_with, message, place)
        join unnest(${messages.map(({ workspaceId }) => workspaceId)}::text[], ${messages.map(({ eventId }) => eventId)}::text[],
                    ${messages.map(({ body }) => body)}::text[]) with ordinality as message (workspace_id, event_id, body, number)
          on message.number = target.message
        on conflict (event_id, channel_id) do nothing`
    })

    /** Writes the deliveries of messages in the caller's transaction. */
    const deliver = Effect.fn("FanOut.deliver")(function*(messages: ReadonlyArray<PlannedMessage>) {
      if (messages.length === 0) return
      // The database's clock decides when deliveries are due.
      const now = yield* clock.now
      yield* alertedChannels.add(alertedBy(messages), now)
      yield* insert(messages, now)
      yield* signals.send(deliveriesSignal)
    })

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

    /**
     * Takes up to `limit` new events, those of a workspace oldest first, writes the deliveries that `plan` returns for them, and
     * returns their number and whether there may be more. Any number of runners may call it concurrently.
     */
    const step = Effect.fn("FanOut.step")(
      function*(limit: number, plan: (batch: EventBatch) => DeliveryPlan) {
        const { events, more, now } = yield* claim(limit)
        if (now === null) return { events: 0, more, broadcasts: 0 }
        const told = yield* dependents.sift(events, now)
        const planned = plan(yield* load(told, now))
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
        return { events: events.length, more, broadcasts: begun }
      },
      (work) => Effect.orDie(sql.withTransaction(work)),
      Effect.tap(({ broadcasts: begun }) => (begun === 0 ? Effect.void : broadcasts.notify)),
      Effect.map(({ events, more }) => ({ events, more }))
    )

    return {
      step,
      deliver: (messages: ReadonlyArray<PlannedMessage>) => Effect.orDie(deliver(messages)),
      /** A channel that may receive events, as `step` passes it to `plan`; none if it was disabled or deleted. */
      channel: (workspaceId: WorkspaceId, id: ChannelId) => Effect.orDie(oneChannel({ workspaceId, id }))
    }
  }),
  dependencies: [Broadcasts.Default, ReportRequests.Default]
}) {}
