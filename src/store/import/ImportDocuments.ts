/** Documents of previewed imports, sealed: the import takes one by its id, so that nobody sends it twice. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
import { DocumentId, type WorkspaceId } from "../../../schema/Ids.ts"
import { mint } from "../Mint.ts"
import { findOne } from "../postgres/Queries.ts"
import { cellOf } from "../SealedColumns.ts"
import { sweepHourlyOlder } from "../Sweep.ts"
import { Vault } from "../Vault.ts"

/** Documents that a workspace keeps; each can have the largest size. */
const mostDocuments = 3

/** Rows that expired since are deleted by the next sweep. */
const lifetime = "1 hour"

const Row = Schema.Struct({ sealed: Schema.String })

export class ImportDocuments extends Effect.Service<ImportDocuments>()("belltower/ImportDocuments", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault

    yield* sweepHourlyOlder(
      "documents of imports",
      lifetime,
      (before) => sql`delete from import_documents where created_at < ${before}`
    )

    const kept = findOne(Row, (workspaceId: WorkspaceId, id: string) =>
      Effect.flatMap(DateTime.now, (now) =>
        sql`
        select sealed from import_documents
        where workspace_id = ${workspaceId} and id = ${id}
          and created_at >= ${DateTime.toDateUtc(DateTime.subtractDuration(now, lifetime))}`))

    return {
      /** Keeps a document, and the newest of the others. */
      keep: Effect.fn("ImportDocuments.keep")(function*(workspaceId: WorkspaceId, text: string) {
        const id = yield* mint("doc", DocumentId)
        const sealed = yield* vault.seal(cellOf("import_documents.sealed", id), text)
        const now = DateTime.toDateUtc(yield* DateTime.now)
        yield* sql`
          insert into import_documents ${sql.insert({ id, workspace_id: workspaceId, sealed, created_at: now })}`
        yield* sql`
          delete from import_documents where workspace_id = ${workspaceId} and id in (
            select id from import_documents where workspace_id = ${workspaceId} order by id desc offset ${mostDocuments})`
        return id
      }, Effect.orDie),
      /** The text of a document that is kept; none for any other id. */
      find: Effect.fn("ImportDocuments.find")(function*(workspaceId: WorkspaceId, id: string) {
        const found = yield* kept(workspaceId, id)
        return Option.isNone(found)
          ? Option.none<string>()
          : Option.some(yield* vault.unseal(cellOf("import_documents.sealed", id), found.value.sealed))
      }, Effect.orDie)
    }
  })
}) {}
