/** Reports of manifests on their way to the actors of components, and the components that wait for them. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { ComponentStatus } from "../../../schema/component/Component.ts"
import { PushState } from "../../../schema/component/Push.ts"
import { ComponentId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import type { ManifestReport } from "../../domain/component/ManifestReports.ts"
import { alarmsSignal } from "../Alarms.ts"
import { withNext } from "../postgres/LeanTransactions.ts"
import { findAll, tryAll } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"

/** A component whose actor takes none of its reports keeps this many; further ones are dropped. */
const mostWaiting = 100

/** A component that follows a manifest, while the manifest can be read. */
const Reader = Schema.Struct({
  id: ComponentId,
  workspaceId: WorkspaceId,
  monitorId: MonitorId,
  key: Schema.String,
  confirmations: Schema.Int,
  intervalSec: Schema.Int,
  pushState: Schema.NullOr(PushState),
  waiting: Schema.Int.annotations({ description: "Reports that its actor has not taken yet" })
})
export type Reader = typeof Reader.Type

export interface AddressedReport extends ManifestReport {
  readonly workspaceId: WorkspaceId
  readonly id: ComponentId
}

const Taken = Schema.Struct({
  status: Schema.NullOr(ComponentStatus),
  message: Schema.NullOr(Schema.String),
  observedAt: Schema.Number
})

export class ManifestReports extends Effect.Service<ManifestReports>()("belltower/ManifestReports", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals

    // One statement, so that a component's state and its waiting reports are from the same moment.
    const find = tryAll(Reader, (monitors: ReadonlyArray<Pick<Reader, "workspaceId" | "monitorId">>) =>
      sql`
        select c.id, c.workspace_id as "workspaceId", m.id as "monitorId", c.manifest_key as key, c.confirmations,
          m.interval_sec as "intervalSec", shown.push as "pushState", (select count(*)::int from (
            select 1 from manifest_reports r where r.component_id = c.id limit ${mostWaiting}) waiting) as waiting
        from unnest(${monitors.map(({ workspaceId }) => workspaceId)}::text[],
                    ${monitors.map(({ monitorId }) => monitorId)}::text[]) as read (workspace_id, id)
        join monitors m on m.id = read.id and m.workspace_id = read.workspace_id
        join monitor_states s on s.monitor_id = m.id and s.state in ('up', 'degraded')
        join components c on c.manifest_monitor_id = m.id and c.workspace_id = m.workspace_id
        left join component_states shown on shown.component_id = c.id`)

    return {
      /** The components that follow these monitors and can take more reports. */
      readers: (monitors: ReadonlyArray<Pick<Reader, "workspaceId" | "monitorId">>) =>
        Effect.map(find(monitors), (readers) => readers.filter(({ waiting }) => waiting < mostWaiting)).pipe(
          Effect.catchTag("ParseError", Effect.die)
        ),
      /**
       * Keeps reports and wakes their components, in one transaction. Rows are locked in order of id, as by other writers. With
       * `patienceMs` it fails when it waits for longer than this for a lock: a component's actor, or a change of many components, may
       * hold one for seconds.
       */
      add: Effect.fn("ManifestReports.add")(
        function*(reports: ReadonlyArray<AddressedReport>, patienceMs: number | null) {
          if (reports.length === 0) return
          if (patienceMs !== null) yield* withNext(sql`select set_config('lock_timeout', ${String(patienceMs)}, true)`)
          const ids = reports.map(({ id }) => id)
          const workspaces = reports.map(({ workspaceId }) => workspaceId)
          // A component that was deleted meanwhile, like its rows, is left out.
          yield* sql`
            insert into alarms (kind, id, workspace_id, due_at)
            select distinct on (c.id) 'component', c.id, c.workspace_id, statement_timestamp()
            from unnest(${ids}::text[], ${workspaces}::text[]) as addressed (id, workspace_id)
            join components c on c.id = addressed.id and c.workspace_id = addressed.workspace_id
            order by c.id
            on conflict (kind, id) do update set due_at = least(alarms.due_at, excluded.due_at)`
          yield* sql`
            insert into manifest_reports (component_id, workspace_id, observed_at, status, message)
            select c.id, c.workspace_id, report.observed_at, report.status, report.message
            from unnest(${ids}::text[], ${workspaces}::text[], ${reports.map(({ observedAt }) => observedAt)}::float8[],
                        ${reports.map(({ status }) => status)}::text[], ${reports.map(({ message }) => message)}::text[])
              as report (id, workspace_id, observed_at, status, message)
            join components c on c.id = report.id and c.workspace_id = report.workspace_id
            order by c.id, report.observed_at
            on conflict (component_id, observed_at) do nothing`
          yield* signals.send(alarmsSignal)
        },
        sql.withTransaction
      ),
      /** Removes and returns the reports of a component, oldest first, in its actor's transaction. */
      take: findAll(Taken, (workspaceId: WorkspaceId, id: ComponentId) =>
        sql`
        with taken as (
          delete from manifest_reports where workspace_id = ${workspaceId} and component_id = ${id}
          returning status, message, observed_at as "observedAt"
        )
        select * from taken order by "observedAt"`)
    }
  })
}) {}
