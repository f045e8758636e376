/** The alerts of channels with quiet hours: they wait for the end, the last about each subject. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { ChannelId, EventId, IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import type { QuietAlert } from "../../domain/alert/DeliveryPlan.ts"
import { countOf, findAll, findOne, write } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"
import { waitingAlertsSignal } from "./WaitingAlertsSignal.ts"

const Group = Schema.Struct({
  channelId: ChannelId,
  workspaceId: WorkspaceId,
  name: Schema.String,
  type: Schema.String,
  groups: Schema.Boolean
})
export type QuietGroup = typeof Group.Type

/** The last alert of each channel about each subject. */
const lastOfEach = (alerts: ReadonlyArray<QuietAlert>): ReadonlyArray<QuietAlert> => {
  const last = new Map<string, QuietAlert>()
  for (const alert of alerts) {
    const key = `${alert.channelId} ${alert.subject}`
    const before = last.get(key)
    const later = before !== undefined && before.eventId > alert.eventId ? before : alert
    last.set(key, { ...later, incidentId: later.incidentId ?? before?.incidentId ?? alert.incidentId })
  }
  return [...last.values()]
}

const Waiting = Schema.Struct({
  eventId: EventId,
  incidentId: Schema.NullOr(IncidentId),
  title: Schema.String,
  url: Schema.NullOr(Schema.String)
})

export class QuietAlerts extends Effect.Service<QuietAlerts>()("belltower/QuietAlerts", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals

    const take = findAll(Waiting, (channelId: ChannelId, limit: number, newest: boolean) =>
      sql`
        with taken as (
          delete from quiet_alerts a
          using (
            select subject from quiet_alerts where channel_id = ${channelId}
            order by event_id ${sql.literal(newest ? "desc" : "asc")} limit ${limit}
          ) one
          where a.channel_id = ${channelId} and a.subject = one.subject
          returning a.event_id, a.incident_id, a.title, a.url
        )
        select event_id as "eventId", incident_id as "incidentId", title, url from taken order by event_id`)

    return {
      /** Adds alerts in the caller's transaction. */
      hold: Effect.fn("QuietAlerts.hold")(function*(added: ReadonlyArray<QuietAlert>) {
        if (added.length === 0) return
        const alerts = lastOfEach(added)
        const channels = alerts.map(({ channelId }) => channelId)
        const workspaces = alerts.map(({ workspaceId }) => workspaceId)
        yield* sql`
          insert into quiet_groups (channel_id, workspace_id, due_at)
          select channel_id, workspace_id, max(until)
          from unnest(${channels}::text[], ${workspaces}::text[],
                      ${
          alerts.map(({ until }) => DateTime.toDateUtc(until))
        }::timestamptz[]) as a (channel_id, workspace_id, until)
          group by channel_id, workspace_id order by channel_id
          on conflict (channel_id) do update set due_at = excluded.due_at`
        yield* sql`
          insert into quiet_alerts (channel_id, workspace_id, event_id, subject, incident_id, title, url)
          select channel_id, workspace_id, event_id, subject, incident_id, title, url
          from unnest(${channels}::text[], ${workspaces}::text[], ${alerts.map(({ eventId }) => eventId)}::text[],
                      ${alerts.map(({ subject }) => subject)}::text[], ${alerts.map(({ incidentId }) => incidentId)}::text[],
                      ${alerts.map(({ title }) => title)}::text[], ${alerts.map(({ url }) => url)}::text[])
            as a (channel_id, workspace_id, event_id, subject, incident_id, title, url)
          order by channel_id, subject
          on conflict (channel_id, subject) do update
          set event_id = excluded.event_id, title = excluded.title, url = excluded.url,
              incident_id = coalesce(excluded.incident_id, quiet_alerts.incident_id)
          where quiet_alerts.event_id < excluded.event_id`
        yield* signals.send(waitingAlertsSignal)
      }, Effect.orDie),
      /**
       * Locks the alerts of a channel whose quiet hours have ended, of no workspace in `except`, in the caller's transaction; none if
       * others hold all.
       */
      takeDue: findOne(Group, (now: DateTime.Utc, grouping: ReadonlyArray<string>, except: ReadonlyArray<WorkspaceId>) =>
        sql`
        select q.channel_id as "channelId", q.workspace_id as "workspaceId", c.name, c.type,
               coalesce(c.group_alerts, c.type = any(${grouping}::text[])) as groups
        from quiet_groups q join channels c on c.id = q.channel_id
        where q.due_at <= ${DateTime.toDateUtc(now)} and q.workspace_id <> all(${except}::text[])
        order by q.due_at limit 1 for update of q skip locked`),
      /** Drops alerts about troubles that have ended without an alert: their monitor was paused or deleted. */
      dropEnded: ({ channelId, workspaceId }: QuietGroup): Effect.Effect<void> =>
        write(sql`
          delete from quiet_alerts a using events e
          where a.workspace_id = ${workspaceId} and a.channel_id = ${channelId}
            and e.workspace_id = a.workspace_id and e.id = a.event_id
            and e.data -> 'monitor' ->> 'state' in ('down', 'degraded')
            and not exists (
              select from monitors m join monitor_states s on s.monitor_id = m.id
              where m.workspace_id = a.workspace_id and m.id = e.data -> 'monitor' ->> '_id' and s.state in ('down', 'degraded'))`),
      count: (channelId: ChannelId) =>
        countOf(sql`select count(*)::int as count from quiet_alerts where channel_id = ${channelId}`),
      /** Removes the oldest or the newest alerts of a channel, and returns them oldest first. */
      take: (channelId: ChannelId, which: "oldest" | "newest", limit: number) => take(channelId, limit, which === "newest"),
      /** Ends the wait of a channel, with its remaining alerts. */
      end: ({ channelId, workspaceId }: QuietGroup): Effect.Effect<void> =>
        write(sql`delete from quiet_groups where workspace_id = ${workspaceId} and channel_id = ${channelId}`)
    }
  })
}) {}
