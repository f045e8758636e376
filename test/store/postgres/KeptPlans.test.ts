/** Statements whose plans a connection keeps, and the plans of all others. */
import { SqlClient } from "@effect/sql"
import { assert, expect, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { vi } from "vitest"
import { plansKeptFor } from "../../../src/store/postgres/KeptPlans.ts"
import { sendTogether } from "../../../src/store/postgres/LeanStatements.ts"
import { StatementBatch } from "../../../src/store/postgres/StatementBatch.ts"
import { EmptyDatabase } from "../../support/database/TestDatabase.ts"
import { TestProgram } from "../../support/program/Program.ts"
import { bearer, callJson, newKey, post } from "../../support/program/TestServer.ts"

interface Counts {
  readonly name: string
  readonly generic: number
  readonly custom: number
}

/** How often the connection of the surrounding transaction ran a statement whose text has `part` by one plan, and by one for its values. */
const plansOf = (sql: SqlClient.SqlClient, part: string) =>
  Effect.map(
    sql.unsafe<Counts>(
      `select name, generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements
       where position('${part}' in statement) > 0 and position('pg_prepared_statements' in statement) = 0`
    ),
    ([row]) => row
  )

const settingsOf = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly settings: ReadonlyArray<string> }>`
      select array[current_setting('plan_cache_mode'), current_setting('enable_seqscan'), current_setting('enable_sort')] as settings`,
    ([row]) => row?.settings
  )
const usual = ["force_custom_plan", "on", "on"]

layer(EmptyDatabase, { excludeTestServices: true })("a plan", (it) => {
  it.effect("is kept where the statement says so, and made each time for those beside it", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql.withTransaction(Effect.gen(function*() {
        for (let n = 0; n < 6; n++) {
          const rows = yield* sendTogether([
            sql`select ${n}::int as n -- before`,
            sql`/* one plan */ select ${n + 1}::int as n -- kept`,
            sql`select ${n + 2}::int as n -- after`
          ])
          assert.deepStrictEqual(rows, [[{ n }], [{ n: n + 1 }], [{ n: n + 2 }]])
          assert.deepStrictEqual(yield* settingsOf(sql), usual)
        }
        // The third time it is named; before, it is planned for its values.
        expect(yield* plansOf(sql, "-- kept")).toMatchObject({ generic: 4, custom: 0 })
        expect(yield* plansOf(sql, "-- before")).toMatchObject({ generic: 0, custom: 4 })
        expect(yield* plansOf(sql, "-- after")).toMatchObject({ generic: 0, custom: 4 })
      }))
    }))

  it.effect("of a statement that fails leaves the plans of the rest of its transaction, and of the next", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql.withTransaction(Effect.gen(function*() {
        const failing = sql.withTransaction(sql`/* one plan */ select 1 / ${0}::int as n`)
        expect(Exit.isFailure(yield* Effect.exit(failing))).toBe(true)
        assert.deepStrictEqual(yield* settingsOf(sql), usual)
      }))
      expect(Exit.isFailure(yield* Effect.exit(sql`/* one plan */ select 1 / ${0}::int as n`))).toBe(true)
      const all = yield* Effect.all(Array.from({ length: 5 }, () => settingsOf(sql)), { concurrency: "unbounded" })
      assert.deepStrictEqual(all, all.map(() => usual))
    }))

  it.scoped("is made again after a while, as the table may have grown", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table growing (n int)`
      yield* sql.withTransaction(Effect.gen(function*() {
        const count = sql`/* one plan */ select count(*)::int as n from growing where n = ${1}::int`
        yield* Effect.repeatN(count, 3)
        const { name } = (yield* plansOf(sql, "from growing")) ?? { name: "" }
        /** The rows of the table that the plan expects. */
        const expected = sql.withTransaction(Effect.gen(function*() {
          yield* sql`select set_config('plan_cache_mode', 'force_generic_plan', true)`
          const lines = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain execute ${name} ('1')`)
          return Number(/Seq Scan on growing .*rows=(\d+)/.exec(lines.map((line) => line["QUERY PLAN"]).join("\n"))?.[1])
        }))
        const before = yield* expected
        yield* sql`insert into growing select n from generate_series(1, 100000) n`
        yield* count
        expect(yield* expected).toBe(before)
        const now = performance.now()
        yield* Effect.acquireRelease(
          Effect.sync(() => vi.spyOn(performance, "now").mockReturnValue(now + plansKeptFor)),
          (spy) => Effect.sync(() => spy.mockRestore())
        )
        yield* count
        expect(yield* expected).toBeGreaterThan(before * 5)
      }))
    }))
})

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("a kept plan", (it) => {
  it.scoped("finds the rows of each table by an index, except of those that stay small", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const texts = new Set<string>()
      const { submit } = StatementBatch.prototype
      yield* Effect.acquireRelease(
        Effect.sync(() =>
          vi.spyOn(StatementBatch.prototype, "submit").mockImplementation(function(this: StatementBatch, connection) {
            for (const { text } of this.steps) if (text.startsWith("/* one plan */")) texts.add(text)
            return submit.call(this, connection)
          })
        ),
        (spy) => Effect.sync(() => spy.mockRestore())
      )
      const { secret } = yield* newKey()
      const { body: { id } } = yield* post("/api/v1/monitors", { name: "Shop", url: "https://shop.test/" }, bearer(secret))
      const { body: job } = yield* post("/api/v1/monitors", { name: "Job", periodSec: 600 }, bearer(secret))
      yield* post("/api/v1/pages", { name: "Shop", slug: "kept-plans" }, bearer(secret))
      const paths = [
        ...["/agent/whoami", "/pages", "/monitors", "/monitors?sort=newest", `/monitors?after=${id}`, `/monitors/${id}`],
        ...["uptime", "explain", "checks", "history", "regions"].map((part) => `/monitors/${id}/${part}`)
      ]
      for (const path of paths) {
        expect([path, (yield* callJson(`/api/v1${path}`, { headers: bearer(secret) })).status]).toEqual([path, 200])
      }
      expect((yield* callJson(new URL(job.pingUrl).pathname, { method: "POST" })).status).toBe(200)
      const plans = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`select set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true)`
        return yield* Effect.forEach([...texts], (text) =>
          Effect.map(
            sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain (generic_plan) ${text}`),
            (lines) => lines.map((line) => line["QUERY PLAN"]).join("\n")
          ))
      }))
      expect(plans.length).toBeGreaterThanOrEqual(14)
      for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on (?!live_watchers)/)
    }))
})
