/** The rows of incidents and of their updates, as queries select them. */
import type { SqlClient } from "@effect/sql"
import { Schema, Struct } from "effect"
import { instant } from "../../../schema/Fields.ts"
import type { IncidentId } from "../../../schema/Ids.ts"
import { Incident, IncidentSummary, InternalNote, PublicUpdate, SetComponent } from "../../../schema/incident/Incident.ts"
import { idTime } from "../../domain/tools/Id.ts"

const dates = {
  startedAt: Schema.DateTimeUtcFromDate,
  resolvedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  scheduledStart: Schema.NullOr(Schema.DateTimeUtcFromDate),
  scheduledEnd: Schema.NullOr(Schema.DateTimeUtcFromDate)
}

/** An incident without its updates and derived fields. */
export const IncidentRow = Schema.Struct({
  ...Struct.omit(IncidentSummary.fields, "url", "createdAt", "mutes"),
  ...dates,
  updatedAt: Schema.DateTimeUtcFromDate
})
export type IncidentRow = typeof IncidentRow.Type

export const IncidentRowWithReports = Schema.Struct({
  ...IncidentRow.fields,
  aiReports: Incident.fields.aiReports,
  notify: Schema.Boolean,
  plan: Schema.NullOr(Schema.Struct({
    remindMinutes: Schema.Array(Schema.Int),
    rule: Schema.NullOr(Schema.String),
    timezone: Schema.NullOr(Schema.String)
  }))
})

const at = Schema.DateTimeUtcFromDate

export const UpdateRow = Schema.Union(
  Schema.Struct({ ...PublicUpdate.fields, at }),
  Schema.Struct({ ...InternalNote.fields, at })
)

/** The fields of a locked incident that decisions need. */
export const LockedIncident = Schema.Struct({
  ...Struct.pick(
    IncidentSummary.fields,
    "id",
    "kind",
    "status",
    "public",
    "automatic",
    "monitorId",
    "title",
    "impact",
    "pageIds",
    "acknowledgement"
  ),
  ...dates,
  components: Schema.Array(SetComponent),
  wholePageIds: IncidentSummary.fields.pageIds,
  notify: Schema.Boolean
})
export type LockedIncident = typeof LockedIncident.Type

const columns = `
  i.id, i.kind, i.automatic, i.public, i.monitor_id as "monitorId", i.title, i.status, i.impact, i.components,
  i.page_ids as "pageIds", i.started_at as "startedAt", i.resolved_at as "resolvedAt", i.scheduled_start as "scheduledStart",
  i.scheduled_end as "scheduledEnd", i.ai_summary as "aiSummary", i.acknowledgement, i.likely_upstream as "likelyUpstream",
  i.updated_at as "updatedAt", i.whole_page_ids as "wholePageIds", i.notify`

/** The columns of `IncidentRow` and `LockedIncident`; the table's alias is `i`. */
export const incidentColumns = (sql: SqlClient.SqlClient) => sql.literal(columns)

/** The row as a record; an id contains the time of its creation. */
export const summaryOf = (row: IncidentRow, url: (id: IncidentId) => string): IncidentSummary => ({
  ...row,
  ...(row.kind === "maintenance" ? { componentIds: row.components.map(({ componentId }) => componentId) } : {}),
  createdAt: instant(idTime(row.id) ?? row.startedAt.epochMillis),
  url: url(row.id)
})
