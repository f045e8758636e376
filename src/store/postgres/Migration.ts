/** A step of the schema, and the checksum of its statements. */
import * as Reactivity from "@effect/experimental/Reactivity"
import { SqlClient, type SqlConnection } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Effect, Stream } from "effect"
import { createHash } from "node:crypto"

/** The statements of a migration, which do not depend on what they read: the checksum is taken without a database. */
type Statements = Effect.Effect<unknown, unknown, SqlClient.SqlClient>

/**
 * Statements that run outside a transaction, such as CREATE INDEX CONCURRENTLY, and block nobody. If the process ends in between, all of
 * them run again, so each of them must be repeatable.
 */
export class OutsideTransaction {
  readonly statements: Statements

  constructor(statements: Statements) {
    this.statements = statements
  }
}

/** Statements alone run in one transaction. */
export type Migration = Statements | OutsideTransaction

export const statementsOf = (migration: Migration): Statements =>
  migration instanceof OutsideTransaction ? migration.statements : migration

/** Notes statements in place of running them. All of them return no rows. */
const recorderOf = (texts: Array<string>): SqlConnection.Connection => {
  const note = (text: string, values: ReadonlyArray<unknown>) =>
    Effect.sync(() => {
      // How a statement is laid out does not change what it does.
      texts.push(JSON.stringify([text.replaceAll(/\s+/g, " ").trim(), values]))
      return []
    })
  return {
    execute: note,
    executeRaw: note,
    executeValues: note,
    executeUnprepared: note,
    executeStream: () => Stream.dieMessage("Statements of migrations are not streamed")
  }
}

/**
 * The SHA-256 of the statements that a migration runs. Comments, names and layout of its source do not count, so builds and formatters
 * do not change it.
 */
export const checksumOf = (migration: Migration): Effect.Effect<string> =>
  Effect.gen(function*() {
    const texts: Array<string> = []
    const sql = yield* SqlClient.make({
      acquirer: Effect.succeed(recorderOf(texts)),
      compiler: PgClient.makeCompiler(),
      spanAttributes: []
    })
    yield* Effect.provideService(statementsOf(migration), SqlClient.SqlClient, sql)
    return createHash("sha256").update(texts.join("\n"), "utf8").digest("hex")
  }).pipe(Effect.provide(Reactivity.layer), Effect.orDie)
