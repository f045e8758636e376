/** Lists the incidents and maintenance windows of a workspace. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { IncidentId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { IncidentKind } from "../../../schema/incident/Incident.ts"
import { findAll } from "../postgres/Queries.ts"
import { incidentColumns, IncidentRow } from "./IncidentRows.ts"

/** Null matches any incident. */
const IncidentFilter = Schema.Struct({
  workspaceId: WorkspaceId,
  open: Schema.Boolean,
  kind: Schema.NullOr(IncidentKind),
  pageId: Schema.NullOr(PageId),
  monitorId: Schema.NullOr(Schema.String),
  before: Schema.NullOr(IncidentId),
  limit: Schema.Int
})
export type IncidentFilter = typeof IncidentFilter.Type

export class IncidentLists extends Effect.Service<IncidentLists>()("belltower/IncidentLists", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    // Only the filters that are set are written, so that the planner can choose the index of each.
    const conditions = ({ before, kind, monitorId, open, pageId }: typeof IncidentFilter.Encoded) => [
      ...(open ? [sql`i.resolved_at is null`] : []),
      ...(kind === null ? [] : [sql`i.kind = ${kind}`]),
      ...(pageId === null ? [] : [sql`i.page_ids @> array[${pageId}]::text[]`]),
      ...(monitorId === null ? [] : [sql`i.monitor_id = ${monitorId}`]),
      ...(before === null ? [] : [sql`i.id < ${before}`])
    ]

    return {
      /** Newest first. */
      matching: findAll(IncidentRow, (filter: IncidentFilter) =>
        sql`
        select ${incidentColumns(sql)} from incidents i
        where ${sql.and([sql`i.workspace_id = ${filter.workspaceId}`, ...conditions(filter)])}
        order by i.id desc limit ${filter.limit}`)
    }
  })
}) {}
