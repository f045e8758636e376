/** Migrations beside processes that use the database, and databases of other versions. */
import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import * as Database from "../../../src/store/postgres/connections/Database.ts"
import { type Migration, OutsideTransaction } from "../../../src/store/postgres/Migration.ts"
import { makeMigrator } from "../../../src/store/postgres/Migrator.ts"
import { newDatabase } from "../../support/database/TestDatabase.ts"
import { until } from "../../support/time/Until.ts"

const options = { maxConnections: 3, applicationName: "belltower test" }

const statement = (text: string): Migration => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(text))

const things = statement("create table things (id int primary key, name text)")
const sizes = statement("alter table things add column size int not null default 0")
const index = new OutsideTransaction(
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.zipRight(
      sql`drop index concurrently if exists things_by_name`,
      sql`create index concurrently things_by_name on things (name)`
    ))
)

/** A process with a pool of its own on a database. */
const makeProcess = (address: Parameters<typeof Database.layer>[0]) =>
  Effect.map(Layer.build(Database.layer(address, options)), (context) => ({
    sql: Context.get(context, SqlClient.SqlClient),
    migrate: (migrations: Record<string, Migration>) => Effect.provide(makeMigrator(migrations).migrate, context),
    verify: (migrations: Record<string, Migration>) => Effect.provide(makeMigrator(migrations).verify, context)
  }))

const onEmpty = Effect.flatMap(newDatabase("empty"), makeProcess)

describe("migrations", () => {
  it.scopedLive("of lower numbers that are missing are applied", () =>
    Effect.gen(function*() {
      const { migrate, sql } = yield* onEmpty
      const all = { "0001_things": things, "0002_sizes": sizes, "0005_index": index }
      assert.deepStrictEqual(yield* migrate({ "0001_things": things, "0005_index": index }), ["0001_things", "0005_index"])
      assert.deepStrictEqual(yield* migrate(all), ["0002_sizes"])
      assert.deepStrictEqual(yield* migrate(all), [])
      yield* sql`select size from things`
    }))

  it.scopedLive("whose statements have changed stop the start; how their source is written does not count", () =>
    Effect.gen(function*() {
      const { migrate } = yield* onEmpty
      yield* migrate({ "0001_things": things })
      assert.deepStrictEqual(
        yield* migrate({ "0001_things": statement("create  table things\n(id int primary key, name text)") }),
        []
      )
      const failure = yield* Effect.flip(migrate({ "0001_things": statement("create table things (id int primary key)") }))
      assert.match(String(failure.message), /0001_things had other statements/)
    }))

  it.scopedLive("of the next version let this one start; those of the version after it do not", () =>
    Effect.gen(function*() {
      const { migrate, sql, verify } = yield* onEmpty
      const ours = { "0001_things": things }
      yield* migrate(ours)
      yield* migrate({ ...ours, "0002_sizes": sizes })
      assert.deepStrictEqual(yield* migrate(ours), [])
      yield* verify(ours)
      yield* sql`insert into migrations (migration_id, name, checksum, applied_by)
        values (9999, 'future', 'of the future', '9999_future')`
      for (const start of [migrate(ours), verify(ours)]) {
        assert.match((yield* Effect.flip(start)).message, /migrated by a newer version.*9999_future.*Install that version/)
      }
    }))

  it.scopedLive("that are missing are reported to a process that does not migrate", () =>
    Effect.gen(function*() {
      const { migrate, verify } = yield* onEmpty
      const ours = { "0001_things": things }
      assert.match((yield* Effect.flip(verify(ours))).message, /Run "node dist\/belltower.js migrate"/)
      yield* migrate(ours)
      yield* verify(ours)
    }))

  it.scopedLive("keep what came before one that fails, and say which failed and why", () =>
    Effect.gen(function*() {
      const { migrate, sql } = yield* onEmpty
      const failure = yield* Effect.flip(
        migrate({ "0001_things": things, "0002_wrong": statement("alter table nothing add a int") })
      )
      assert.match(failure.message, /^Migration 0002_wrong failed: .*relation "nothing" does not exist/)
      assert.deepStrictEqual(yield* sql`select name from migrations`, [{ name: "things" }])
    }))

  it.scopedLive("wait behind a long reader without blocking those who use the table", () =>
    Effect.gen(function*() {
      const address = yield* newDatabase("empty")
      const { migrate, sql } = yield* makeProcess(address)
      yield* migrate({ "0001_things": things })
      yield* sql`insert into things values (1, 'thing')`
      const reading = yield* Deferred.make<void>()
      const readUntil = yield* Deferred.make<void>()
      const reader = yield* Effect.fork(sql.withTransaction(
        sql`select * from things`.pipe(
          Effect.zipRight(Deferred.succeed(reading, undefined)),
          Effect.zipRight(Deferred.await(readUntil))
        )
      ))
      yield* Deferred.await(reading)

      const other = yield* makeProcess(address)
      const migration = yield* Effect.fork(other.migrate({ "0001_things": things, "0002_sizes": sizes }))
      const isWaiting = sql<{ readonly waiting: boolean }>`
        select exists (select from pg_locks where relation = 'things'::regclass and not granted) as waiting`
      // Each of several attempts of the migration holds up a user of the table only as long as it lasts.
      for (let attempt = 0; attempt < 3; attempt++) {
        yield* until(isWaiting, ([row]) => row?.waiting === true)
        yield* sql`update things set name = name || '.'`
      }
      assert.isTrue((yield* Fiber.poll(migration))._tag === "None")

      yield* Deferred.succeed(readUntil, undefined)
      yield* Fiber.join(reader)
      assert.deepStrictEqual(yield* Fiber.join(migration), ["0002_sizes"])
      assert.deepStrictEqual(yield* sql`select name, size from things`, [{ name: "thing...", size: 0 }])
    }))

  it.scopedLive("of processes that start together run once each, also those outside a transaction", () =>
    Effect.gen(function*() {
      const address = yield* newDatabase("empty")
      const processes = yield* Effect.all([makeProcess(address), makeProcess(address), makeProcess(address)])
      const all = { "0001_things": things, "0002_index": index, "0003_sizes": sizes }
      const ran = yield* Effect.forEach(processes, ({ migrate }) => migrate(all), { concurrency: "unbounded" })
      assert.deepStrictEqual(ran.map((names) => names.length).sort(), [0, 0, 3])
    }))
})
