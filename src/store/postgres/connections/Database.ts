/** The connection pool of a PostgreSQL server, external or embedded. */
import * as Reactivity from "@effect/experimental/Reactivity"
import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { type Cause, Context, Effect, Layer, Option, Redacted, Schedule } from "effect"
import { type ClientConfig, type CustomTypesConfig, type Pool, types as pgTypes } from "pg"
import { type ServerFacts, serverRefusal, transactionPooler } from "../../../domain/health/DatabaseFitness.ts"
import type { TroubleMemory } from "../../../domain/health/DatabaseTrouble.ts"
import { urgently } from "../../../loops/WorkPriority.ts"
import { DatabaseUnavailable } from "../DatabaseUnavailable.ts"
import type { ServerAddress } from "../embedded/EmbeddedPostgres.ts"
import { withLeanStatements } from "../LeanStatements.ts"
import { makeWithTransaction } from "../LeanTransactions.ts"
import { makeSignals, Signals } from "../Signals.ts"
import { makeStatementNames } from "../StatementNames.ts"
import { nameStatements } from "./Pipeline.ts"
import { measurePool } from "./PoolMetrics.ts"
import { PriorityPool, watchOverload } from "./PriorityPool.ts"
import { makeReading, onPrimary, type Reading } from "./ReadReplica.ts"
import { watchTrouble } from "./ServerTrouble.ts"
import { prepareReader, prepareSession } from "./Session.ts"
import { watchSilence } from "./SilentConnections.ts"
import { sharesConnections } from "./TransactionPooler.ts"

/** The server's address: a `postgresql://` URL, or the connection details of the embedded server. */
export type DatabaseAddress =
  | Redacted.Redacted
  | ServerAddress

export interface PoolOptions {
  readonly maxConnections: number
  /** The name of the connections in `pg_stat_activity`. */
  readonly applicationName: string
  /** A standby that long reads may use; it may be away. */
  readonly replica?: Redacted.Redacted
  /** How long a statement may go without a received byte before the server is asked about it, ms; 12 s by default. */
  readonly silence?: number
}

/** Access to the database outside the pool. */
export class Database extends Context.Tag("belltower/Database")<Database, {
  /** Configures connections outside the pool, such as the one that runs LISTEN. */
  readonly connection: ClientConfig
  /** Fails when the database does not respond within a second, or lacks what statements need. Used for readiness. */
  readonly ping: Effect.Effect<void, DatabaseUnavailable>
  /** Reads that a standby may answer. */
  readonly reading: Reading
}>() {}

/** The type OIDs of `pg_type` whose default parsers do not fit. */
const int8 = 20
const date = 1082

/**
 * Parses `bigint` as a number (the stored ones are counts and durations, far below 2^53) and `date` as text, because pg
 * would return local midnight. The defaults stay: `timestamptz` as Date, `bytea` as Buffer, `numeric` as text.
 */
const types: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    format !== "binary" && oid === int8
      ? Number
      : format !== "binary" && oid === date
      ? String
      : pgTypes.getTypeParser(oid, format)
}

/** Much shorter than `statement_timeout`: before it ends a statement, the watchdog asks the server whether it works on it. */
const usualSilence = 12_000

/** How to connect to a server; `applicationName` is the name of the connections in `pg_stat_activity`. */
export const connectionOf = (address: DatabaseAddress, applicationName: string): ClientConfig => ({
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  ...(Redacted.isRedacted(address)
    ? { connectionString: Redacted.value(address) }
    : {
      host: address.host,
      port: address.port,
      user: address.username,
      password: Redacted.value(address.password),
      database: address.database
    }),
  application_name: applicationName,
  types
})

/** A failed connection tries each address of the host; these are the failures of all of them. */
const failuresOf = (cause: unknown): ReadonlyArray<unknown> => (cause instanceof AggregateError ? cause.errors : [cause])

const messageOf = (cause: unknown): string =>
  failuresOf(cause).map((one) => (one instanceof Error ? one.message : String(one))).join(", ")

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""

/** Failures of a server that is still starting: no listener, no DNS name yet, starting up, no free connection yet. */
const startingCodes = ["ECONNREFUSED", "ENOENT", "EAI_AGAIN", "57P03", "53300"]

/** Asks for `ServerFacts`: the first statement of a pool. */
export const askFacts = `
  select current_setting('server_version_num')::int as version, current_setting('server_version') as "versionText",
         current_setting('server_encoding') as encoding, current_setting('transaction_read_only') = 'on' as "isReadOnly"`

const readFacts = async (pool: Pool): Promise<ServerFacts | undefined> => {
  const { rows: [facts] } = await pool.query<ServerFacts>(askFacts)
  return facts
}

/** Waits up to 10 s for a server that is still starting. Any other failure is reported immediately. */
const answerOf = <A>(ask: Effect.Effect<A, Cause.UnknownException>): Effect.Effect<A, DatabaseUnavailable> =>
  ask.pipe(
    Effect.retry({
      while: ({ error }) => failuresOf(error).some((one) => startingCodes.includes(codeOf(one))),
      schedule: Schedule.spaced("250 millis"),
      times: 40
    }),
    Effect.mapError(({ error }) =>
      new DatabaseUnavailable({ message: `Cannot connect to the database: ${messageOf(error)}`, cause: error })
    )
  )

const refusedIf = (message: string | null) => message === null ? Effect.void : Effect.fail(new DatabaseUnavailable({ message }))

/** Connects to the server, and fails if it cannot be used. */
const connect = (pool: Pool, connection: ClientConfig) =>
  Effect.gen(function*() {
    const facts = yield* answerOf(Effect.tryPromise(() => readFacts(pool)))
    yield* refusedIf(facts === undefined ? null : serverRefusal(facts))
    const isShared = yield* answerOf(sharesConnections(connection))
    yield* refusedIf(isShared ? `${transactionPooler.fault}. ${transactionPooler.advice}` : null)
  })

/** Connections that nobody used for this long are closed, ms. Opening one costs as much as ten statements. */
const idleTimeout = 5 * 60_000

const acquirePool = (
  connection: ClientConfig,
  { maxConnections, silence = usualSilence }: PoolOptions,
  onConnect: typeof prepareSession
) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const names = makeStatementNames()
      const pool = new PriorityPool({
        ...connection,
        pipeline: true,
        max: maxConnections,
        idleTimeoutMillis: idleTimeout,
        onConnect
      })
      // The pool replaces a connection that fails while idle. Without a listener, the error would crash the process.
      pool.on("error", () => {})
      pool.on("connect", (client) => nameStatements(names, client))
      return pool
    }),
    (pool) => Effect.promise(() => pool.end()).pipe(Effect.interruptible, Effect.timeoutOption("2 seconds"))
  ).pipe(Effect.tap((pool) => Effect.zipRight(watchSilence(pool, connection, silence), watchOverload(pool))))

/** The reads that a standby answers, as long as it is there. */
const readingOf = (sql: SqlClient.SqlClient, options: PoolOptions) =>
  options.replica === undefined
    ? Effect.succeed(onPrimary)
    : Effect.map(
      acquirePool(connectionOf(options.replica, `${options.applicationName} reads`), options, prepareReader),
      (replica) => makeReading(sql, replica)
    )

const pingOf = (sql: SqlClient.SqlClient, trouble: TroubleMemory) =>
  sql`select 1`.pipe(
    // A dead pooled connection is only detected when it is used.
    Effect.retry({ times: 2 }),
    // If the server hangs, canceling the query hangs too.
    Effect.disconnect,
    Effect.timeout("1 second"),
    Effect.mapError((cause) => new DatabaseUnavailable({ message: "The database did not respond", cause })),
    // A server without room or connections answers this statement, and refuses others. What is lacking explains a failure better.
    Effect.exit,
    Effect.flatMap((exit) =>
      Option.match(Option.fromNullable(trouble.current(performance.now())), {
        onNone: () => exit,
        onSome: (message) => Effect.fail(new DatabaseUnavailable({ message }))
      })
    ),
    Effect.asVoid,
    urgently
  )

/** Everything that runs on a database. */
type DatabaseLayer = Layer.Layer<Database | PgClient.PgClient | Signals | SqlClient.SqlClient, DatabaseUnavailable>

/** A client whose transactions send their signals when they have ended. */
const clientOf = (pool: Pool, connection: ClientConfig) =>
  Layer.scopedContext(Effect.gen(function*() {
    const { withSignals, ...signals } = yield* makeSignals(connection)
    const client = withLeanStatements(yield* PgClient.fromPool({ acquire: Effect.succeed(pool) }), pool)
    Object.assign(client, { withTransaction: withSignals(makeWithTransaction(pool)) })
    return Context.make(PgClient.PgClient, client).pipe(
      Context.add(SqlClient.SqlClient, client),
      Context.add(Signals, signals)
    )
  }))

/** Column names stay as written in the SQL, without transforms. */
export const layer = (
  address: DatabaseAddress,
  options: PoolOptions
): DatabaseLayer =>
  Layer.unwrapScoped(Effect.gen(function*() {
    const connection = connectionOf(address, options.applicationName)
    const pool = yield* acquirePool(connection, options, prepareSession)
    yield* Effect.acquireRelease(Effect.sync(() => measurePool(pool)), (end) => Effect.sync(end))
    yield* Effect.sync(() => watchTrouble(pool))
    yield* connect(pool, connection)
    const client = clientOf(pool, connection).pipe(Layer.provide(Reactivity.layer), Layer.orDie)
    const database = Layer.scoped(
      Database,
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        return { connection, ping: pingOf(sql, pool.trouble), reading: yield* readingOf(sql, options) }
      })
    )
    return Layer.provideMerge(database, client)
  }))
