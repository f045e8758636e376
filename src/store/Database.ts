/** The connection pool to PostgreSQL, to a given server or to the embedded one. */
import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted, Schedule } from "effect"
import { type ClientConfig, type CustomTypesConfig, Pool, types as pgTypes } from "pg"
import { DatabaseUnavailable } from "./DatabaseUnavailable.ts"
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, makeEmbeddedPostgres } from "./EmbeddedPostgres.ts"

/** Where the server is: a `postgresql://` address, or what the embedded one says of itself. */
export type DatabaseAddress =
  | Redacted.Redacted
  | Pick<EmbeddedPostgres, "host" | "port" | "username" | "database">

export interface PoolOptions {
  readonly maxConnections: number
  /** How PostgreSQL's own views name the connections. */
  readonly applicationName: string
}

/** What reaches the database beside the pool's own SQL. */
export class Database extends Context.Tag("belltower/Database")<Database, {
  /** For connections outside the pool, such as one that listens. */
  readonly connection: ClientConfig
  /** Fails when the database does not answer within a second; for readiness. */
  readonly ping: Effect.Effect<void, DatabaseUnavailable>
}>() {}

/** The object identifiers of `pg_type` whose default reading does not fit. */
const int8 = 20
const date = 1082

/**
 * `bigint` as a number (ours are counts and durations, far below 2^53) and `date` as its text, since a local midnight is
 * no day. Otherwise as always: `timestamptz` as Date, `bytea` as Buffer, `numeric` as text.
 */
const types: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    format !== "binary" && oid === int8
      ? Number
      : format !== "binary" && oid === date
      ? String
      : pgTypes.getTypeParser(oid, format)
}

const limits = {
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  statement_timeout: 30_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 60_000
}

const connectionOf = (address: DatabaseAddress, applicationName: string): ClientConfig => ({
  ...limits,
  ...(Redacted.isRedacted(address)
    ? { connectionString: Redacted.value(address) }
    : { host: address.host, port: address.port, user: address.username, database: address.database }),
  application_name: applicationName,
  types
})

/** A connection that fails tries each of a host's addresses; these are all their failures. */
const failuresOf = (cause: unknown): ReadonlyArray<unknown> => (cause instanceof AggregateError ? cause.errors : [cause])

const messageOf = (cause: unknown): string =>
  failuresOf(cause).map((one) => (one instanceof Error ? one.message : String(one))).join(", ")

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""

/** A server that is still coming, not one that refuses: no listener, no name yet, starting up, no room yet. */
const coming = ["ECONNREFUSED", "ENOENT", "EAI_AGAIN", "57P03", "53300"]

/** Waits up to 10 s for a server that is just starting; any other refusal fails at once. */
const connect = (pool: Pool) =>
  Effect.tryPromise(() => pool.query("select 1")).pipe(
    Effect.retry({
      while: ({ error }) => failuresOf(error).some((one) => coming.includes(codeOf(one))),
      schedule: Schedule.spaced("250 millis"),
      times: 40
    }),
    Effect.mapError(({ error }) =>
      new DatabaseUnavailable({ message: `Cannot connect to the database: ${messageOf(error)}`, cause: error })
    )
  )

const acquirePool = (connection: ClientConfig, maxConnections: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const pool = new Pool({ ...connection, max: maxConnections, idleTimeoutMillis: 30_000 })
      // A connection that dies idle is replaced at its next use; without a listener it would end the process.
      pool.on("error", () => {})
      return pool
    }),
    (pool) => Effect.promise(() => pool.end()).pipe(Effect.interruptible, Effect.timeoutOption("2 seconds"))
  )

const pingOf = (sql: SqlClient.SqlClient) =>
  sql`select 1`.pipe(
    // A pooled connection that has died is only found out by its use.
    Effect.retry({ times: 2 }),
    // A server that hangs also hangs the cancelling of what was asked of it.
    Effect.disconnect,
    Effect.timeout("1 second"),
    Effect.mapError((cause) => new DatabaseUnavailable({ message: "The database does not answer", cause })),
    Effect.asVoid
  )

/** Columns keep the names that the SQL gives them: no transforms. */
export const layer = (
  address: DatabaseAddress,
  options: PoolOptions
): Layer.Layer<Database | PgClient.PgClient | SqlClient.SqlClient, DatabaseUnavailable> =>
  Layer.unwrapScoped(Effect.gen(function*() {
    const connection = connectionOf(address, options.applicationName)
    const pool = yield* acquirePool(connection, options.maxConnections)
    yield* connect(pool)
    const client = PgClient.layerFromPool({ acquire: Effect.succeed(pool) }).pipe(Layer.orDie)
    const database = Layer.effect(
      Database,
      Effect.map(SqlClient.SqlClient, (sql) => ({ connection, ping: pingOf(sql) }))
    )
    return Layer.provideMerge(database, client)
  }))

/** The same on a server of this process's own, which lives as long as the layer. */
export const layerEmbedded = (
  embedded: EmbeddedPostgresOptions,
  options: PoolOptions
): Layer.Layer<Database | PgClient.PgClient | SqlClient.SqlClient, DatabaseUnavailable> =>
  Layer.unwrapScoped(Effect.map(makeEmbeddedPostgres(embedded), (server) => layer(server, options)))
