/**
 * The partitions of checks, of their history and of runs of jobs: created in advance, and dropped as a whole when they expire. New
 * checks are rows in a partition for each hour; its rows become blocks (`CompactChecks`), and then it goes.
 */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect } from "effect"
import { isLockNotAvailable } from "../postgres/PostgresErrors.ts"
import { RetentionSettings } from "./Retention.ts"

type Unit = "hour" | "day" | "month"

/** The tables with the column that they are partitioned by. */
const times = {
  checks: "at",
  check_blocks: "first_at",
  check_evidence: "at",
  job_runs: "at",
  job_logs: "at",
  check_rollups: "day",
  check_days: "day"
} as const
type Table = keyof typeof times

/** A table and its partitions: how long each covers, how many are ready in advance, and how many units of the past are kept. */
interface Partitioned {
  readonly table: Table
  readonly unit: Unit
  readonly ahead: number
  readonly keep: number
}

const digits: Record<Unit, number> = { hour: 10, day: 8, month: 6 }

const plus = (at: DateTime.Utc, unit: Unit, count: number): DateTime.Utc =>
  DateTime.add(at, unit === "hour" ? { hours: count } : unit === "day" ? { days: count } : { months: count })

const nameOf = (table: string, start: DateTime.Utc, unit: Unit): string =>
  `${table}_${DateTime.formatIso(start).replace(/[-T:]/g, "").slice(0, digits[unit])}`

/** Half hours are read for 30 days, whatever is kept of the checks. */
const rollupDays = 31

export class CheckPartitions extends Effect.Service<CheckPartitions>()("belltower/CheckPartitions", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { checksDays, historyDays } = yield* RetentionSettings

    const tables: ReadonlyArray<Partitioned> = [
      { table: "checks", unit: "hour", ahead: 6, keep: 0 },
      { table: "check_blocks", unit: "day", ahead: 2, keep: checksDays },
      { table: "check_evidence", unit: "day", ahead: 2, keep: checksDays },
      { table: "job_runs", unit: "day", ahead: 2, keep: checksDays },
      { table: "job_logs", unit: "day", ahead: 2, keep: checksDays },
      { table: "check_rollups", unit: "day", ahead: 2, keep: rollupDays },
      { table: "check_days", unit: "month", ahead: 1, keep: Math.ceil(historyDays / 28) }
    ]

    const names = (table: string) =>
      Effect.map(
        sql<{ readonly name: string }>`
          select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = ${table}::regclass`,
        (rows) => new Set(rows.map(({ name }) => name))
      )

    /**
     * Changes partitions in one process at a time: two of them can wait for each other in a circle. Everybody else waits behind it, so it
     * gives up soon, but after the second in which an autovacuum makes room.
     */
    const alone = <A, E, R>(change: Effect.Effect<A, E, R>) =>
      sql.withTransaction(Effect.zipRight(
        Effect.zipRight(
          sql`select pg_advisory_xact_lock(hashtext('belltower_partitions'))`,
          sql`set local lock_timeout = '1500ms'`
        ),
        change
      ))

    /** Attaches a partition and moves its rows into it from the default partition, which has none of a time to come. */
    const attach = Effect.fn("CheckPartitions.attach")(function*(
      { table, unit }: Partitioned,
      start: DateTime.Utc,
      isToCome: boolean
    ) {
      const name = nameOf(table, start, unit)
      const column = times[table]
      const [from, to] = [DateTime.formatIso(start), DateTime.formatIso(plus(start, unit, 1))]
      yield* alone(Effect.gen(function*() {
        // Queries pg_class, because to_regclass uses a cache that waiting for the lock does not refresh.
        const existing =
          yield* sql`select 1 from pg_class where relname = ${name} and relnamespace = current_schema()::regnamespace`
        if (existing.length > 0) return
        // A statement that has already chosen its partitions would miss the rows that move, or add to the wrong partition.
        if (!isToCome) yield* sql`lock table ${sql(table)} in access exclusive mode`
        yield* sql`create table ${sql(name)} (like ${sql(table)} including defaults including storage)`
        // Rows only ever come and, all of them, go: the partition is dropped before a vacuum would pay.
        if (table === "checks") yield* sql`alter table ${sql(name)} set (autovacuum_enabled = false)`
        yield* sql`
          with moved as (
            delete from ${sql(`${table}_default`)}
            where ${sql(column)} >= ${from}::timestamptz and ${sql(column)} < ${to}::timestamptz returning *
          ) insert into ${sql(name)} overriding system value select * from moved`
        yield* sql`
          alter table ${sql(table)} attach partition ${sql(name)}
          for values from (${sql.literal(`'${from}'`)}) to (${sql.literal(`'${to}'`)})`
      }))
    })

    const maintainOne = Effect.fn("CheckPartitions.maintainOne")(function*(one: Partitioned, now: DateTime.Utc) {
      const there = yield* names(one.table)
      const current = DateTime.startOf(now, one.unit === "hour" ? "day" : one.unit)
      const base = one.unit === "hour" ? DateTime.add(current, { hours: DateTime.getPartUtc(now, "hours") }) : current
      for (let offset = -one.keep; offset <= one.ahead; offset++) {
        const start = plus(base, one.unit, offset)
        if (!there.has(nameOf(one.table, start, one.unit))) yield* attach(one, start, offset > 0)
      }
      // Checks go when they have become blocks.
      if (one.table === "checks") return
      const oldest = nameOf(one.table, plus(base, one.unit, -one.keep), one.unit)
      const expired = [...there].filter((name) => name.length === oldest.length && /\d$/.test(name) && name < oldest)
      yield* Effect.forEach(expired, (name) => alone(sql`drop table if exists ${sql(name)}`), { discard: true })
    })

    /** A long transaction, such as a dump, is waited for later: meanwhile the default partition takes rows, and expired ones stay. */
    const givingWay = (one: Partitioned, now: DateTime.Utc) =>
      Effect.catchIf(
        maintainOne(one, now),
        isLockNotAvailable,
        () => Effect.logInfo(`Partitions of ${one.table} are made and dropped later: a transaction uses the table`)
      )

    /** Creates the partitions of the near future and drops expired ones. */
    const maintain = Effect.fn("CheckPartitions.maintain")(function*() {
      const now = yield* DateTime.now
      for (const one of tables) yield* givingWay(one, now)
      const expired = DateTime.toDateUtc(DateTime.subtract(now, { days: checksDays + 1 }))
      yield* sql`delete from check_blocks_default where first_at < ${expired}`
      yield* sql`delete from check_evidence_default where at < ${expired}`
      yield* sql`delete from job_runs_default where at < ${expired}`
      yield* sql`delete from job_logs_default where at < ${expired}`
      yield* sql`delete from checks_set_aside where set_aside_at < ${expired}`
      yield* sql`
        delete from check_rollups_default where day < ${DateTime.toDateUtc(DateTime.subtract(now, { days: rollupDays + 1 }))}`
      yield* sql`
        delete from check_days_default where day < ${DateTime.toDateUtc(DateTime.subtract(now, { days: historyDays }))}`
    }, Effect.orDie)

    return { maintain }
  })
}) {}
