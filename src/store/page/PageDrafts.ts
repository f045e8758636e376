/** The rows of the drafts of status pages, at most one for each page. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import type { PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { type PageDraft, PageDraftFields } from "../../../schema/page/Page.ts"
import { findOne, write } from "../postgres/Queries.ts"

const StoredDraft = Schema.Struct({ at: Schema.DateTimeUtcFromDate, by: Schema.String, fields: PageDraftFields })

const encodeFields = Schema.encodeSync(Schema.parseJson(PageDraftFields))

export class PageDrafts extends Effect.Service<PageDrafts>()("belltower/PageDrafts", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return {
      find: findOne(
        StoredDraft,
        (workspaceId: WorkspaceId, id: PageId) =>
          sql`select at, by, fields from page_drafts where workspace_id = ${workspaceId} and page_id = ${id}`
      ),
      /** Keeps the draft in place of the page's former one, in the caller's transaction. */
      keep: (workspaceId: WorkspaceId, id: PageId, { at, by, fields }: PageDraft) =>
        write(sql`
          insert into page_drafts (page_id, workspace_id, fields, by, at)
          values (${id}, ${workspaceId}, ${encodeFields(fields)}::jsonb, ${by}, ${DateTime.toDateUtc(at)})
          on conflict (page_id) do update set fields = excluded.fields, by = excluded.by, at = excluded.at
          where page_drafts.workspace_id = ${workspaceId}`),
      remove: (workspaceId: WorkspaceId, id: PageId) =>
        write(sql`delete from page_drafts where workspace_id = ${workspaceId} and page_id = ${id}`)
    }
  })
}) {}
