/** Transactions that wait for each other in a circle: the one that the database ends runs again, and nobody notices. */
import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestDatabase } from "../../support/database/TestDatabase.ts"

it.scopedLive("two transactions that lock the same rows in opposite order both commit, and each once", () =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`create table accounts (id int primary key, visits int not null)`
    yield* sql`insert into accounts values (1, 0), (2, 0)`
    const both = yield* Effect.makeLatch(false)
    let attempts = 0
    let holding = 0
    const visit = (id: number) => sql`update accounts set visits = visits + 1 where id = ${id}`
    const transaction = (first: number, second: number) =>
      sql.withTransaction(Effect.gen(function*() {
        attempts++
        yield* visit(first)
        if (++holding === 2) yield* both.open
        yield* both.await
        // As most callers do: a defect, not a failure.
        yield* Effect.orDie(visit(second))
      }))
    yield* Effect.all([transaction(1, 2), transaction(2, 1)], { concurrency: "unbounded" })
    // The one that runs again may take its first row before the other has it, and then they wait for each other once more.
    assert.isAtLeast(attempts, 3)
    assert.deepStrictEqual(yield* sql`select id, visits from accounts order by id`, [{ id: 1, visits: 2 }, { id: 2, visits: 2 }])
  }).pipe(Effect.provide(TestDatabase)))
