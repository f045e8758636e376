/** Reads monitors whose alerts may wait, and what keeps them back: a parent in trouble, maintenance, or a mute. */
import type { SqlClient, Statement } from "@effect/sql"
import { DateTime, Duration, Schema } from "effect"
import { EventId, IncidentId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { longestGrace, reviewTime } from "../../domain/alert/KeptBackAlerts.ts"
import { areRunning, haveJustEnded, monitorsInMaintenance } from "../incident/MaintenanceScope.ts"
import { findAll } from "../postgres/Queries.ts"
import { isMuting, mutedUntil } from "./MuteScope.ts"
import { isInDoubt } from "./RestoredDoubt.ts"

/** Alerts that one transaction looks at again. */
const reviewBatch = 100

const KeptBackRow = Schema.Struct({
  monitorId: MonitorId,
  maintenanceSince: Schema.NullOr(Schema.DateTimeUtcFromDate),
  windowBegan: Schema.NullOr(Schema.DateTimeUtcFromDate),
  windowEnded: Schema.NullOr(Schema.DateTimeUtcFromDate),
  checkedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  muted: Schema.Boolean,
  parentId: Schema.NullOr(MonitorId),
  parentDown: Schema.NullOr(Schema.Boolean),
  parentPaged: Schema.NullOr(Schema.Boolean),
  reviewAt: Schema.DateTimeUtcFromDate,
  announced: Schema.NullOr(Schema.Boolean),
  waiting: Schema.NullOr(EventId),
  waitingFor: Schema.NullOr(IncidentId)
})

const Due = Schema.Struct({
  monitorId: MonitorId,
  workspaceId: WorkspaceId,
  eventId: EventId,
  incidentId: Schema.NullOr(IncidentId),
  troubled: Schema.Boolean,
  keptBack: Schema.Boolean
})

/** A maintenance window that is over, or may have handed components back. */
export interface ChangedWindow {
  readonly workspaceId: WorkspaceId
  readonly incidentId: IncidentId
}

export const makeTroubleQueries = (sql: SqlClient.SqlClient) => {
  /**
   * The parent that keeps alerts back for the longest time. One that has failed without confirmation yet may be the cause: its own checks
   * decide that within the time that it needs for them.
   */
  const parent = (now: DateTime.Utc) =>
    sql`
    left join lateral (
      select p.id, s.state = 'down' as down, a.policy_id is not null as paged,
             ${DateTime.toDateUtc(now)}::timestamptz + make_interval(secs => least(${Duration.toSeconds(reviewTime)},
               case when s.state = 'down' then 'infinity'::float8
                    else p.interval_sec * p.failure_threshold + p.timeout_ms / 1000.0 + 5 end)) as review_at
      from unnest(m.depends_on) as d (id)
      join monitors p on p.workspace_id = m.workspace_id and p.id = d.id and not p.paused
      join monitor_states s on s.monitor_id = p.id
      left join incident_alerting a on a.workspace_id = m.workspace_id and a.incident_id = s.incident_id
      where s.state = 'down' or (s.state in ('up', 'degraded') and (s.machine ->> 'failures')::int > 0)
      order by s.state = 'down' desc, a.policy_id is not null desc limit 1
    ) parent on true`

  /** Monitors in maintenance, by a row for each: the first of the windows that are running, and the end of the last one. */
  const maintained = (workspace: Statement.Fragment) =>
    sql`
    select monitor_id, min(began) as began, max(until) as until
    from (${monitorsInMaintenance(sql, areRunning(sql, workspace))}) running
    group by monitor_id`

  /** Monitors whose maintenance was completed within an hour, by a row for each: the window that ended last. */
  const justMaintained = (workspace: Statement.Fragment) =>
    sql`
    select distinct on (monitor_id) monitor_id, began, ended
    from (${monitorsInMaintenance(sql, haveJustEnded(sql, workspace))}) past
    order by monitor_id, ended desc`

  /** The time that the monitor `m` needs to recover. */
  const recovery = sql`make_interval(secs => least(
    ${Duration.toSeconds(longestGrace)}, m.interval_sec * m.recovery_threshold + m.timeout_ms / 1000.0 + 5))`

  const keptBack = findAll(
    KeptBackRow,
    (workspaceIds: ReadonlyArray<WorkspaceId>, ids: ReadonlyArray<MonitorId>, now: DateTime.Utc) =>
      sql`
      select m.id as "monitorId", maintained.began as "maintenanceSince", muted.until is not null as muted,
             past.began as "windowBegan", past.ended as "windowEnded", (own.last_check ->> 'at')::timestamptz as "checkedAt",
             parent.id as "parentId", parent.down as "parentDown", parent.paged as "parentPaged",
             least(parent.review_at, maintained.until, muted.until,
               ${DateTime.toDateUtc(now)}::timestamptz + case when past.ended is not null then ${recovery} end,
               ${DateTime.toDateUtc(now)}::timestamptz + make_interval(secs => ${Duration.toSeconds(reviewTime)})) as "reviewAt",
             t.told as announced, t.waiting_event_id as waiting, e.data -> 'incident' ->> 'id' as "waitingFor"
      from monitors m
      left join dependent_troubles t on t.monitor_id = m.id
      left join events e on e.workspace_id = t.workspace_id and e.id = t.waiting_event_id
      left join monitor_states own on own.monitor_id = m.id
      left join (${maintained(sql`= any(${workspaceIds}::text[])`)}) maintained on maintained.monitor_id = m.id
      left join (${justMaintained(sql`= any(${workspaceIds}::text[])`)}) past on past.monitor_id = m.id
      ${mutedUntil(sql)}
      ${parent(now)}
      where m.workspace_id = any(${workspaceIds}::text[]) and m.id = any(${ids}::text[])
        and (m.depends_on <> '{}' or t.monitor_id is not null or maintained.monitor_id is not null or muted.until is not null
          or past.monitor_id is not null)`
  )

  /** The monitors in trouble behind all components of windows that have changed, and when they have had their time to recover. */
  const maintainedMonitors = findAll(
    Schema.Struct({ workspaceId: WorkspaceId, monitorId: MonitorId, at: Schema.DateTimeUtcFromDate }),
    (changed: ReadonlyArray<ChangedWindow>, now: DateTime.Utc) =>
      sql`
      select distinct m.workspace_id as "workspaceId", m.id as "monitorId",
        ${DateTime.toDateUtc(now)}::timestamptz + ${recovery} as at
      from (${
        monitorsInMaintenance(
          sql,
          sql`(i.workspace_id, i.id) in (select * from unnest(
            ${changed.map(({ workspaceId }) => workspaceId)}::text[], ${changed.map(({ incidentId }) => incidentId)}::text[]))`,
          sql`true`
        )
      }) behind
      join monitors m on m.workspace_id = behind.workspace_id and m.id = behind.monitor_id
      join monitor_states s on s.monitor_id = m.id and s.state in ('down', 'degraded')
      order by m.id`
  )

  /**
   * The open incidents that components opened, as `i`, or whose monitor, `m`, fits a condition: when pages about them that waited are due.
   * A monitor has had its time to recover then.
   */
  const waitingPages = findAll(
    Schema.Struct({ workspaceId: WorkspaceId, id: IncidentId, dueAt: Schema.DateTimeUtcFromDate }),
    (workspaceIds: ReadonlyArray<WorkspaceId>, condition: Statement.Fragment, now: DateTime.Utc) =>
      sql`
      select i.workspace_id as "workspaceId", i.id,
        ${DateTime.toDateUtc(now)}::timestamptz + case when m.id is null then interval '0' else ${recovery} end as "dueAt"
      from incidents i left join monitors m on m.workspace_id = i.workspace_id and m.id = i.monitor_id
      where i.workspace_id = any(${workspaceIds}::text[]) and i.resolved_at is null and i.automatic and ${condition}`
  )

  // In two steps: a lock beside the joins would also take rows that the limit leaves out.
  const due = findAll(Due, (now: DateTime.Utc, except: ReadonlyArray<WorkspaceId>) =>
    sql`
      with first as materialized (
        select workspace_id from dependent_troubles
        where due_at <= ${DateTime.toDateUtc(now)} and workspace_id <> all(${except}::text[])
        order by due_at limit 1 for update skip locked
      ), taken as materialized (
        select monitor_id, workspace_id, waiting_event_id from dependent_troubles
        where workspace_id = (select workspace_id from first) and due_at <= ${DateTime.toDateUtc(now)}
        order by due_at limit ${reviewBatch} for update skip locked
      )
      select t.monitor_id as "monitorId", t.workspace_id as "workspaceId", t.waiting_event_id as "eventId",
             s.incident_id as "incidentId", coalesce(s.state in ('down', 'degraded') and not m.paused, false) as troubled,
             coalesce(parent.down, false) or coalesce(e.at >= planned.began, false) or muted.until is not null
               or ${isInDoubt(sql, sql`e.at`, now)} as "keptBack"
      from taken t
      left join monitors m on m.workspace_id = t.workspace_id and m.id = t.monitor_id
      left join monitor_states s on s.monitor_id = m.id
      left join events e on e.workspace_id = t.workspace_id and e.id = t.waiting_event_id
      left join (${maintained(sql`= (select workspace_id from first)`)}) planned on planned.monitor_id = t.monitor_id
      ${mutedUntil(sql)}
      ${parent(now)}`)

  /**
   * Until when the alerts about an incident of components wait: all monitors that they follow are muted, or the whole workspace is, as
   * for components without monitors.
   */
  const componentsMuted = findAll(
    Schema.Struct({ until: Schema.NullOr(Schema.DateTimeUtcFromDate) }),
    (workspaceId: WorkspaceId, id: IncidentId) =>
      sql`
      select coalesce(
        (select max(x.until) from mutes x where x.workspace_id = ${workspaceId} and ${sql.literal(isMuting)} and x.everything),
        case when bool_and(muted.until is not null) filter (where m.id is not null or c.monitor_ids = '{}') then min(muted.until) end)
        as until
      from incidents i cross join lateral jsonb_array_elements(i.components) affected
      join components c on c.workspace_id = i.workspace_id and c.id = affected->>'componentId'
      left join lateral unnest(c.monitor_ids) followed (id) on true
      left join monitors m on m.workspace_id = c.workspace_id and m.id = followed.id
      ${mutedUntil(sql)}
      where i.workspace_id = ${workspaceId} and i.id = ${id}`
  )

  return { componentsMuted, keptBack, due, maintainedMonitors, recovery, waitingPages }
}
