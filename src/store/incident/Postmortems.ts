/** The versions of postmortems. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import type { IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import { findAll, write } from "../postgres/Queries.ts"

/** Saving more deletes the oldest. */
const mostVersions = 100

const VersionRow = Schema.Struct({
  version: Schema.Int,
  markdown: Schema.String,
  publicSummary: Schema.NullOr(Schema.String),
  ai: Schema.Boolean,
  by: Schema.String,
  at: Schema.DateTimeUtcFromDate,
  publishedAt: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type VersionRow = typeof VersionRow.Type

export type VersionDraft = Pick<VersionRow, "version" | "markdown" | "publicSummary" | "ai" | "by" | "at">

export class Postmortems extends Effect.Service<Postmortems>()("belltower/Postmortems", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const columns = sql.literal(
      `version, public_summary as "publicSummary", ai, made_by as by, made_at as at, published_at as "publishedAt"`
    )

    const insert = Effect.fn("Postmortems.insert")(
      function*(workspaceId: WorkspaceId, incidentId: IncidentId, draft: VersionDraft) {
        yield* sql`
          insert into postmortem_versions (incident_id, version, workspace_id, markdown, public_summary, ai, made_by, made_at)
          values (${incidentId}, ${draft.version}, ${workspaceId}, ${draft.markdown}, ${draft.publicSummary}, ${draft.ai},
                  ${draft.by}, ${DateTime.toDateUtc(draft.at)})`
        yield* sql`
          delete from postmortem_versions
          where workspace_id = ${workspaceId} and incident_id = ${incidentId} and version <= ${draft.version - mostVersions}`
      },
      Effect.orDie
    )

    return {
      insert,
      markPublished: (workspaceId: WorkspaceId, incidentId: IncidentId, version: number, at: DateTime.Utc) =>
        write(sql`
            update postmortem_versions set published_at = ${DateTime.toDateUtc(at)}
            where workspace_id = ${workspaceId} and incident_id = ${incidentId} and version = ${version}`),
      /** Newest first. Without `texts`, only the current version has its markdown; that of the others is empty. */
      versions: findAll(VersionRow, (workspaceId: WorkspaceId, incidentId: IncidentId, texts: boolean) =>
        sql`
        select ${columns}, case when ${texts} or version = max(version) over () then markdown else '' end as markdown
        from postmortem_versions
        where workspace_id = ${workspaceId} and incident_id = ${incidentId} order by version desc`)
    }
  })
}) {}
