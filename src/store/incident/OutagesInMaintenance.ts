/** Outages that began while components were in maintenance: these components do not show them before the maintenance is over. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { ComponentId, type IncidentId, type MonitorId, type WorkspaceId } from "../../../schema/Ids.ts"
import { Alarms, alarmsSignal } from "../Alarms.ts"
import { findOne, write } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"

/** The components that do not show an incident, and when they may. */
const HiddenOutage = Schema.Struct({
  componentIds: Schema.Array(ComponentId),
  showAt: Schema.DateTimeUtcFromDate
})
export type HiddenOutage = typeof HiddenOutage.Type

interface OutageOfIncident extends HiddenOutage {
  readonly workspaceId: WorkspaceId
  readonly id: IncidentId
}

/** A monitor whose maintenance is over, and when it has had the time that it needs to recover. */
export interface FreedMonitor {
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
  readonly at: DateTime.Utc
}

export class OutagesInMaintenance extends Effect.Service<OutagesInMaintenance>()("belltower/OutagesInMaintenance", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const alarms = yield* Alarms

    const save = Effect.fn("OutagesInMaintenance.save")(function*({ componentIds, id, showAt, workspaceId }: OutageOfIncident) {
      yield* sql`
        insert into outages_in_maintenance (incident_id, workspace_id, component_ids, show_at)
        values (${id}, ${workspaceId}, ${componentIds}::text[], ${DateTime.toDateUtc(showAt)})
        on conflict (incident_id) do update set component_ids = excluded.component_ids, show_at = excluded.show_at
        where outages_in_maintenance.workspace_id = excluded.workspace_id`
    }, Effect.orDie)

    return {
      /** The components that do not show an incident; none if all that report its monitor show it. */
      of: findOne(HiddenOutage, (workspaceId: WorkspaceId, id: IncidentId) =>
        sql`
        select component_ids as "componentIds", show_at as "showAt" from outages_in_maintenance
        where incident_id = ${id} and workspace_id = ${workspaceId}`),
      save,
      /** Hides a new incident; its actor looks at it again when it may be shown. */
      hide: Effect.fn("OutagesInMaintenance.hide")(function*(outage: OutageOfIncident) {
        yield* save(outage)
        yield* alarms.armUnlessArmed("incident", outage.workspaceId, outage.id, outage.showAt)
      }),
      end: (workspaceId: WorkspaceId, id: IncidentId) =>
        write(sql`
          delete from outages_in_maintenance where incident_id = ${id} and workspace_id = ${workspaceId}`),
      /** Has the hidden incidents of monitors shown at the times of these, in the caller's transaction. */
      showLater: Effect.fn("OutagesInMaintenance.showLater")(function*(freed: ReadonlyArray<FreedMonitor>) {
        const moved = yield* sql`
          with moved as (
            update outages_in_maintenance o set show_at = freed.at
            from unnest(${freed.map(({ workspaceId }) => workspaceId)}::text[], ${
          freed.map(({ monitorId }) => monitorId)
        }::text[],
                        ${freed.map(({ at }) => DateTime.toDateUtc(at))}::timestamptz[]) as freed (workspace_id, monitor_id, at)
            join incidents i on i.workspace_id = freed.workspace_id and i.monitor_id = freed.monitor_id and i.resolved_at is null
            where o.workspace_id = freed.workspace_id and o.incident_id = i.id
            returning o.incident_id, o.workspace_id, o.show_at
          )
          insert into alarms (kind, id, workspace_id, due_at)
          select 'incident', incident_id, workspace_id, show_at from moved order by incident_id
          on conflict (kind, id) do update set due_at = least(alarms.due_at, excluded.due_at)
          returning 1`
        if (moved.length > 0) yield* signals.send(alarmsSignal)
      }, Effect.orDie)
    }
  }),
  dependencies: [Alarms.Default]
}) {}
