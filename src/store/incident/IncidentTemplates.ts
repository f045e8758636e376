/** The rows of incident templates. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { TemplateId, type WorkspaceId } from "../../../schema/Ids.ts"
import { Template } from "../../../schema/incident/Template.ts"
import type { TemplateSettings } from "../../domain/incident/IncidentTemplate.ts"
import { mint } from "../Mint.ts"
import { settingsTable } from "../SettingsTable.ts"

const TemplateRow = Schema.Struct({
  ...Template.fields,
  createdAt: Schema.DateTimeUtcFromDate,
  updatedAt: Schema.DateTimeUtcFromDate
})

const columns = `
  id, name, kind, title, body, status, impact, component_ids as "componentIds", component_status as "componentStatus",
  position as "order", created_at as "createdAt", updated_at as "updatedAt"`

/** Takes components that no longer exist out of a workspace's templates, whose number is limited. */
export const forgetComponents = (sql: SqlClient.SqlClient, workspaceId: WorkspaceId) =>
  sql`
    update incident_templates t
    set component_ids = array(
      select named.id from unnest(t.component_ids) with ordinality as named (id, ordinal)
      join components c on c.workspace_id = t.workspace_id and c.id = named.id order by named.ordinal)
    where t.workspace_id = ${workspaceId} and exists (
      select from unnest(t.component_ids) as named (id)
      where not exists (select from components c where c.workspace_id = t.workspace_id and c.id = named.id))`

export class IncidentTemplates extends Effect.Service<IncidentTemplates>()("belltower/IncidentTemplates", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return settingsTable<TemplateId, TemplateSettings, typeof TemplateRow.Encoded>(sql, {
      table: "incident_templates",
      row: TemplateRow,
      newId: mint("tpl", TemplateId),
      columns,
      values: ({ body, componentIds, componentStatus, impact, kind, name, order, status, title }) => ({
        name,
        kind,
        title,
        body,
        status,
        impact,
        component_ids: componentIds,
        component_status: componentStatus,
        position: order
      }),
      orderBy: "position, id"
    })
  })
}) {}
