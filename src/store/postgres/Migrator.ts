/** Runs the migrations that a database lacks, each in a transaction of its own, without blocking those who use the database. */
import * as Reactivity from "@effect/experimental/Reactivity"
import { SqlClient, type SqlError } from "@effect/sql"
import { Data, Effect } from "effect"
import {
  type AppliedMigration,
  type KnownMigration,
  type MigrationPlan,
  planMigrations
} from "../../domain/health/MigrationPlan.ts"
import { programCommand } from "../../domain/workspace/ProgramCommand.ts"
import { reasonOf } from "../../loops/Outage.ts"
import { Database } from "./connections/Database.ts"
import { acquireSession } from "./connections/OwnSession.ts"
import { checksumOf, type Migration, OutsideTransaction, statementsOf } from "./Migration.ts"
import { isDeadlock, isLockNotAvailable } from "./PostgresErrors.ts"

/** The database cannot get the schema of this version. `message` is one line for the operator. */
class MigrationError extends Data.TaggedError("MigrationError")<{ readonly message: string; readonly cause?: unknown }> {}

const table = "migrations"

/** An advisory lock with two keys, which cannot collide with the cluster's shard locks of one key. */
const lock = [0x62656c6c, 1] as const

/** How often the server looks whether the process of a running statement is still there, ms. */
const lookForClientMs = "2000"

/** How often a process checks whether another has finished migrating. */
const lookEvery = "250 millis"

/** Between two attempts to get a lock, so that those who waited behind the first one go on. */
const pause = "1 second"

/** Logged at the first failed attempt, then each time this many more have failed. */
const attemptsPerLine = 30

/**
 * How long a migration waits for a lock, ms. All who want the same table wait behind it meanwhile. Every fifth attempt is longer than
 * `deadlock_timeout` (1 s by default), after which PostgreSQL interrupts an autovacuum that is in the way.
 */
const patienceOf = (attempt: number): number => attempt % 5 === 0 ? 1500 : 250

/** A migration is stored as its number and the rest of its name. */
const rowOf = (name: string) => ({ id: Number(name.slice(0, 4)), rest: name.slice(5) })
const nameOf = (id: number, rest: string): string => `${String(id).padStart(4, "0")}_${rest}`

interface Row {
  readonly id: number
  readonly name: string
  readonly checksum: string
  readonly appliedBy: string
}

const readApplied = Effect.fn("Migrator.readApplied")(function*(sql: SqlClient.SqlClient) {
  const [found] = yield* sql<{ readonly exists: boolean }>`select to_regclass(${table}) is not null as exists`
  if (found?.exists !== true) return []
  const rows = yield* sql<Row>`
    select migration_id as id, name, checksum, applied_by as "appliedBy" from ${sql(table)} order by migration_id`
  return rows.map(({ id, name, ...row }): AppliedMigration => ({ ...row, name: nameOf(id, name) }))
})

const createTable = (sql: SqlClient.SqlClient) =>
  Effect.asVoid(sql`
    create table if not exists ${sql(table)} (
      migration_id integer primary key,
      created_at timestamptz not null default now(),
      name text not null,
      checksum text not null,
      applied_by text not null
    )`)

/** The transaction that has been open for longest, for the operator: most likely it holds the lock. */
const oldestTransaction = Effect.fn("Migrator.oldestTransaction")(function*(sql: SqlClient.SqlClient) {
  const [row] = yield* sql<{ readonly text: string }>`
    select format('process %s (%s) since %s', pid, coalesce(nullif(application_name, ''), usename), xact_start) as text
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
    order by xact_start limit 1`
  return row === undefined ? "" : ` The oldest open transaction: ${row.text}.`
})

/** Tries again until nobody else holds the locks: a long reader, such as a dump, only delays the migration. */
const withPatience = <E, R>(sql: SqlClient.SqlClient, what: string, work: Effect.Effect<void, E, R>) => {
  const attempt = (number: number): Effect.Effect<void, E | SqlError.SqlError, R> =>
    sql`select set_config('lock_timeout', ${String(patienceOf(number))}, false)`.pipe(
      Effect.zipRight(work),
      Effect.catchIf((error) => isLockNotAvailable(error) || isDeadlock(error), () => {
        const said = number % attemptsPerLine !== 1 ? Effect.void : Effect.flatMap(
          oldestTransaction(sql),
          (oldest) => Effect.logWarning(`${what} waits for transactions that use its tables; trying every second.${oldest}`)
        )
        return said.pipe(Effect.zipRight(Effect.sleep(pause)), Effect.zipRight(attempt(number + 1)))
      })
    )
  return attempt(1)
}

/** The migrations of a version: all that exist, by number and name. */
export const makeMigrator = (migrations: Readonly<Record<string, Migration>>) => {
  const known = Effect.cached(
    Effect.forEach(
      Object.entries(migrations),
      ([name, migration]) => Effect.map(checksumOf(migration), (checksum): KnownMigration => ({ name, checksum }))
    )
  ).pipe(Effect.runSync)
  const newest = Object.keys(migrations).sort().at(-1) ?? ""

  const planFor = (sql: SqlClient.SqlClient) =>
    Effect.flatMap(Effect.all([known, readApplied(sql)]), ([ours, applied]) => {
      const plan = planMigrations(ours, applied)
      return plan._tag === "Refuse" ? Effect.fail(new MigrationError({ message: plan.message })) : Effect.succeed(plan)
    })

  const warnOf = ({ warning }: Extract<MigrationPlan, { readonly _tag: "Proceed" }>) =>
    warning === null ? Effect.void : Effect.logWarning(warning)

  const record = Effect.fn("Migrator.record")(function*(sql: SqlClient.SqlClient, { checksum, name }: KnownMigration) {
    const { id, rest } = rowOf(name)
    yield* sql`
      insert into ${sql(table)} (migration_id, name, checksum, applied_by) values (${id}, ${rest}, ${checksum}, ${newest})`
  })

  const apply = Effect.fn("Migrator.apply")(function*(sql: SqlClient.SqlClient, name: string) {
    const migration = migrations[name]
    const ours = (yield* known).find((one) => one.name === name)
    if (migration === undefined || ours === undefined) return yield* Effect.dieMessage(`There is no migration ${name}`)
    const statements = Effect.provideService(statementsOf(migration), SqlClient.SqlClient, sql)
    yield* (migration instanceof OutsideTransaction
      // Its locks block nobody, so it may wait for as long as it takes.
      ? sql`select set_config('lock_timeout', '0', false)`.pipe(
        Effect.zipRight(statements),
        Effect.zipRight(record(sql, ours))
      )
      : withPatience(sql, `Migration ${name}`, sql.withTransaction(Effect.zipRight(statements, record(sql, ours)))))
      .pipe(
        Effect.mapError((cause) =>
          new MigrationError({
            message: `Migration ${name} failed: ${
              reasonOf(cause)
            }. The migrations before it are kept; remove the cause, then start again.`,
            cause
          })
        )
      )
  })

  /** Whether this session alone may migrate. A statement that waited for the lock would block index builds. */
  const tryLock = (sql: SqlClient.SqlClient) =>
    Effect.map(
      sql<{ readonly taken: boolean }>`select pg_try_advisory_lock(${lock[0]}::int, ${lock[1]}::int) as taken`,
      ([row]) => row?.taken === true
    )

  const migrateIn = (
    sql: SqlClient.SqlClient,
    isFirstLook = true
  ): Effect.Effect<ReadonlyArray<string>, MigrationError | SqlError.SqlError> =>
    Effect.gen(function*() {
      const before = yield* planFor(sql)
      if (before.pending.length === 0) return yield* Effect.as(warnOf(before), [])
      if (!(yield* tryLock(sql))) {
        if (isFirstLook) yield* Effect.logInfo("Another process is migrating the database; waiting for it")
        return yield* Effect.delay(migrateIn(sql, false), lookEvery)
      }
      // Another process may have finished in between.
      const plan = yield* planFor(sql)
      yield* warnOf(plan)
      yield* withPatience(sql, "Recording migrations", createTable(sql))
      yield* Effect.forEach(plan.pending, (name) => apply(sql, name), { discard: true })
      return plan.pending
    })

  return {
    known,
    /** Runs the migrations that the database lacks; their names. Processes that start together take turns. */
    migrate: Effect.gen(function*() {
      const { connection } = yield* Database
      const sql = yield* acquireSession(connection, "migration")
      // A long migration is no fault.
      yield* sql`select set_config('statement_timeout', '0', false), set_config('idle_in_transaction_session_timeout', '0', false)`
      // A statement whose process was killed would run on, for hours where it waits, and hold the lock. Not every system can look.
      yield* Effect.ignore(sql`select set_config('client_connection_check_interval', ${lookForClientMs}, false)`)
      return yield* migrateIn(sql)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.withSpan("Migrator.migrate")),
    /** The migrations that the database lacks. Fails if this version must not use it. Changes nothing. */
    plan: Effect.flatMap(SqlClient.SqlClient, planFor),
    /** Fails unless the database has the schema of this version. */
    verify: Effect.gen(function*() {
      const plan = yield* Effect.flatMap(SqlClient.SqlClient, planFor)
      yield* warnOf(plan)
      if (plan.pending.length > 0) {
        return yield* new MigrationError({
          message: `The database does not have the schema of this version. Run "${
            programCommand("migrate")
          }" with the same settings, then try again.`
        })
      }
    }).pipe(Effect.withSpan("Migrator.verify"))
  }
}
