/** The alerts of channels that group them, so that many failures within a minute become one message after the first. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { Event } from "../../../schema/event/Event.ts"
import { ChannelId, EventId, IncidentId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { groupsDueNow } from "../../domain/alert/AlertGroup.ts"
import type { ChannelChange } from "../../domain/alert/DeliveryPlan.ts"
import { findAll, findOne, write } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"
import { waitingAlertsSignal } from "./WaitingAlertsSignal.ts"

export interface GroupingAlert extends ChannelChange {
  /** Whether it stands for the beginning of flapping. */
  readonly flapping: boolean
}

const Group = Schema.Struct({
  channelId: ChannelId,
  workspaceId: WorkspaceId,
  name: Schema.String,
  type: Schema.String
})
export type AlertGroup = typeof Group.Type

const Opener = Schema.Struct({ channelId: ChannelId, openedBy: Schema.NullOr(MonitorId) })

const DueGroup = Schema.Struct({
  ...Group.fields,
  openedAt: Schema.DateTimeUtcFromDate,
  openedBy: Schema.NullOr(MonitorId)
})

/** The part of an alert that a summary shows, and what decides whether it is sent. */
const GroupedAlert = Schema.Struct({
  eventId: EventId,
  type: Event.fields.type,
  at: Schema.DateTimeUtcFromDate,
  from: Schema.NullOr(Schema.String),
  monitorId: MonitorId,
  name: Schema.String,
  url: Schema.String,
  incidentId: Schema.NullOr(IncidentId),
  error: Schema.NullOr(Schema.String),
  flapping: Schema.Boolean
})
export type GroupedAlert = typeof GroupedAlert.Type

export class AlertGroups extends Effect.Service<AlertGroups>()("belltower/AlertGroups", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals

    const facts = sql.literal(`
      e.id as "eventId", e.type, e.at, e.data ->> 'from' as "from", e.data -> 'monitor' ->> '_id' as "monitorId", e.data -> 'monitor' ->> 'name' as name,
      e.data -> 'monitor' ->> 'url' as url, e.data -> 'incident' ->> 'id' as "incidentId", e.data -> 'check' ->> 'error' as error`)

    const openers = findAll(
      Opener,
      (ids: ReadonlyArray<ChannelId>) =>
        sql`
        select channel_id as "channelId", opened_by as "openedBy" from alert_groups
        where channel_id = any(${ids}::text[]) order by channel_id for update`
    )

    const makeDue = (groups: ReturnType<typeof groupsDueNow<GroupingAlert>>, now: Date) =>
      sql`
      insert into alert_groups (channel_id, workspace_id, opened_at, due_at, opened_by)
      select channel_id, workspace_id, ${now}::timestamptz, ${now}::timestamptz, opened_by
      from unnest(${groups.map(({ first }) => first.channelId)}::text[], ${groups.map(({ first }) => first.workspaceId)}::text[],
                  ${groups.map(({ openedBy }) => openedBy)}::text[]) as due (channel_id, workspace_id, opened_by)
      order by channel_id
      on conflict (channel_id) do update set due_at = excluded.due_at`

    return {
      /** Adds alerts to the groups of their channels in the caller's transaction, and opens those that are missing. */
      hold: Effect.fn("AlertGroups.hold")(function*(held: ReadonlyArray<GroupingAlert>, now: DateTime.Utc) {
        if (held.length === 0) return
        const at = DateTime.toDateUtc(now)
        const channels = held.map(({ channelId }) => channelId)
        const workspaces = held.map(({ workspaceId }) => workspaceId)
        const open = new Map((yield* openers(channels)).map(({ channelId, openedBy }) => [channelId, openedBy]))
        yield* makeDue(groupsDueNow(held, open), at)
        yield* sql`
          insert into grouped_alerts (channel_id, workspace_id, event_id, flapping)
          select * from unnest(${channels}::text[], ${workspaces}::text[], ${held.map(({ eventId }) => eventId)}::text[],
                      ${held.map(({ flapping }) => flapping)}::boolean[])
          on conflict (channel_id, event_id) do nothing`
        yield* signals.send(waitingAlertsSignal)
      }),
      /** Locks a group that is due, of no workspace in `except`, in the caller's transaction; none if others hold all that are. */
      takeDue: findOne(DueGroup, (now: DateTime.Utc, except: ReadonlyArray<WorkspaceId>) =>
        sql`
        select g.channel_id as "channelId", g.workspace_id as "workspaceId", c.name, c.type, g.opened_at as "openedAt",
               g.opened_by as "openedBy"
        from alert_groups g join channels c on c.id = g.channel_id
        where g.due_at <= ${DateTime.toDateUtc(now)} and g.workspace_id <> all(${except}::text[])
        order by g.due_at limit 1 for update of g skip locked`),
      /** The alerts of a group, oldest first. */
      alerts: findAll(GroupedAlert, (channelId: ChannelId) =>
        sql`
        select ${facts}, g.flapping
        from grouped_alerts g join events e on e.workspace_id = g.workspace_id and e.id = g.event_id
        where g.channel_id = ${channelId} order by e.id`),
      /** The summary's view of alerts that no longer wait, oldest first. */
      ofEvents: findAll(GroupedAlert, (workspaceId: WorkspaceId, ids: ReadonlyArray<EventId>) =>
        sql`
        select ${facts}, false as flapping from events e
        where e.workspace_id = ${workspaceId} and e.id = any(${ids}::text[]) order by e.id`),
      /** Takes alerts out of a group, which is due again at a time. */
      keep: Effect.fn("AlertGroups.keep")(
        function*({ channelId, workspaceId }: AlertGroup, sent: ReadonlyArray<GroupedAlert>, dueAt: DateTime.Utc) {
          yield* sql`
            delete from grouped_alerts
            where workspace_id = ${workspaceId} and channel_id = ${channelId}
              and event_id = any(${sent.map(({ eventId }) => eventId)}::text[])`
          yield* sql`
            update alert_groups set due_at = ${DateTime.toDateUtc(dueAt)}
            where workspace_id = ${workspaceId} and channel_id = ${channelId}`
        }
      ),
      /** Ends a group; the next alert of its channel opens another one. */
      end: ({ channelId, workspaceId }: AlertGroup): Effect.Effect<void> =>
        write(sql`delete from alert_groups where workspace_id = ${workspaceId} and channel_id = ${channelId}`)
    }
  })
}) {}
