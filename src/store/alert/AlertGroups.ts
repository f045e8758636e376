/** The alerts of channels that wait for others, so that many failures within a minute become one message. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { Event, type WorkspaceEvent } from "../../../schema/event/Event.ts"
import { ChannelId, EventId, IncidentId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { longestWait, quietTime } from "../../domain/alert/AlertGroup.ts"
import { EventRow } from "../event/EventLog.ts"
import { earliestOf, findAll, findOne, write } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"
import { waitingAlertsSignal } from "./WaitingAlertsSignal.ts"

export interface GroupingAlert {
  readonly workspaceId: WorkspaceId
  readonly eventId: EventId
  readonly channelId: ChannelId
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

/** The part of an alert that a summary shows. */
const GroupedAlert = Schema.Struct({
  eventId: EventId,
  type: Event.fields.type,
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
      e.id as "eventId", e.type, e.data -> 'monitor' ->> '_id' as "monitorId", e.data -> 'monitor' ->> 'name' as name,
      e.data -> 'monitor' ->> 'url' as url, e.data -> 'incident' ->> 'id' as "incidentId", e.data -> 'check' ->> 'error' as error`)

    const event = findOne(
      EventRow,
      (workspaceId: WorkspaceId, id: EventId) =>
        sql`select id, type, at, data from events where workspace_id = ${workspaceId} and id = ${id}`
    )

    return {
      /** Adds alerts to the groups of their channels in the caller's transaction. Each alert postpones its group, up to a minute. */
      hold: Effect.fn("AlertGroups.hold")(function*(held: ReadonlyArray<GroupingAlert>, now: DateTime.Utc) {
        if (held.length === 0) return
        const at = DateTime.toDateUtc(now)
        const channels = held.map(({ channelId }) => channelId)
        const workspaces = held.map(({ workspaceId }) => workspaceId)
        yield* sql`
          insert into alert_groups (channel_id, workspace_id, opened_at, due_at)
          select distinct on (channel_id) channel_id, workspace_id, ${at}::timestamptz,
                 ${at}::timestamptz + make_interval(secs => ${Duration.toSeconds(quietTime)})
          from unnest(${channels}::text[], ${workspaces}::text[]) as held (channel_id, workspace_id) order by channel_id
          on conflict (channel_id) do update
          set due_at = least(alert_groups.opened_at + make_interval(secs => ${Duration.toSeconds(longestWait)}), excluded.due_at)`
        yield* sql`
          insert into grouped_alerts (channel_id, workspace_id, event_id, flapping)
          select * from unnest(${channels}::text[], ${workspaces}::text[], ${held.map(({ eventId }) => eventId)}::text[],
                      ${held.map(({ flapping }) => flapping)}::boolean[])
          on conflict (channel_id, event_id) do nothing`
        yield* signals.send(waitingAlertsSignal)
      }),
      /** Locks a group that is due, of no workspace in `except`, in the caller's transaction; none if others hold all that are. */
      takeDue: findOne(Group, (now: DateTime.Utc, except: ReadonlyArray<WorkspaceId>) =>
        sql`
        select g.channel_id as "channelId", g.workspace_id as "workspaceId", c.name, c.type
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
      event: (workspaceId: WorkspaceId, id: EventId): Effect.Effect<Option.Option<WorkspaceEvent>> =>
        Effect.map(event(workspaceId, id), Option.map((found) => ({ ...found, workspaceId }))),
      /** Ends a group; the next alert of its channel opens another one. */
      end: ({ channelId, workspaceId }: AlertGroup): Effect.Effect<void> =>
        write(sql`delete from alert_groups where workspace_id = ${workspaceId} and channel_id = ${channelId}`),
      nextDueAt: earliestOf(sql`select min(due_at) as at from alert_groups`)
    }
  })
}) {}
