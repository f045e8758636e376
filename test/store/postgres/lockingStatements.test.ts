/**
 * A statement that waits for a row's lock, and then finds the row changed, checks its condition again. PostgreSQL may have made the
 * subquery of an `in` unique before the join; in that check it then has no rows, and the locked row is left out of the result.
 */
import { SqlClient, type SqlError } from "@effect/sql"
import { expect, it, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { WorkspaceId } from "../../../schema/Ids.ts"
import { mint } from "../../../src/store/Mint.ts"
import { holding } from "../../support/database/LockedWorkspace.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"
import { until } from "../../support/time/Until.ts"

const templates = (folder: string): ReadonlyArray<readonly [file: string, text: string]> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts")).flatMap((name) =>
    readFileSync(join(folder, name), "utf8").split("`").map((text) => [join(folder, name), text] as const)
  )

const waits = /\bfor (?:no key )?update\b(?!(?: of \w+)? skip locked)/

/** The parts of a statement that read what they lock: from `select` or the name of a part to the lock. */
const lockingParts = (text: string): ReadonlyArray<string> =>
  text.split(/\bselect\b(?![^()]*\))/).filter((part) => waits.test(part))

const hasSemiJoin = (part: string): boolean => /\bin \(\s*select\b/.test(part)

it("no statement that waits for locks chooses its rows by a semi-join", () => {
  const all = ["src", "cluster"].flatMap(templates)
  const locking = all.flatMap(([file, text]) => lockingParts(text).map((part) => [file, part] as const))
  expect(locking.length).toBeGreaterThan(30)
  expect(locking.filter(([, part]) => hasSemiJoin(part)).map(([file, part]) => `${file}: ${part.trim()}`)).toEqual([])
  const bad = "select id from a where id in (select id from b) order by id for update"
  expect(lockingParts(bad).some(hasSemiJoin)).toBe(true)
  expect(lockingParts(`${bad} skip locked`)).toEqual([])
})

type Ids = ReadonlyArray<string>
type Lock = (sql: SqlClient.SqlClient, ids: Ids) => Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

const forms: Record<string, Lock> = {
  "an array": (sql, ids) =>
    sql`
    with given as materialized (select * from unnest(${ids}::text[]) as g (id))
    select w.id from workspaces w where w.id = any(array(select id from given)) order by w.id for update of w`,
  "a join with distinct keys": (sql, ids) =>
    sql`
    select id from workspaces w join (select distinct * from unnest(${ids}::text[], ${ids}::text[])) as one (id, other) using (id)
    order by id for update of w`,
  "a join with distinct keys of another part": (sql, ids) =>
    sql`
    with given as materialized (select * from unnest(${ids}::text[]) as g (id))
    select id from workspaces w join (select distinct id from given) one using (id) order by id for update of w`
}

layer(TestDatabase, { excludeTestServices: true })("rows that change while their lock is awaited are all found", (it) => {
  it.effect.each(Object.entries(forms))("by %s", ([, lock]) =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const ids: Ids = yield* Effect.replicateEffect(mint("ws", WorkspaceId), 8)
      yield* sql`
        insert into workspaces (id, name, plan, created_at, updated_at)
        select id, 'Locked', 'self_hosted', now(), now() from unnest(${ids}::text[]) as w (id)`
      for (const method of ["enable_hashjoin", "enable_mergejoin", "enable_nestloop", "enable_hashagg", "enable_sort"]) {
        const release = yield* holding((tx) => tx`update workspaces set name = 'Changed' where id = any(${ids}::text[])`)
        const locked = yield* sql.withTransaction(Effect.zipRight(
          sql`select set_config(${method}, 'off', true)`,
          lock(sql, ids)
        )).pipe(Effect.fork)
        yield* until(sql`select from pg_stat_activity where wait_event_type = 'Lock'`, (waiting) => waiting.length > 0)
        yield* release
        expect([method, (yield* Fiber.join(locked)).length]).toEqual([method, ids.length])
      }
    }))
})
