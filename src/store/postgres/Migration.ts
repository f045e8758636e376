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

interface Recorded {
  /** Without its layout, which does not change what it does. */
  readonly text: string
  readonly values: ReadonlyArray<unknown>
}

/** Notes statements in place of running them. All of them return no rows. */
const recorderOf = (recorded: Array<Recorded>): SqlConnection.Connection => {
  const note = (text: string, values: ReadonlyArray<unknown>) =>
    Effect.sync(() => {
      recorded.push({ text: text.replaceAll(/\s+/g, " ").trim(), values })
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

/** The statements that a migration runs, taken without a database. */
export const recordedOf = (migration: Migration): Effect.Effect<ReadonlyArray<Recorded>> =>
  Effect.gen(function*() {
    const recorded: Array<Recorded> = []
    const sql = yield* SqlClient.make({
      acquirer: Effect.succeed(recorderOf(recorded)),
      compiler: PgClient.makeCompiler(),
      spanAttributes: []
    })
    yield* Effect.provideService(statementsOf(migration), SqlClient.SqlClient, sql)
    return recorded
  }).pipe(Effect.provide(Reactivity.layer), Effect.orDie)

/**
 * The SHA-256 of the statements that a migration runs. Comments, names and layout of its source do not count, so builds and formatters
 * do not change it.
 */
export const checksumOf = (migration: Migration): Effect.Effect<string> =>
  Effect.map(recordedOf(migration), (recorded) => {
    const lines = recorded.map(({ text, values }) => JSON.stringify([text, values]))
    return createHash("sha256").update(lines.join("\n"), "utf8").digest("hex")
  })
