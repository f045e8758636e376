/** A transaction sends BEGIN, savepoints and what nobody reads with its other statements, and means the same as without that. */
import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { withNext } from "../../../src/store/postgres/LeanTransactions.ts"
import { EmptyDatabase } from "../../support/database/TestDatabase.ts"
import { until } from "../../support/time/Until.ts"

const table = (sql: SqlClient.SqlClient, name: string) => sql`create table ${sql(name)} (id int primary key)`

const idsOf = (sql: SqlClient.SqlClient, name: string) =>
  Effect.map(sql<{ readonly id: number }>`select id from ${sql(name)} order by id`, (rows) => rows.map(({ id }) => id))

layer(EmptyDatabase, { excludeTestServices: true })("a transaction", (it) => {
  it.effect("is seen by nobody before it commits, and not at all when it fails", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* table(sql, "seen")
      const inserted = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const running = yield* Effect.fork(sql.withTransaction(Effect.gen(function*() {
        yield* sql`insert into seen values (${1})`
        yield* Deferred.succeed(inserted, undefined)
        yield* Deferred.await(go)
      })))
      yield* Deferred.await(inserted)
      assert.deepStrictEqual(yield* idsOf(sql, "seen"), [])
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(running)
      assert.deepStrictEqual(yield* idsOf(sql, "seen"), [1])
      const failing = sql.withTransaction(Effect.zipRight(sql`insert into seen values (${2})`, Effect.fail("refused")))
      assert.deepStrictEqual(yield* Effect.exit(failing), Exit.fail("refused"))
      assert.deepStrictEqual(yield* idsOf(sql, "seen"), [1])
    }))

  it.effect("whose first statement fails leaves a connection that works", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* table(sql, "first")
      const write = (id: number) => sql.withTransaction(sql`insert into first values (${id}) -- first`)
      // The same text again and again, so that it is prepared by name.
      yield* Effect.forEach([1, 2, 3, 4, 5], write)
      for (let again = 0; again < 5; again++) assert.isTrue(Exit.isFailure(yield* Effect.exit(write(1))))
      yield* write(6)
      assert.deepStrictEqual(yield* idsOf(sql, "first"), [1, 2, 3, 4, 5, 6])
    }))

  it.effect("whose first statement cannot be parsed works once it can", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const read = sql.withTransaction(sql`select id from later where id > ${0}`)
      for (let again = 0; again < 5; again++) assert.isTrue(Exit.isFailure(yield* Effect.exit(read)))
      yield* table(sql, "later")
      for (let again = 0; again < 5; again++) assert.deepStrictEqual(yield* read, [])
    }))

  it.effect("within another rolls back alone, before and after its first statement", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* table(sql, "nested")
      const insert = (id: number) => sql`insert into nested values (${id})`
      const refused = (work: Effect.Effect<unknown, unknown>) =>
        Effect.ignore(sql.withTransaction(Effect.zipRight(work, Effect.fail("refused"))))
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* refused(Effect.void)
        yield* refused(insert(1))
        yield* insert(2)
        yield* refused(withNext(insert(3)))
        yield* refused(Effect.zipRight(withNext(insert(4)), insert(5)))
        yield* sql.withTransaction(insert(6))
        // The failure of a statement ends only the part in which it is.
        yield* refused(insert(6))
        yield* refused(sql.withTransaction(insert(7)))
        yield* withNext(insert(8))
        yield* refused(Effect.void)
      }))
      assert.deepStrictEqual(yield* idsOf(sql, "nested"), [2, 6, 8])
    }))

  it.effect("sends what nobody reads with the next statement or with COMMIT, and fails with it", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* table(sql, "together")
      const insert = (id: number) => withNext(sql`insert into together values (${id})`)
      const ids = yield* sql.withTransaction(Effect.zipRight(Effect.zipRight(insert(1), insert(2)), idsOf(sql, "together")))
      assert.deepStrictEqual(ids, [1, 2])
      yield* sql.withTransaction(insert(3))
      yield* insert(4)
      const twice = sql.withTransaction(Effect.zipRight(insert(5), insert(4)))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(twice)))
      assert.deepStrictEqual(yield* idsOf(sql, "together"), [1, 2, 3, 4])
    }))

  it.effect("that is interrupted in a statement ends it and changes nothing", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* table(sql, "interrupted")
      const asleep =
        sql`select pid from pg_stat_activity where query like '%pg_sleep%' and pid <> pg_backend_pid() and state = 'active'`
      const running = yield* Effect.fork(sql.withTransaction(Effect.gen(function*() {
        yield* sql`insert into interrupted values (${1})`
        yield* withNext(sql`insert into interrupted values (${2})`)
        yield* sql`select pg_sleep(${600})`
      })))
      yield* until(asleep, (rows) => rows.length === 1)
      yield* Fiber.interrupt(running)
      assert.deepStrictEqual(yield* asleep, [])
      assert.deepStrictEqual(yield* idsOf(sql, "interrupted"), [])
    }))

  it.effect("without statements sends nothing", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual(yield* sql.withTransaction(sql.withTransaction(Effect.succeed(1))), 1)
    }))

  it.effect("holds a connection only from its first statement", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* table(sql, "patient")
      const go = yield* Deferred.make<void>()
      // More than the pool has connections.
      const ids = Array.from({ length: 20 }, (_, id) => id)
      const running = yield* Effect.fork(Effect.forEach(
        ids,
        (id) => sql.withTransaction(Effect.zipRight(Deferred.await(go), sql`insert into patient values (${id})`)),
        { concurrency: "unbounded" }
      ))
      yield* Effect.yieldNow()
      assert.deepStrictEqual(yield* idsOf(sql, "patient"), [])
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(running)
      assert.deepStrictEqual(yield* idsOf(sql, "patient"), ids)
    }))

  it.effect("whose statements begin at once runs them on one connection", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const backend = Effect.map(sql<{ readonly pid: number }>`select pg_backend_pid() as pid`, ([row]) => row?.pid)
      const pids = yield* sql.withTransaction(Effect.all([backend, backend, backend], { concurrency: "unbounded" }))
      assert.strictEqual(new Set(pids).size, 1)
    }))

  it.effect("that is interrupted while it waits for a connection leaves none behind", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const go = yield* Deferred.make<void>()
      const busy = sql.withTransaction(Effect.zipRight(sql`select 1`, Deferred.await(go)))
      const holding = yield* Effect.fork(Effect.replicateEffect(busy, 5, { concurrency: "unbounded" }))
      const waiting = yield* Effect.forEach(
        Array.from({ length: 10 }),
        () => Effect.fork(sql.withTransaction(sql`select 1`)),
        { concurrency: "unbounded" }
      )
      yield* Effect.sleep("50 millis")
      yield* Fiber.interruptAll(waiting)
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(holding)
      yield* Effect.replicateEffect(busy, 5, { concurrency: "unbounded" })
    }))
})
