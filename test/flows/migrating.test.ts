/** A program that is killed in the middle of a migration: the next start continues there. */
import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Redacted } from "effect"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { newDatabase } from "../support/database/TestDatabase.ts"
import { until } from "../support/time/Until.ts"
import { newFolder, runProgram, spawnProgram } from "./support/Program.ts"

const makePlace = Effect.gen(function*() {
  const address = yield* newDatabase("empty")
  const folder = yield* newFolder
  const pool = yield* Layer.build(Database.layer(address, { maxConnections: 3, applicationName: "belltower flow" }))
  const sql = Context.get(pool, SqlClient.SqlClient)
  const options = { folder, args: ["migrate"], env: { DATABASE_URL: Redacted.value(address), BELLTOWER_SECRET: "" } }
  return {
    sql,
    migrate: runProgram(options),
    /** Kills a program that migrates, once it is where the rows say. */
    killedAt: (isThere: Effect.Effect<ReadonlyArray<object>, unknown>) =>
      Effect.scoped(Effect.gen(function*() {
        const program = yield* spawnProgram(options)
        yield* until(isThere, (rows) => rows.length > 0)
        yield* program.signal("SIGKILL")
        yield* program.ended
      }))
  }
})

it.scopedLive("goes on after a kill -9 in a transaction, and does not wait for the statement that was left", () =>
  Effect.gen(function*() {
    const { killedAt, migrate, sql } = yield* makePlace
    // Nobody opens this gate: the statement that waits at it would wait for ever.
    const gate = yield* sql.reserve
    yield* gate.execute("select pg_advisory_lock(4711)", [], undefined)
    yield* sql`create function hold() returns event_trigger language plpgsql as
      'begin if current_query() like ''%table mutes%'' then perform pg_advisory_xact_lock_shared(4711); end if; end'`
    yield* sql`create event trigger hold on ddl_command_start execute function hold()`
    yield* killedAt(sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`)
    yield* sql`drop event trigger hold`
    expect(yield* sql`select max(migration_id) as last from migrations`).toEqual([{ last: 3 }])

    const { code, stdout } = yield* migrate
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Applied 0004_mutes$/m)
    expect(stdout).not.toContain("0003")
  }))

it.scopedLive("goes on after a kill -9 in the middle of an index, which is valid in the end", () =>
  Effect.gen(function*() {
    const { killedAt, migrate, sql } = yield* makePlace
    expect((yield* migrate).code).toBe(0)
    yield* sql`delete from migrations where name = 'unused_workspaces'`
    yield* sql`drop index unused_workspaces`
    const isValid = sql<{ readonly valid: boolean }>`
      select indisvalid as valid from pg_index where indexrelid = to_regclass('unused_workspaces')`

    // The build waits for transactions that use the table.
    const isOver = yield* Deferred.make<void>()
    const isOpen = yield* Deferred.make<void>()
    yield* Effect.forkScoped(sql.withTransaction(
      sql`update workspaces set name = name`.pipe(
        Effect.zipRight(Deferred.succeed(isOpen, undefined)),
        Effect.zipRight(Deferred.await(isOver))
      )
    ))
    yield* Deferred.await(isOpen)
    yield* killedAt(isValid)
    yield* Deferred.succeed(isOver, undefined)
    const { code, stdout } = yield* migrate
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Applied 0009_unused_workspaces\n" })
    expect(yield* isValid).toEqual([{ valid: true }])
  }))
