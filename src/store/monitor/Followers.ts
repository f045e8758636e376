/** The components that follow monitors: which they are, and how they learn of a monitor's deletion. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { ComponentId, MonitorId, PageId, type WorkspaceId } from "../../../schema/Ids.ts"
import { alarmsSignal } from "../Alarms.ts"
import { areRunning, componentsInMaintenance, haveJustEnded } from "../incident/MaintenanceScope.ts"
import { findAll } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"

const Follower = Schema.Struct({
  monitorId: MonitorId,
  componentId: ComponentId,
  name: Schema.String,
  pageId: PageId,
  slug: Schema.String,
  /** Whether its page shows the monitor's state. */
  shows: Schema.Boolean,
  /** Whether it fails when the monitor fails, for all to see, on a page with automatic incidents. */
  reports: Schema.Boolean,
  /** Until when a maintenance window may keep its failures from being announced; null if none does. */
  maintenanceUntil: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type Follower = typeof Follower.Type

export interface FollowedMonitor {
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
  /** When the check was made that decided its state, ms; null if the windows of now decide alone. */
  readonly checkedAt: number | null
}

/** The wait before an outage is shown whose check was made in a window that is over by now, seconds: later results may end it. */
const lateTime = 120

export class Followers extends Effect.Service<Followers>()("belltower/Followers", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals

    // A component by majority reports its own outages: one of its monitors does not speak for it. By two indexes, each its own way.
    const find = findAll(Follower, (monitors: ReadonlyArray<FollowedMonitor>) => {
      const workspaceIds = monitors.map(({ workspaceId }) => workspaceId)
      const ofThese = sql`= any(${workspaceIds}::text[])`
      return sql`
        with followed as (
          select * from unnest(${workspaceIds}::text[], ${monitors.map(({ monitorId }) => monitorId)}::text[],
                               ${monitors.map(({ checkedAt }) => checkedAt)}::float8[]) as m (workspace_id, id, checked_at)
        ), maintained as materialized (${componentsInMaintenance(sql, areRunning(sql, ofThese))}
        ), past as materialized (${componentsInMaintenance(sql, haveJustEnded(sql, ofThese))})
        select m.id as "monitorId", c.id as "componentId", c.name, c.page_id as "pageId", p.slug,
          c.monitor_ids @> array[m.id] as shows,
          c.monitor_ids @> array[m.id] and not c.hidden and not (c.aggregate = 'majority' and cardinality(c.monitor_ids) > 1)
            and coalesce((p.settings->>'autoIncidents')::boolean, true) as reports,
          coalesce(maintained.until, case when past.ended is not null then now() + make_interval(secs => ${lateTime}) end)
            as "maintenanceUntil"
        from followed m
        join lateral (
          select * from components where monitor_ids @> array[m.id]
          union
          select * from components where manifest_monitor_id = m.id
        ) c on c.workspace_id = m.workspace_id
        join pages p on p.id = c.page_id
        left join maintained on maintained.workspace_id = c.workspace_id and maintained.component_id = c.id
        left join past on past.workspace_id = c.workspace_id and past.component_id = c.id
          and to_timestamp(m.checked_at / 1000) between past.began and past.ended
        order by c.id`
    })

    const reporting = findAll(
      Schema.Struct({ id: ComponentId }),
      (workspaceIds: ReadonlyArray<string>, ids: ReadonlyArray<string>) =>
        sql`
        select s.component_id as id from unnest(${workspaceIds}::text[], ${ids}::text[]) as c (workspace_id, id)
        join component_states s on s.component_id = c.id and s.workspace_id = c.workspace_id
        join incidents i on i.id = s.incident_id and i.workspace_id = s.workspace_id
        where i.resolved_at is null`
    )

    return {
      /** Wakes the actors of the components that follow a monitor after the caller's transaction commits. */
      call: Effect.fn("Followers.call")(function*(workspaceId: WorkspaceId, monitorId: MonitorId) {
        const woken = yield* sql`
          insert into alarms (kind, id, workspace_id, due_at)
          select 'component', id, workspace_id, statement_timestamp() from components
          where workspace_id = ${workspaceId} and (monitor_ids @> array[${monitorId}::text] or manifest_monitor_id = ${monitorId})
          order by id
          on conflict (kind, id) do update set due_at = least(alarms.due_at, excluded.due_at)
          returning 1`
        if (woken.length > 0) yield* signals.send(alarmsSignal)
      }),
      /** The followers of monitors, in order of their ids. */
      find,
      /** Which of the components are in an open incident of their page. */
      inPageIncidents: (components: ReadonlyArray<{ readonly workspaceId: WorkspaceId; readonly componentId: ComponentId }>) =>
        components.length === 0 ? Effect.succeed(new Set<ComponentId>()) : Effect.map(
          reporting(components.map(({ workspaceId }) => workspaceId), components.map(({ componentId }) => componentId)),
          (found): ReadonlySet<ComponentId> => new Set(found.map(({ id }) => id))
        )
    }
  })
}) {}
