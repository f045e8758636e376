/** The rows of incident templates. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { TemplateId, WorkspaceId } from "../../../schema/Ids.ts"
import { Template } from "../../../schema/incident/Template.ts"
import type { TemplateSettings } from "../../domain/incident/IncidentTemplate.ts"
import { mint } from "../Mint.ts"

const TemplateRow = Schema.Struct({
  ...Template.fields,
  createdAt: Schema.DateTimeUtcFromDate,
  updatedAt: Schema.DateTimeUtcFromDate
})

const columns = `
  id, name, kind, title, body, status, impact, component_ids as "componentIds", component_status as "componentStatus",
  position as "order", created_at as "createdAt", updated_at as "updatedAt"`

export class IncidentTemplates extends Effect.Service<IncidentTemplates>()("belltower/IncidentTemplates", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const selected = sql.literal(columns)

    const list = SqlSchema.findAll({
      Request: WorkspaceId,
      Result: TemplateRow,
      execute: (workspaceId) =>
        sql`select ${selected} from incident_templates where workspace_id = ${workspaceId} order by position, id`
    })

    const find = SqlSchema.findOne({
      Request: Schema.Struct({ workspaceId: WorkspaceId, id: TemplateId }),
      Result: TemplateRow,
      execute: ({ id, workspaceId }) =>
        sql`select ${selected} from incident_templates where workspace_id = ${workspaceId} and id = ${id}`
    })

    const insert = Effect.fn("IncidentTemplates.insert")(function*(workspaceId: WorkspaceId, settings: TemplateSettings) {
      const id = yield* mint("tpl", TemplateId)
      const now = yield* DateTime.now
      const at = DateTime.toDateUtc(now)
      yield* sql`
        insert into incident_templates (id, workspace_id, name, kind, title, body, status, impact, component_ids,
                                        component_status, position, created_at, updated_at)
        values (${id}, ${workspaceId}, ${settings.name}, ${settings.kind}, ${settings.title}, ${settings.body},
                ${settings.status}, ${settings.impact}, ${[...settings.componentIds]}::text[], ${settings.componentStatus},
                ${settings.order}, ${at}, ${at})`
      const template: Template = { id, ...settings, createdAt: now, updatedAt: now }
      return template
    }, Effect.orDie)

    const update = Effect.fn("IncidentTemplates.update")(
      function*(workspaceId: WorkspaceId, id: TemplateId, settings: TemplateSettings) {
        const at = DateTime.toDateUtc(yield* DateTime.now)
        yield* sql`
          update incident_templates
          set name = ${settings.name}, kind = ${settings.kind}, title = ${settings.title}, body = ${settings.body},
            status = ${settings.status}, impact = ${settings.impact}, component_ids = ${[...settings.componentIds]}::text[],
            component_status = ${settings.componentStatus}, position = ${settings.order}, updated_at = ${at}
          where workspace_id = ${workspaceId} and id = ${id}`
      },
      Effect.orDie
    )

    return {
      insert,
      update,
      /** In their order. */
      list: (workspaceId: WorkspaceId) => Effect.orDie(list(workspaceId)),
      find: (workspaceId: WorkspaceId, id: TemplateId) => Effect.orDie(find({ workspaceId, id })),
      /** False when there is no such template. */
      remove: (workspaceId: WorkspaceId, id: TemplateId): Effect.Effect<boolean> =>
        sql`delete from incident_templates where workspace_id = ${workspaceId} and id = ${id} returning 1`.pipe(
          Effect.map((rows) => rows.length > 0),
          Effect.orDie
        )
    }
  })
}) {}
