/** Compares the secrets of a process with the one that the database is sealed with: with another one, every alert would fail. */
import { SqlClient } from "@effect/sql"
import { Data, Effect, Option, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { InstallationKeys } from "./InstallationKeys.ts"
import { hashesKeyName } from "./KeyedHashes.ts"
import { formerLinksKeyName } from "./LinkKeys.ts"
import { findSingle } from "./postgres/Queries.ts"
import { cellOf } from "./SealedColumns.ts"
import { Vault } from "./Vault.ts"

/** The process was given another secret. `message` is one line for the operator. */
class WrongSecret extends Data.TaggedError("WrongSecret")<{ readonly message: string }> {}

/** Sealed and stored when the first process starts. Its content says nothing. */
const text = "belltower"

const cell = cellOf("secret_check.sealed", true)

/** Whether the database is sealed with a secret of this process; none if nothing is sealed yet. Changes nothing. */
export const opensDatabase = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const vault = yield* Vault
  const [found] = yield* sql<{ readonly sealed: string }>`select sealed from secret_check`
  return found === undefined ? Option.none<boolean>() : Option.some(vault.openerOf(cell, found.sealed) !== null)
})

/**
 * Fails if the database is sealed with another secret. `origin` says where the secret is from. Processes that start together on a new
 * database agree on one check: the others compare their secret with that of the first.
 */
export const checkSecret = (origin: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const keys = yield* InstallationKeys
    const check = findSingle(Schema.Struct({ sealed: Schema.String }), () => sql`select sealed from secret_check`)

    const fresh = yield* vault.seal(cell, text)
    const made = yield* sql`insert into secret_check (sealed) values (${fresh}) on conflict do nothing returning only_row`
    if (made.length > 0) return yield* keys.keep(hashesKeyName, randomBytes(32))
    const opener = vault.openerOf(cell, (yield* check()).sealed)
    if (opener === null) {
      return yield* new WrongSecret({
        message: `${origin} is not the secret that this database is sealed with. ` +
          "Use the secret of the other processes, or restore the original one: without it, channels and tokens cannot be read."
      })
    }
    if (Option.isSome(yield* keys.find(hashesKeyName))) return
    // An earlier version derived these keys from the secret: hashes are still found, and links in mails and calendars still open.
    yield* keys.keep(hashesKeyName, opener.formerHashing)
    yield* keys.keep(formerLinksKeyName, opener.formerHashing)
  }).pipe(
    (work) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(work)),
    Effect.provide(InstallationKeys.Default),
    Effect.withSpan("SecretCheck.check")
  )
