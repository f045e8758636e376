/** Migrations run once each, whichever processes start, and however many start together. */
import { SqlClient } from "@effect/sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync } from "node:fs"
import * as Database from "../../../src/store/postgres/connections/Database.ts"
import { migrate } from "../../../src/store/postgres/Migrations.ts"
import { EmptyDatabase, newDatabase } from "../../support/database/TestDatabase.ts"

const files = readdirSync("infra/migrations").filter((name) => name.endsWith(".ts")).sort()

layer(EmptyDatabase, { excludeTestServices: true })("migrations", (it) => {
  it.effect("run every file of infra/migrations in order, once", () =>
    Effect.gen(function*() {
      const ran = yield* migrate
      assert.deepStrictEqual(ran.map((name) => `${name}.ts`), files)
      assert.deepStrictEqual(yield* migrate, [])
    }))

  it.effect("store each time with its zone: local times repeat and skip an hour when the clocks change", () =>
    Effect.gen(function*() {
      yield* migrate
      const sql = yield* SqlClient.SqlClient
      const local = yield* sql`
        select table_name, column_name from information_schema.columns
        where table_schema = 'public' and data_type like 'time% without time zone'`
      assert.deepStrictEqual(local, [])
    }))
})

describe("migrations", () => {
  it.scopedLive("take turns when several processes start on an empty database", () =>
    Effect.gen(function*() {
      const address = yield* newDatabase("empty")
      const pool = { maxConnections: 1, applicationName: "belltower test" }
      const ran = yield* Effect.forEach([1, 2, 3, 4], () => Effect.provide(migrate, Database.layer(address, pool)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(ran.map((list) => list.length).sort(), [0, 0, 0, files.length])
      const rows = yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select * from migrations`).pipe(
        Effect.provide(Database.layer(address, pool))
      )
      assert.strictEqual(rows.length, files.length)
    }))
})
