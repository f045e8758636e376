/** The connection pool to PostgreSQL, to a given server or to the embedded one. */
import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Duration, Effect, Layer, Predicate, Redacted, Schedule } from "effect"
import { Socket } from "node:net"
import { Client, type ClientConfig, type CustomTypesConfig, Pool, type PoolClient, types as pgTypes } from "pg"
import { restartForever } from "../../loops/RestartForever.ts"
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
  /** How long the server may leave a statement without a word before the connection is given up, ms; 45 s by default. */
  readonly silence?: number
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

/** Longer than most statements may take: a server that is gone without a word would be waited for by the hour. */
const usualSilence = 45_000

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

/** Whether a statement is under way, as the driver keeps it; it says so to nobody else. */
const isAtWork = (client: PoolClient): boolean => Predicate.hasProperty(client, "readyForQuery") && client.readyForQuery === false

/** A statement is looked at so often before its connection is given up. */
const looks = 3

/** Whether the server works on the client's statement still, as another connection hears; not if none can be had. */
const isWorkedOn = (connection: ClientConfig, client: PoolClient): Effect.Effect<boolean> =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Client(connection).on("error", () => {})),
    (other) =>
      Effect.tryPromise(async () => {
        await other.connect()
        const backend = Predicate.hasProperty(client, "processID") ? client.processID : null
        const { rowCount } = await other.query("select 1 from pg_stat_activity where pid = $1 and state = 'active'", [backend])
        return rowCount === 1
      }).pipe(Effect.timeout("10 seconds"), Effect.orElseSucceed(() => false)),
    (other) => Effect.sync(() => void other.end().catch(() => {}))
  )

/**
 * Gives up connections whose statement the server neither answers nor refuses nor works on. By looks and not by a clock: a
 * machine that was asleep has not waited.
 */
const watch = (pool: Pool, connection: ClientConfig, silence: number) => {
  const watched = new Map<PoolClient, { readonly bytes: number; readonly looks: number }>()
  pool.on("connect", (client) => void watched.set(client, { bytes: 0, looks: 0 }))
  pool.on("remove", (client) => void watched.delete(client))
  const look = Effect.suspend(() =>
    Effect.forEach([...watched], ([client, before]) => {
      const { stream } = client.connection
      if (!(stream instanceof Socket)) return Effect.void
      const bytes = stream.bytesRead + stream.bytesWritten
      const silent = isAtWork(client) && bytes === before.bytes ? before.looks + 1 : 0
      watched.set(client, { bytes, looks: silent % looks })
      if (silent < looks) return Effect.void
      return Effect.map(isWorkedOn(connection, client), (isWorking) => {
        const isSilent = stream.bytesRead + stream.bytesWritten === bytes
        if (!isWorking && isSilent) stream.destroy(new Error("Connection terminated: the server did not answer"))
      })
    }, { concurrency: "unbounded", discard: true })
  )
  return restartForever("Watching the connections", Effect.forever(Effect.delay(look, Duration.millis(silence / looks)))).pipe(
    // Real time, whatever clock the work goes by.
    Effect.withClock(Clock.make()),
    // The pool may be made where nothing else is, and ends all the same.
    Effect.interruptible,
    Effect.forkScoped
  )
}

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
    yield* watch(pool, connection, options.silence ?? usualSilence)
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
