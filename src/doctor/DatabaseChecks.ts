/** Examines the database as a process would use it. Writes nothing. */
import * as Reactivity from "@effect/experimental/Reactivity"
import { SqlClient } from "@effect/sql"
import { Clock, Effect, Option, Redacted, Scope } from "effect"
import { access } from "node:fs/promises"
import { join } from "node:path"
import type { ClientConfig } from "pg"
import { parsedUrl } from "../../schema/UrlText.ts"
import { isInFile, secretOrigin, secretsOf } from "../deployment/DeploymentSecrets.ts"
import { clockSeen } from "../domain/health/ClockDiagnosis.ts"
import {
  connectionsSeen,
  type DatabaseFacts,
  durabilitySeen,
  type ReplicationSlot,
  rightsSeen,
  slotsSeen,
  upkeepSeen
} from "../domain/health/DatabaseDiagnosis.ts"
import { type ServerFacts, serverRefusal, transactionPooler } from "../domain/health/DatabaseFitness.ts"
import { readOnly } from "../domain/health/DatabaseTrouble.ts"
import { failed, fine, orFine, type Seen, skipped, warning } from "../domain/health/Diagnosis.ts"
import { programCommand } from "../domain/workspace/ProgramCommand.ts"
import { askFacts, connectionOf } from "../store/postgres/connections/Database.ts"
import { acquireSession } from "../store/postgres/connections/OwnSession.ts"
import { sharesConnections } from "../store/postgres/connections/TransactionPooler.ts"
import type { DatabaseUnavailable } from "../store/postgres/DatabaseUnavailable.ts"
import { servedByAnother } from "../store/postgres/embedded/EmbeddedPostgres.ts"
import { plan } from "../store/postgres/Migrations.ts"
import { opensDatabase } from "../store/SecretCheck.ts"
import { secretFile } from "../store/SecretFile.ts"
import { Vault } from "../store/Vault.ts"
import { type Diagnoses, examine, examineFirst, type Patient, together } from "./Examine.ts"

/** Where the database of the process is; none if it is built in and does not run. */
export const connectionFor = ({ settings }: Patient): Effect.Effect<Option.Option<ClientConfig>, DatabaseUnavailable> =>
  Effect.map(
    Option.isSome(settings.databaseUrl)
      ? Effect.succeed(settings.databaseUrl)
      : Effect.map(servedByAnother(join(settings.dataDir, "postgres")), Option.map((address) => Redacted.make(address))),
    Option.map((address) => connectionOf(address, "belltower doctor"))
  )

export const sessionFor = (connection: ClientConfig) => Effect.provide(acquireSession(connection, ""), Reactivity.layer)

const askAll = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  const [facts] = yield* sql<DatabaseFacts>`
    with own as (
      select c.relkind, c.oid from pg_class c where c.relnamespace = current_schema()::text::regnamespace and c.relkind in ('r', 'p')
    )
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as connections,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as taken,
      (select count(*)::int from pg_stat_activity where application_name like 'belltower%'
        and application_name not like 'belltower doctor%') as ours,
      (select rolconnlimit from pg_roles where rolname = current_user) as "userLimit",
      (select datconnlimit from pg_database where datname = current_database()) as "databaseLimit",
      current_schema()::text as schema,
      coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreate",
      (select count(*)::int from own where to_regclass('migrations') is not null
        and not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
          and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))) as "lockedTables",
      current_setting('synchronous_commit') as "synchronousCommit", current_setting('fsync') as fsync,
      current_setting('full_page_writes') as "fullPageWrites", current_setting('autovacuum') as autovacuum,
      (select age(datfrozenxid) from pg_database where datname = current_database()) as "freezeAge",
      (select extract(epoch from max(now() - xact_start))::float8 from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()) as "oldestTransactionSec",
      (select count(*)::int from pg_stat_replication) as standbys,
      current_setting('synchronous_standby_names') as "synchronousStandbys"`
  return facts ?? (yield* Effect.dieMessage("The database answered nothing"))
})

const askSlots = (sql: SqlClient.SqlClient) =>
  sql<ReplicationSlot>`
    select slot_name::text as name, active as "isActive", coalesce(wal_status, '') as "walStatus",
      coalesce(pg_wal_lsn_diff(
        case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, restart_lsn
      ), 0)::float8 as bytes
    from pg_replication_slots`

const reach = "Check DATABASE_URL, the server, its pg_hba.conf, firewalls between, and how many connections are left."

const lookServer = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, where: string) {
  const before = yield* Clock.currentTimeMillis
  const [facts] = yield* sql.unsafe<ServerFacts & { readonly isReadOnly: boolean }>(askFacts)
  const ms = (yield* Clock.currentTimeMillis) - before
  if (facts?.isReadOnly === true) return [failed(readOnly.fault, readOnly.advice)]
  const refusal = facts === undefined ? "The server answered nothing" : serverRefusal(facts)
  return refusal === null
    ? [
      fine(
        `PostgreSQL ${facts?.versionText} at ${where} answers in ${ms} ms, with the encoding ${facts?.encoding}; no extension is needed`
      )
    ]
    : [failed(refusal, "Belltower does not start on it.")]
})

const lookClock = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  const before = yield* Clock.currentTimeMillis
  const [row] = yield* sql<{ readonly now: Date }>`select clock_timestamp() as now`
  const after = yield* Clock.currentTimeMillis
  const theirs = row?.now.getTime() ?? after
  return [clockSeen("the database's", (before + after) / 2 - theirs, (after - before) / 2 + 1)]
})

const lookMigrations = (migrates: boolean) =>
  Effect.map(plan, ({ pending, warning: said }): ReadonlyArray<Seen> => {
    const names = `${pending.length} (${pending.slice(0, 3).join(", ")}${pending.length > 3 ? ", ..." : ""})`
    const waiting = pending.length === 0 ? [] : migrates
      ? [warning(`The database lacks migrations: ${names}`, "The next start of a server applies them.")]
      : [failed(`The database lacks migrations: ${names}`, `Run "${programCommand("migrate")}".`)]
    return orFine(
      [...waiting, ...(said === null ? [] : [warning(said, "Finish the upgrade, or install the newer version here, too.")])],
      "The database has the schema of this version"
    )
  })

const exists = (path: string) => Effect.isSuccess(Effect.tryPromise(() => access(path)))

const lookSecret = Effect.fnUntraced(function*({ settings }: Patient, sql: SqlClient.SqlClient) {
  const [migrated] = yield* sql<{ readonly is: boolean }>`select to_regclass('secret_check') is not null as is`
  const sealed = migrated?.is === true ? yield* sql`select from secret_check` : []
  const isMissing = isInFile(settings) && !(yield* exists(secretFile(settings.dataDir)))
  if (isMissing && Option.isNone(settings.databaseUrl)) {
    const file = secretFile(settings.dataDir)
    return [
      sealed.length === 0
        ? skipped(`There is no secret yet; the first start writes ${file}`)
        : failed(`${file} is gone, and the database is sealed with it`, "Restore it: without it, no process starts again.")
    ]
  }
  const { present, previous } = yield* secretsOf(settings)
  const opens = sealed.length === 0 ? Option.none() : yield* opensDatabase.pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.provide(Vault.layer(present, previous))
  )
  return Option.match(opens, {
    onNone: (): ReadonlyArray<Seen> => [fine(`${secretOrigin(settings)} can be read; nothing is sealed yet`)],
    onSome: (isRight) =>
      isRight ? [fine(`${secretOrigin(settings)} opens what is sealed in the database`)] : [failed(
        `${secretOrigin(settings)} is not the secret that this database is sealed with`,
        "Use the secret of the other processes, or restore the original one."
      )]
  })
})

/** Less than a check may take. A notification that takes longer than this never comes. */
const patience = "3 seconds"

const lookNotifications = (connection: ClientConfig) =>
  Effect.map(sharesConnections(connection, patience), (isShared) => [
    isShared
      ? failed(transactionPooler.fault, transactionPooler.advice)
      : fine("A notification (NOTIFY) reached another session (LISTEN); no pooler shares connections between transactions")
  ])

const others = [
  "database rights",
  "database clock",
  "connections",
  "durability",
  "upkeep",
  "replication slots",
  "migrations",
  "secret",
  "notifications"
]

const examineSession = Effect.fnUntraced(function*(patient: Patient, sql: SqlClient.SqlClient) {
  const { settings } = patient
  const asked = yield* Effect.cached(askAll(sql))
  const ask = (check: string, judge: (facts: DatabaseFacts) => ReadonlyArray<Seen>) =>
    examine(check, reach, Effect.map(asked, judge))
  return yield* together([
    ask("database rights", rightsSeen),
    examine("database clock", reach, lookClock(sql)),
    ask("connections", (facts) => connectionsSeen(facts, settings.databasePool)),
    ask("durability", durabilitySeen),
    ask("upkeep", upkeepSeen),
    examine("replication slots", reach, Effect.map(askSlots(sql), slotsSeen)),
    examine(
      "migrations",
      "Install the version that migrated the database, or restore a backup.",
      Effect.provideService(lookMigrations(settings.migrates), SqlClient.SqlClient, sql)
    ),
    examine("secret", "Set BELLTOWER_SECRET as on the other processes.", lookSecret(patient, sql))
  ])
})

const addressText = ({ connectionString, database, host, port }: ClientConfig): string => {
  const url = parsedUrl(connectionString ?? "")
  return url === null
    ? `${host}:${port}/${database}`
    : `${url.searchParams.get("host") ?? url.hostname}:${url.port === "" ? 5432 : url.port}${url.pathname}`
}

const examineAt = (patient: Patient, connection: ClientConfig): Diagnoses =>
  Effect.scopedWith((scope) => {
    // The session outlives the check that opens it.
    const look = Effect.flatMap(Effect.provideService(sessionFor(connection), Scope.Scope, scope), (sql) =>
      Effect.map(lookServer(sql, addressText(connection)), (seen) => ({ answer: sql, seen })))
    return examineFirst("database", reach, look, others, (sql) =>
      together([
        examineSession(patient, sql),
        examine("notifications", transactionPooler.advice, lookNotifications(connection))
      ]))
  })

const notRunning = skipped("The built-in database does not run; it starts with the program. Run this again while it runs")

/** Everything about the database; for roles without one, that there is none. */
export const examineDatabase = (patient: Patient): Diagnoses => {
  if (patient.role === "probe") return Effect.succeed([{ ...skipped("A probe has no database"), check: "database" }])
  return Effect.matchEffect(connectionFor(patient), {
    onFailure: ({ message }) => Effect.succeed([{ ...failed(message, reach), check: "database" }]),
    onSuccess: Option.match({
      onNone: () => Effect.succeed([{ ...notRunning, check: "database" }]),
      onSome: (connection) => examineAt(patient, connection)
    })
  })
}
