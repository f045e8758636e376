/** A workspace whose row another transaction has locked: nobody can record events in it. */
import { SqlClient } from "@effect/sql"
import { Deferred, Effect, Fiber } from "effect"
import type { WorkspaceId } from "../../schema/Ids.ts"

/** Locks the row; the returned effect lets go of it. */
export const lockWorkspace = (id: WorkspaceId) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const holding = yield* Deferred.make<void>()
    const release = yield* Deferred.make<void>()
    const holder = yield* sql`select 1 from workspaces where id = ${id} for update`.pipe(
      Effect.zipRight(Deferred.succeed(holding, undefined)),
      Effect.zipRight(Deferred.await(release)),
      sql.withTransaction,
      Effect.fork
    )
    yield* Deferred.await(holding)
    return Effect.zipRight(Deferred.succeed(release, undefined), Fiber.join(holder))
  })
