/** The automatic incidents of monitors, written and read many at a time, in the caller's transaction. */
import { SqlClient, type Statement } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { IncidentId, type MonitorId, type UpdateId, type WorkspaceId } from "../../../schema/Ids.ts"
import { AffectedComponent, type Incident } from "../../../schema/incident/Incident.ts"
import { LikelyUpstream } from "../../../schema/upstream/Upstream.ts"
import type { NewIncident } from "../../domain/incident/AutomaticIncident.ts"
import { arrayText } from "../postgres/ArrayText.ts"
import { findAll } from "../postgres/Queries.ts"
import { incidentColumns, IncidentRowWithReports, LockedIncident, summaryOf, UpdateRow } from "./IncidentRows.ts"

export interface IncidentKey {
  readonly workspaceId: WorkspaceId
  readonly id: IncidentId
}

/** A text of the service about an incident. */
export interface OutageUpdate {
  readonly id: UpdateId
  readonly body: string
  readonly at: DateTime.Utc
}

export interface Opening extends IncidentKey {
  readonly incident: NewIncident & { readonly monitorId: MonitorId }
  readonly likelyUpstream: LikelyUpstream | null
  readonly update: OutageUpdate
}

export interface Ending extends IncidentKey {
  readonly public: boolean
  readonly resolvedAt: DateTime.Utc
  readonly update: OutageUpdate
}

const encodeComponents = Schema.encodeSync(Schema.parseJson(Schema.Array(AffectedComponent)))
const encodeCause = Schema.encodeSync(Schema.parseJson(LikelyUpstream))

/** The table `wanted (workspace_id, id)` of incidents. */
export const incidentKeys = (sql: SqlClient.SqlClient, keys: ReadonlyArray<IncidentKey>): Statement.Fragment =>
  sql`
    unnest(${keys.map(({ workspaceId }) => workspaceId)}::text[], ${keys.map(({ id }) => id)}::text[])
      as wanted (workspace_id, id)`

const dates = (times: ReadonlyArray<DateTime.Utc>) => times.map(DateTime.toDateUtc)

const makeInsert = (sql: SqlClient.SqlClient) =>
  Effect.fn("OutageRows.insertAll")(function*(openings: ReadonlyArray<Opening>) {
    const opened = openings.map(({ incident }) => incident)
    const updates = openings.map(({ update }) => update)
    yield* sql`
      with opening as (
        select * from unnest(
          ${openings.map(({ id }) => id)}::text[], ${openings.map(({ workspaceId }) => workspaceId)}::text[],
          ${opened.map((one) => one.public)}::boolean[], ${opened.map((one) => one.monitorId)}::text[],
          ${opened.map((one) => one.title)}::text[], ${opened.map((one) => one.status)}::text[],
          ${opened.map((one) => one.impact)}::text[], ${opened.map((one) => encodeComponents(one.components))}::text[],
          ${opened.map((one) => arrayText(one.pageIds))}::text[], ${dates(opened.map((one) => one.startedAt))}::timestamptz[],
          ${openings.map(({ likelyUpstream: cause }) => (cause === null ? null : encodeCause(cause)))}::text[],
          ${updates.map(({ id }) => id)}::text[], ${updates.map(({ body }) => body)}::text[],
          ${dates(updates.map(({ at }) => at))}::timestamptz[]
        ) as o (id, workspace_id, public, monitor_id, title, status, impact, components, page_ids, started_at, cause,
                update_id, body, at)
      ), inserted as (
        insert into incidents (id, workspace_id, kind, automatic, public, monitor_id, title, status, impact, components, page_ids,
                               started_at, likely_upstream, updated_at)
        select id, workspace_id, 'incident', true, public, monitor_id, title, status, impact, components::jsonb,
               page_ids::text[], started_at, cause::jsonb, at from opening
      )
      insert into incident_updates (id, workspace_id, incident_id, status, body, at, ai, public, by_person, notify)
      select update_id, workspace_id, id, status, body, at, false, public, false, true from opening`
  }, Effect.orDie)

const makeResolve = (sql: SqlClient.SqlClient) =>
  Effect.fn("OutageRows.resolveAll")(function*(endings: ReadonlyArray<Ending>) {
    const updates = endings.map(({ update }) => update)
    yield* sql`
      with ending as (
        select * from unnest(
          ${endings.map(({ id }) => id)}::text[], ${endings.map(({ workspaceId }) => workspaceId)}::text[],
          ${endings.map((one) => one.public)}::boolean[], ${dates(endings.map((one) => one.resolvedAt))}::timestamptz[],
          ${updates.map(({ id }) => id)}::text[], ${updates.map(({ body }) => body)}::text[],
          ${dates(updates.map(({ at }) => at))}::timestamptz[]
        ) as e (id, workspace_id, public, resolved_at, update_id, body, at)
      ), resolved as (
        update incidents i set status = 'resolved', resolved_at = ending.resolved_at, updated_at = ending.at
        from ending where i.workspace_id = ending.workspace_id and i.id = ending.id
      )
      insert into incident_updates (id, workspace_id, incident_id, status, body, at, ai, public, by_person, notify)
      select update_id, workspace_id, id, 'resolved', body, at, false, public, false, true from ending`
  }, Effect.orDie)

export class OutageRows extends Effect.Service<OutageRows>()("belltower/OutageRows", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const lockOpen = findAll(LockedIncident, (keys: ReadonlyArray<IncidentKey>) =>
      sql`
      select ${incidentColumns(sql)} from ${incidentKeys(sql, keys)}
      join incidents i on i.workspace_id = wanted.workspace_id and i.id = wanted.id
      where i.resolved_at is null
      order by i.id for no key update of i`)

    // Only maintenance windows have a plan.
    const incidents = findAll(IncidentRowWithReports, (keys: ReadonlyArray<IncidentKey>) =>
      sql`
      select ${incidentColumns(sql)}, i.ai_reports as "aiReports", null as plan from ${incidentKeys(sql, keys)}
      join incidents i on i.workspace_id = wanted.workspace_id and i.id = wanted.id`)

    const updates = findAll(
      Schema.extend(UpdateRow, Schema.Struct({ incidentId: IncidentId })),
      (keys: ReadonlyArray<IncidentKey>) =>
        sql`
        select u.incident_id as "incidentId", u.id, u.status, u.body, u.at, u.ai, u.public from ${incidentKeys(sql, keys)}
        join incident_updates u on u.workspace_id = wanted.workspace_id and u.incident_id = wanted.id
        order by u.at, u.id`
    )

    return {
      insertAll: makeInsert(sql),
      resolveAll: makeResolve(sql),
      /** Locks and returns those that are open, in order of id. */
      lockOpen: (keys: ReadonlyArray<IncidentKey>) => keys.length === 0 ? Effect.succeed([]) : lockOpen(keys),
      /** The incidents with their updates, by id. */
      find: Effect.fn("OutageRows.find")(
        function*(keys: ReadonlyArray<IncidentKey>, url: (id: IncidentId) => string) {
          const rows = yield* incidents(keys)
          const texts = yield* updates(keys)
          return new Map(rows.map(({ aiReports, notify: _, plan: __, ...row }): [IncidentId, Incident] => [row.id, {
            ...summaryOf(row, url),
            aiReports,
            updates: texts.filter(({ incidentId }) => incidentId === row.id).map(({ incidentId: _, ...text }) => text)
          }]))
        },
        Effect.orDie
      )
    }
  })
}) {}
