/** The program over a database of the test's own, so that the test can hold a statement of it and kill it there. */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Redacted } from "effect"
import * as Database from "../../../src/store/postgres/connections/Database.ts"
import { newDatabase } from "../../support/database/TestDatabase.ts"
import { until } from "../../support/time/Until.ts"
import { newFolder, startProgram } from "./Program.ts"

type Program = Effect.Effect.Success<ReturnType<typeof startProgram>>

/** Where a program is held: before a statement on a table, for the rows that a condition over `new` chooses. */
interface Point {
  readonly statement: string
  readonly table: string
  readonly when?: string
}

export const makeKillStage = Effect.fn("makeKillStage")(function*(
  env: Readonly<Record<string, string>> = {},
  database: ReturnType<typeof newDatabase> = newDatabase("partitioned")
) {
  const address = yield* database
  const folder = yield* newFolder
  const pool = yield* Layer.build(Database.layer(address, { maxConnections: 3, applicationName: "belltower flow" }))
  const sql = Context.get(pool, SqlClient.SqlClient)
  yield* sql`create function hold() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock_shared(4711); return new; end'`
  const held = sql<{ readonly pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`

  /** Kills the program that `begin` makes reach the point, while it is held there `count` times. */
  const killWhen = Effect.fn("killWhen")(
    function*<R>({ statement, table, when = "true" }: Point, count: number, begin: Effect.Effect<Program, never, R>) {
      const gate = yield* sql.reserve
      yield* gate.execute("select pg_advisory_lock(4711)", [], undefined)
      yield* sql.unsafe(
        `create trigger hold before ${statement} on ${table} for each row when (${when}) execute function hold()`
      )
      const program = yield* begin
      // What comes before the point may be long work.
      yield* until(held, (waiting) => waiting.length === count, "3 minutes")
      yield* program.signal("SIGKILL")
      yield* program.ended
      // The server does the same once it notices that its client is gone.
      yield* Effect.forEach(yield* held, ({ pid }) => sql`select pg_terminate_backend(${pid})`)
      yield* until(held, (waiting) => waiting.length === 0)
      yield* sql.unsafe(`drop trigger hold on ${table}`)
      yield* gate.execute("select pg_advisory_unlock(4711)", [], undefined)
      // Saves the half minute after which a dead process's claims end by themselves.
      yield* sql`update idempotent_requests set held_until = now()`
      yield* sql`update import_jobs set held_until = now()`
      yield* sql`update alarms set due_at = now() where due_at between now() and now() + interval '30 seconds'`
    }
  )

  /** Kills the program while `count` of the requests that `send` makes are held at the point. */
  const killAt = Effect.fn("killAt")(
    (program: Program, point: Point, count: number, send: Effect.Effect<unknown>) =>
      Effect.scoped(killWhen(point, count, Effect.as(Effect.forkScoped(Effect.exit(send)), program)))
  )
  return { sql, killAt, killWhen, start: startProgram({ folder, env: { DATABASE_URL: Redacted.value(address), ...env } }) }
})
