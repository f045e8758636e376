/** Statements that a process repeats are parsed once per connection, and nothing else about them changes. */
import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { EmptyDatabase } from "../../support/database/TestDatabase.ts"
import { until } from "../../support/time/Until.ts"

/** The named statements that the connection of the surrounding transaction keeps, and whose text has `part`. */
const prepared = (sql: SqlClient.SqlClient, part: string) =>
  Effect.map(
    sql.unsafe<{ readonly statement: string }>("select statement from pg_prepared_statements"),
    (rows) => rows.map(({ statement }) => statement).filter((text) => text.includes(part))
  )

layer(EmptyDatabase, { excludeTestServices: true })("a statement", (it) => {
  it.effect("that is repeated is prepared once on its connection, whatever its values", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql.withTransaction(Effect.gen(function*() {
        const values = yield* Effect.forEach(
          [1, 2, 3, 4, 5],
          (n) => sql<{ readonly n: number }>`select ${n}::int as n -- repeated`
        )
        assert.deepStrictEqual(values.map(([row]) => row?.n), [1, 2, 3, 4, 5])
        assert.strictEqual((yield* prepared(sql, "-- repeated")).length, 1)
      }))
    }))

  it.effect("that is not repeated is not kept by the server", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql.withTransaction(Effect.gen(function*() {
        for (let n = 0; n < 10; n++) yield* sql`select ${n}::int as ${sql(`once_${n}`)}`
        assert.deepStrictEqual(yield* prepared(sql, "once_"), [])
      }))
    }))

  it.effect("keeps no plan, so that each run gets the plan for its values", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly mode: string }>`select current_setting('plan_cache_mode') as mode`
      assert.strictEqual(row?.mode, "force_custom_plan")
    }))

  it.effect("fails at most once when a migration changes the type of its rows", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table changing (n int)`
      yield* sql`insert into changing values (1)`
      const read = sql.reserve.pipe(
        Effect.flatMap((connection) => connection.execute("select * from changing where n = $1", [1], undefined)),
        Effect.scoped
      )
      yield* Effect.repeatN(read, 4)
      yield* sql`alter table changing add column more text`
      yield* Effect.ignore(read)
      assert.deepStrictEqual(yield* read, [{ n: 1, more: null }])
    }))

  it.effect("works again after it failed, within a transaction and outside", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const divide = (by: number) => sql<{ readonly n: number }>`select 6 / ${by}::int as n`
      yield* Effect.repeatN(divide(1), 4)
      yield* Effect.flip(divide(0))
      yield* Effect.flip(sql.withTransaction(Effect.zipRight(Effect.ignore(divide(0)), divide(2))))
      assert.deepStrictEqual(yield* divide(2), [{ n: 3 }])
      assert.deepStrictEqual(yield* sql.withTransaction(divide(3)), [{ n: 2 }])
    }))

  it.effect("works again after the run that was to prepare it failed, whether the server has kept it or not", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const divide = (by: number) => sql<{ readonly n: number }>`select 8 / ${by}::int as n`
      const cast = (text: string) => sql<{ readonly n: number }>`select 1 + ${text}::text::int as n`
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* Effect.repeatN(Effect.zip(divide(1), cast("1")), 1)
        yield* Effect.flip(sql.withTransaction(divide(0)))
        yield* Effect.flip(sql.withTransaction(Effect.zipRight(Effect.ignore(sql`select ${0}::int / 0`), cast("2"))))
        assert.deepStrictEqual(yield* divide(4), [{ n: 2 }])
        assert.deepStrictEqual(yield* cast("2"), [{ n: 3 }])
        assert.deepStrictEqual(yield* divide(2), [{ n: 4 }])
      }))
    }))

  it.effect("of several texts has a result each, and one without rows has none", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`create temporary table nothing ()`, [])
      const both: unknown = yield* sql`select 1 as a; select 2 as b`
      assert.deepStrictEqual(both, [[{ a: 1 }], [{ b: 2 }]])
    }))

  it.effect("that is interrupted ends on the server, and the pool stays whole", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const running = Effect.map(
        sql`select 1 from pg_stat_activity where state = 'active' and query like '%pg_sleep(3600)%' and pid <> pg_backend_pid()`,
        (rows) => rows.length
      )
      const begun = yield* Deferred.make<void>()
      const sleeper = yield* Effect.fork(Effect.zipRight(Deferred.succeed(begun, undefined), sql`select pg_sleep(3600)`))
      yield* Deferred.await(begun)
      yield* until(running, (count) => count === 1)
      yield* Fiber.interrupt(sleeper)
      yield* until(running, (count) => count === 0)
      yield* Effect.all(Array.from({ length: 20 }, () => sql`select 1`), { concurrency: "unbounded" })
    }))
})
