/** Fills a database with the content of a backup or of another database. Until all of it is there, no process starts on it. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option, type Scope } from "effect"
import { Client } from "pg"
import type { BackupHead, TableCount } from "../../domain/backup/BackupRecords.ts"
import type { FillWish } from "../../domain/backup/BackupWish.ts"
import { type MigrationPlan, planMigrations } from "../../domain/health/MigrationPlan.ts"
import { programCommand } from "../../domain/workspace/ProgramCommand.ts"
import { reasonOf } from "../../loops/Outage.ts"
import { Database } from "../postgres/connections/Database.ts"
import { closed } from "../postgres/connections/OwnConnections.ts"
import { bringTo, knownMigrations, newestMigrations } from "../postgres/Migrations.ts"
import { endSetAside, setAside, setAsideMark } from "../postgres/SetAside.ts"
import { BackupFailed } from "./BackupFile.ts"
import { tablesQuery } from "./DumpDatabase.ts"
import { noteBackup } from "./Restores.ts"
import { forgetOffsets, forgetProcesses, settleRestore } from "./SettleRestore.ts"

/** The connections of these commands, which are no process of the service. */
export const commandName = "belltower backup"

const failed = (message: string) => new BackupFailed({ message })

/** A connection whose settings last as long as it does, and whose statements may take hours. */
export const acquireClient: Effect.Effect<Client, BackupFailed, Database | Scope.Scope> = Effect.gen(function*() {
  const { connection } = yield* Database
  const client = yield* Effect.acquireRelease(
    // The statement in progress reports the error.
    Effect.sync(() => new Client({ ...connection, application_name: commandName }).on("error", () => {})),
    closed
  )
  yield* Effect.tryPromise({
    try: () => client.connect(),
    catch: (cause) => failed(`Cannot connect to the database: ${reasonOf(cause)}`)
  })
  return client
})

/** Fails while processes use the database: what they write meanwhile would be lost. */
export const refuseInUse = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<{ readonly name: string }>`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and application_name like 'belltower%' and application_name not like ${`${commandName}%`} order by 1 limit 3`
  if (found.length === 0) return
  return yield* failed(
    `Processes of Belltower use this database (connections named ${
      found.map(({ name }) => name).join(", ")
    }). Stop all of them, ` +
      "then run this again."
  )
})

/** Only migrations that this version knows can be brought further. */
const refuseUnknown = (head: BackupHead) =>
  Effect.flatMap(knownMigrations, (known) => {
    const plan: MigrationPlan = planMigrations(known, head.migrations)
    if (plan._tag === "Refuse") return failed(`The backup does not fit this version. ${plan.message}`)
    const names = new Set(known.map(({ name }) => name))
    return head.migrations.every(({ name }) => names.has(name))
      ? Effect.void
      : failed(`Version ${head.programVersion} made this backup. Restore it with that version or a newer one.`)
  })

/** Each is a transaction of its own: a database of hundreds of partitions has more locks than one may hold. */
const removeAll = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql.unsafe<{ readonly name: string }>(tablesQuery)
  yield* Effect.forEach(tables, ({ name }) => sql`drop table if exists ${sql(name)} cascade`, { discard: true })
  const rest = yield* sql<{ readonly statement: string }>`
    select format('drop routine if exists %s cascade', oid::regprocedure) as statement from pg_proc p
    where pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    union all
    select format('drop sequence if exists %I', relname) from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'S'`
  yield* Effect.forEach(rest, ({ statement }) => sql.unsafe(statement), { discard: true })
})

/** Fails if the database holds something that was not to be replaced, or that is not Belltower's. */
const refuseFilled = Effect.fn("FillDatabase.refuseFilled")(function*(replaces: boolean) {
  const sql = yield* SqlClient.SqlClient
  const mark = yield* setAsideMark
  const tables = yield* sql.unsafe<{ readonly name: string }>(tablesQuery)
  // Rows that an earlier attempt left are nobody's.
  if (tables.length === 0 || Option.exists(mark, ({ kind }) => kind === "unfinished")) return
  if (!replaces) {
    return yield* failed("The database is not empty. Add --replace to remove all that it holds, or name an empty one.")
  }
  if (!tables.some(({ name }) => name === "migrations")) {
    return yield* failed("The database holds tables of another program, which --replace does not remove. Name an empty one.")
  }
})

const unfinished = {
  kind: "unfinished",
  reason: "A restore or move into this database has not finished, so it lacks rows. Run " +
    `"${programCommand("restore <file>")}" or "${programCommand("move-database")}" again, with the same options`
} as const

/** `load` fills the tables of the migrations that the head names, in one transaction. `finish` runs in the last one. */
const fill = Effect.fn("FillDatabase.fill")(function*<A, E, R, E2, R2>(
  head: BackupHead,
  { hasNewBrokers, replaces }: FillWish,
  load: (client: Client) => Effect.Effect<ReadonlyArray<TableCount>, E, R>,
  finish: Effect.Effect<A, E2, R2>
) {
  const sql = yield* SqlClient.SqlClient
  yield* refuseInUse
  yield* refuseUnknown(head)
  yield* refuseFilled(replaces)
  yield* setAside(unfinished)
  // A process that started in between may have looked for the mark before it was there.
  yield* refuseInUse
  yield* removeAll
  yield* bringTo(head.migrations.map(({ name }) => name))
  const tables = yield* Effect.scoped(Effect.flatMap(acquireClient, load))
  yield* bringTo(newestMigrations)
  const last = Effect.gen(function*() {
    yield* forgetProcesses
    if (hasNewBrokers) yield* forgetOffsets
    const result = yield* finish
    yield* endSetAside
    return result
  })
  return { tables, result: yield* sql.withTransaction(last) }
})

/** Fills it with a backup. What was due since then is settled, unless no process has run since. */
export const fillFromBackup = <E, R>(
  head: BackupHead,
  wish: FillWish & { readonly isStill: boolean },
  load: (client: Client) => Effect.Effect<ReadonlyArray<TableCount>, E, R>
) =>
  fill(
    head,
    wish,
    load,
    Effect.zipRight(
      noteBackup(head.takenAt),
      wish.isStill ? Effect.succeedNone : Effect.asSome(settleRestore(head.takenAt))
    )
  )

/** Fills it with another database, which no process has used since. */
export const fillFromDatabase = <E, R>(
  head: BackupHead,
  wish: FillWish,
  load: (client: Client) => Effect.Effect<ReadonlyArray<TableCount>, E, R>
) => fill(head, wish, load, Effect.void)

/** Sets a database aside that was moved. */
export const setMovedAside = Effect.flatMap(DateTime.now, (now) =>
  setAside({
    kind: "moved",
    reason:
      `This database was moved to another one at ${
        DateTime.formatIso(now)
      }, so it is out of date. Set DATABASE_URL to that one ` +
      `(unset it if it is the embedded one). To go back to this one, run "${
        programCommand("move-database --to <this one> --replace")
      }" there`
  }))
