/** A workspace whose row another transaction has locked: nobody can record events in it. */
import { SqlClient, type SqlError } from "@effect/sql"
import { Deferred, Effect, Fiber } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"

/** Holds what a statement locks; the returned effect lets go of it. */
export const holding = (lock: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, SqlError.SqlError>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const held = yield* Deferred.make<void>()
    const release = yield* Deferred.make<void>()
    const holder = yield* lock(sql).pipe(
      Effect.zipRight(Deferred.succeed(held, undefined)),
      Effect.zipRight(Deferred.await(release)),
      sql.withTransaction,
      Effect.fork
    )
    yield* Deferred.await(held)
    return Effect.zipRight(Deferred.succeed(release, undefined), Fiber.join(holder))
  })

/** Locks the row; the returned effect lets go of it. */
export const lockWorkspace = (id: WorkspaceId) => holding((sql) => sql`select 1 from workspaces where id = ${id} for update`)
