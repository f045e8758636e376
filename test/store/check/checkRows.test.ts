/** Rows of checks: those that come again change nothing, and what comes for the first time is logged once. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { RegionId } from "../../../schema/check/Region.ts"
import { makeCheckId } from "../../../src/domain/check/history/CheckKey.ts"
import { CheckPartitions } from "../../../src/store/check/CheckPartitions.ts"
import { Checks } from "../../../src/store/check/Checks.ts"
import { newMonitor } from "../../pages/Fixtures.ts"
import { Ground, newWorkspace, resultOf } from "../../support/program/TestRunner.ts"

layer(Ground, { excludeTestServices: true })("the rows of checks", (it) => {
  const newChecked = Effect.gen(function*() {
    yield* Effect.flatMap(CheckPartitions, (partitions) => partitions.maintain())
    const { id: workspaceId } = yield* newWorkspace
    const id = yield* newMonitor(workspaceId, "Shop", [{ state: "up", hoursAgo: 48 }])
    let made = 0
    return (count: number) =>
      Array.from({ length: count }, () => {
        const at = Date.now() - 60_000 + ++made
        const more = { at, checkId: makeCheckId(id, at, randomBytes(10)), region: RegionId.make("main") }
        return { result: resultOf({ id, workspaceId, revision: 1 }, made, more), counted: true }
      })
  })

  const stored = (ids: ReadonlyArray<string>) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql<{ readonly id: string; readonly counted: boolean }>`
        select id, counted from checks where id = any(${ids}::text[]) order by id`)

  it.effect("are appended although some exist already, which stay as they are, or come twice in a batch", () =>
    Effect.gen(function*() {
      const batch = yield* Effect.map(newChecked, (checksOf) => checksOf(20))
      const checks = yield* Checks
      yield* checks.append(batch.slice(0, 10))
      yield* checks.append([...batch, ...batch.slice(5, 15)].map((one) => ({ ...one, counted: false })))
      const ids = batch.map(({ result: { checkId } }) => checkId)
      expect(yield* stored(ids)).toEqual(ids.map((id, index) => ({ id, counted: index < 10 })))
    }))

  it.effect("are logged with fewer bytes when none exists", () =>
    Effect.gen(function*() {
      const checksOf = yield* newChecked
      const checks = yield* Checks
      const sql = yield* SqlClient.SqlClient
      const position = Effect.map(
        sql<{ readonly at: number }>`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as at`,
        ([row]) => row?.at ?? 0
      )
      const count = 1_000
      const bytesOf = (write: (typeof checks)["insert"]) =>
        Effect.gen(function*() {
          const before = yield* position
          yield* write(checksOf(count))
          return (yield* position) - before
        })
      // Other work on the server only adds to it, so that the quietest of many shows it.
      const least = (write: (typeof checks)["insert"]) =>
        Effect.map(Effect.replicateEffect(bytesOf(write), 16), (all) => Math.min(...all))
      const inserted = yield* least(checks.insert)
      const appended = yield* least(checks.append)
      expect(inserted - appended).toBeGreaterThan(40 * count)
    }))
})
