/**
 * Which channels were alerted about an incident, so that they also learn of its acknowledgement, and which alerts are open at
 * paging services.
 */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Schema } from "effect"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { ChannelId, IncidentId, MonitorId, type WorkspaceId } from "../../../schema/Ids.ts"
import { incidentOf, monitorOf } from "../../domain/alert/EventRouting.ts"
import type { AlertSubject, OpenAlerts } from "../../domain/alert/PagingAlerts.ts"
import { exists, findAll } from "../postgres/Queries.ts"

/** The retention, counted from the last alert about an incident. */
const retention = Duration.days(30)

const pruneBatch = 1000

/** A channel that received an event about an incident. */
export interface Alerted {
  readonly workspaceId: WorkspaceId
  readonly incidentId: IncidentId
  readonly channelId: ChannelId
}

/** The alert of a paging channel, open under a key or closed. */
export interface PagingAlert {
  readonly workspaceId: WorkspaceId
  readonly subject: AlertSubject
  readonly channelId: ChannelId
  readonly key: string | null
}

const Subject = Schema.Union(IncidentId, MonitorId)

export class AlertedChannels extends Effect.Service<AlertedChannels>()("belltower/AlertedChannels", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const find = findAll(
      Schema.Struct({ key: Schema.String, channelIds: Schema.Array(ChannelId) }),
      (workspaceIds: ReadonlyArray<WorkspaceId>, ids: ReadonlyArray<string>) =>
        sql`
        select incident_id as key, array_agg(channel_id) as "channelIds" from alerted_channels
        where workspace_id = any(${workspaceIds}::text[]) and incident_id = any(${ids}::text[])
        group by incident_id`
    )

    const alertRows = findAll(
      Schema.Struct({ subject: Subject, channelId: ChannelId, key: Schema.NullOr(Schema.String) }),
      (
        workspaceIds: ReadonlyArray<WorkspaceId>,
        subjects: ReadonlyArray<typeof Subject.Type>,
        channelIds: ReadonlyArray<ChannelId>
      ) =>
        sql`
        select incident_id as subject, channel_id as "channelId", alert_key as key from alerted_channels
        where workspace_id = any(${workspaceIds}::text[]) and incident_id = any(${subjects}::text[])
          and channel_id = any(${channelIds}::text[])`
    )

    /** The alerts that channels of paging services had about incidents and monitors before the events. */
    const alertsOf = Effect.fn("AlertedChannels.alertsOf")(
      function*(events: ReadonlyArray<WorkspaceEvent>, channelIds: ReadonlyArray<ChannelId>) {
        const subjects = new Set(events.flatMap((event) => [incidentOf(event) ?? [], monitorOf(event) ?? []].flat()))
        const rows = channelIds.length === 0 || subjects.size === 0
          ? []
          : yield* alertRows([...new Set(events.map(({ workspaceId }) => workspaceId))], [...subjects], channelIds)
        const alerts = new Map<AlertSubject, Map<ChannelId, string | null>>()
        for (const { channelId, key, subject } of rows) {
          alerts.set(subject, (alerts.get(subject) ?? new Map<ChannelId, string | null>()).set(channelId, key))
        }
        const found: OpenAlerts = alerts
        return found
      },
      Effect.orDie
    )

    /** Records the keys of alerts, in the caller's transaction; of several changes of an alert, the last one counts. */
    const record = Effect.fn("AlertedChannels.record")(function*(alerts: ReadonlyArray<PagingAlert>, now: DateTime.Utc) {
      if (alerts.length === 0) return
      yield* sql`
        insert into alerted_channels (workspace_id, incident_id, channel_id, alerted_at, alert_key)
        select distinct on (workspace_id, subject, channel_id)
               workspace_id, subject, channel_id, ${DateTime.toDateUtc(now)}::timestamptz, key
        from unnest(${alerts.map(({ workspaceId }) => workspaceId)}::text[], ${alerts.map(({ subject }) => subject)}::text[],
                    ${alerts.map(({ channelId }) => channelId)}::text[], ${alerts.map(({ key }) => key)}::text[])
          with ordinality as a (workspace_id, subject, channel_id, key, ordinal)
        order by workspace_id, subject, channel_id, ordinal desc
        on conflict (workspace_id, incident_id, channel_id) do update
        set alerted_at = excluded.alerted_at, alert_key = excluded.alert_key`
    })

    /** Whether an incident has ended, read by its id. */
    const isOver = (workspaceId: WorkspaceId, incidentId: IncidentId) =>
      exists(sql`
        select from incidents where workspace_id = ${workspaceId} and id = ${incidentId} and resolved_at is not null`)

    /** In the caller's transaction. Opens and closes no alert. */
    const add = Effect.fn("AlertedChannels.add")(function*(alerted: ReadonlyArray<Alerted>, now: DateTime.Utc) {
      if (alerted.length === 0) return
      const at = DateTime.toDateUtc(now)
      yield* sql`
        insert into alerted_channels (workspace_id, incident_id, channel_id, alerted_at, alert_key)
        select distinct workspace_id, incident_id, channel_id, ${at}::timestamptz, null
        from unnest(${alerted.map(({ workspaceId }) => workspaceId)}::text[],
                    ${alerted.map(({ incidentId }) => incidentId)}::text[],
                    ${alerted.map(({ channelId }) => channelId)}::text[]) as a (workspace_id, incident_id, channel_id)
        order by workspace_id, incident_id, channel_id
        on conflict (workspace_id, incident_id, channel_id) do update set alerted_at = excluded.alerted_at`
    })

    /**
     * Deletes a batch of rows whose last alert was more than 30 days before `now`, unless their incident is open. Returns whether there
     * may be more.
     */
    const prune = Effect.fn("AlertedChannels.prune")(function*(now: DateTime.Utc) {
      const gone = yield* sql`
        delete from alerted_channels where ctid in (
          select a.ctid from alerted_channels a
          where a.alerted_at < ${DateTime.toDateUtc(DateTime.subtractDuration(now, retention))}
            and not exists (
              select from incidents i where i.workspace_id = a.workspace_id and i.id = a.incident_id and i.resolved_at is null
            )
          limit ${pruneBatch}
        ) returning 1`
      return gone.length === pruneBatch
    }, Effect.orDie)

    return { find, add, alertsOf, record, isOver, prune }
  })
}) {}
