/** Checks stay readable as they become blocks, whatever happens meanwhile, and rollups count each of them once. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { randomBytes } from "node:crypto"
import { makeCompaction } from "../../../cluster/check/CheckCompactor.ts"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import type { CheckId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { makeCheckId } from "../../../src/domain/check/history/CheckKey.ts"
import { dayMs } from "../../../src/domain/check/history/CheckRollup.ts"
import { CheckPartitions } from "../../../src/store/check/CheckPartitions.ts"
import { CheckRollups } from "../../../src/store/check/CheckRollups.ts"
import { Checks } from "../../../src/store/check/Checks.ts"
import { CompactChecks } from "../../../src/store/check/CompactChecks.ts"
import { CompactionRounds } from "../../../src/store/check/CompactionRounds.ts"
import { run } from "../../../src/store/postgres/Read.ts"
import { newMonitor } from "../../pages/Fixtures.ts"
import { Ground, newWorkspace, resultOf } from "../../support/program/TestRunner.ts"

const hour = 3_600_000
const evidence = {
  request: { method: "GET", url: "https://shop.test/" },
  remoteAddress: "192.0.2.1",
  responseHeaders: { server: "nginx" },
  body: "Service Unavailable ".repeat(400),
  bodyTruncated: false,
  redirects: [],
  certificate: null,
  assertions: []
}

/** Results of the last `hours` hours, one a minute, each tenth of them down with evidence. */
const resultsOf = (workspaceId: WorkspaceId, id: MonitorId, hours: number, options: { readonly foreign?: boolean } = {}) =>
  Array.from({ length: hours * 60 }, (_, index): CheckResult => {
    const at = Math.floor(Date.now() / hour) * hour - hours * hour + index * 60_000 + index % 7
    const bad = index % 10 === 0
    const result = resultOf({ id, workspaceId, revision: 1 }, index, {
      at,
      region: RegionId.make(index % 2 === 0 ? "eu" : "us"),
      latencyMs: 100 + index / 10,
      timings: { dnsMs: 1.5, connectMs: 3, tlsMs: null, firstByteMs: 90.5, totalMs: 100 + index / 10 },
      ...(bad ? { outcome: "down", statusCode: 503, error: "got 503", cause: "status", evidence } : {})
    })
    return options.foreign === true ? result : { ...result, checkId: makeCheckId(id, at, randomBytes(10)) }
  })

const insert = (results: ReadonlyArray<CheckResult>) =>
  Effect.flatMap(Checks, (checks) => checks.insert(results.map((result) => ({ result, counted: true }))))

const listed = (workspaceId: WorkspaceId, id: MonitorId, more: object = {}) =>
  Effect.flatMap(
    Checks,
    (checks) => checks.list(workspaceId, id, { outcome: null, before: null, limit: 500, ...more })
  )

/** Compacts in a round of its own, as if another hour had passed. */
const compactAll = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.zipRight(sql`delete from compaction_rounds`, Effect.flatten(makeCompaction))
)

/** All monitors, as a range that nobody else holds. */
const wholeRange = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rounds = yield* CompactionRounds
  yield* sql`delete from compaction_ranges`
  yield* sql`insert into compaction_ranges (place, horizon, first_id) values (1, now(), '')`
  return (yield* rounds.claim)!
})

const rowsOf = (id: MonitorId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      Effect.map(sql<{ readonly n: number }>`select count(*)::int as n from checks where monitor_id = ${id}`, ([row]) => row?.n)
  )

const newOne = Effect.gen(function*() {
  const { id: workspaceId } = yield* newWorkspace
  return { workspaceId, id: yield* newMonitor(workspaceId, "Shop", [{ state: "up", hoursAgo: 48 }]) }
})

layer(Ground, { excludeTestServices: true, timeout: "120 seconds" })("the history of checks", (it) => {
  it.effect("answers as before once the checks are blocks: lists, pages, outcomes, single checks, evidence and statistics", () =>
    Effect.gen(function*() {
      yield* Effect.flatMap(CheckPartitions, (partitions) => partitions.maintain())
      const checks = yield* Checks
      const { id, workspaceId } = yield* newOne
      const other = yield* newOne
      const results = resultsOf(workspaceId, id, 6)
      yield* insert(results)
      const before = DateTime.unsafeMake(results[200]!.at)
      const everything = Effect.all({
        all: listed(workspaceId, id),
        since: listed(workspaceId, id, { since: before, outcome: "down" }),
        page: listed(workspaceId, id, { before, limit: 25 }),
        down: listed(workspaceId, id, { outcome: "down", limit: 30 }),
        evidence: checks.page(workspaceId, id, { outcome: null, before: null, limit: 40, evidence: true }),
        one: checks.find(workspaceId, results[30]!.checkId),
        bad: checks.find(workspaceId, results[40]!.checkId),
        foreign: checks.find(other.workspaceId, results[30]!.checkId)
      })
      const stats = run(checks.readStats(workspaceId, id, DateTime.unsafeMake(Date.now() - 24 * hour)))
      const [asRows, statsOfRows] = [yield* everything, yield* stats]
      yield* compactAll
      expect(yield* rowsOf(id)).toBeLessThan(results.length - 200)
      expect(yield* everything).toEqual(asRows)
      expect(yield* stats).toEqual(statsOfRows)
      expect(asRows.all.length).toBe(360)
      expect(asRows.since).toEqual(
        asRows.all.filter(({ at, outcome }) => outcome === "down" && DateTime.greaterThanOrEqualTo(at, before))
      )
      expect(asRows.since.length).toBe(16)
      expect(asRows.bad.pipe((found) => found._tag)).toBe("Some")
      expect(asRows.evidence.checks.filter((check) => check.evidence !== null).length).toBeGreaterThan(3)
      expect(asRows.foreign._tag).toBe("None")
      expect(statsOfRows).toMatchObject({ checks: 360, failures: 36 })
    }))

  it.effect("has pages that miss no check, although regions check within one millisecond", () =>
    Effect.gen(function*() {
      const checks = yield* Checks
      const { id, workspaceId } = yield* newOne
      const start = Math.floor(Date.now() / hour) * hour - 3 * hour
      const results = Array.from({ length: 90 }, (_, index) => {
        const at = start + Math.floor(index / 3) * 60_000
        const region = RegionId.make(`r${index % 3}`)
        return {
          ...resultOf({ id, workspaceId, revision: 1 }, index, { at, region }),
          checkId: makeCheckId(id, at, randomBytes(10))
        }
      })
      yield* insert(results)
      const read = Effect.fnUntraced(function*(limit: number) {
        const pages: Array<ReadonlyArray<string>> = []
        let [before, goesOn]: [DateTime.Utc | null, boolean] = [null, true]
        while (goesOn) {
          const page: Effect.Effect.Success<ReturnType<typeof checks.page>> = yield* checks.page(workspaceId, id, {
            outcome: null,
            before,
            limit,
            evidence: false
          })
          pages.push(page.checks.map((check) => check.id))
          before = page.checks.at(-1)?.at ?? null
          goesOn = page.goesOn
        }
        return pages
      })
      const all = results.map(({ checkId }) => checkId).sort()
      const expectAll = Effect.gen(function*() {
        // The last page is known to be the last: none is empty.
        for (const [limit, pages] of [[4, 15], [30, 3], [89, 1], [500, 1]] as const) {
          const found = yield* read(limit)
          expect([found.length, found.flat().sort()]).toEqual([pages, all])
        }
      })
      yield* expectAll
      yield* compactAll
      yield* expectAll
    }))

  it.effect("finds checks whose ids do not lead to their monitor, such as those of pings", () =>
    Effect.gen(function*() {
      const checks = yield* Checks
      const { id, workspaceId } = yield* newOne
      const results = resultsOf(workspaceId, id, 3, { foreign: true })
      yield* insert(results)
      yield* compactAll
      for (const { checkId } of results) expect((yield* checks.find(workspaceId, checkId))._tag).toBe("Some")
    }))

  it.effect("counts results once that come late, come twice, or come while others are compacted by two processes", () =>
    Effect.gen(function*() {
      const checks = yield* Checks
      const rollups = yield* CheckRollups
      const { id, workspaceId } = yield* newOne
      const results = resultsOf(workspaceId, id, 4)
      const late = results.filter((_, index) => index % 5 === 0)
      yield* insert(results.filter((_, index) => index % 5 !== 0))
      yield* Effect.all([compactAll, compactAll], { concurrency: "unbounded" })
      yield* insert([...late, ...results.slice(0, 50)])
      yield* Effect.all([compactAll, insert(late), compactAll], { concurrency: "unbounded" })
      yield* insert(results)
      yield* compactAll
      const found = yield* listed(workspaceId, id)
      const sorted = (ids: ReadonlyArray<CheckId>) => [...ids].sort()
      expect(sorted(found.map((check) => check.id))).toEqual(sorted(results.map(({ checkId }) => checkId)))
      // Once all of them are blocks.
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from checks where monitor_id = ${id}`)
      const inBlocks = yield* listed(workspaceId, id)
      const { checks: counted, failures } = yield* run(
        checks.readStats(workspaceId, id, DateTime.unsafeMake(Date.now() - 24 * hour))
      )
      expect([counted, failures]).toEqual([inBlocks.length, inBlocks.filter(({ outcome }) => outcome === "down").length])
      const days = yield* rollups.days(workspaceId, id, Date.now() - dayMs)
      const tallied = [...days.values()].flatMap((regions) => [...regions.values()]).reduce((sum, tally) => sum + tally.checks, 0)
      expect(tallied).toBe(inBlocks.length)
    }))

  it.effect("loses and doubles nothing when the database breaks off a step", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const compact = yield* CompactChecks
      const { id, workspaceId } = yield* newOne
      const results = resultsOf(workspaceId, id, 3)
      yield* insert(results)
      const range = yield* wholeRange
      const broken = sql.withTransaction(Effect.gen(function*() {
        for (const { name } of yield* compact.tables) yield* compact.step(range, name, id, Date.now())
        return yield* Effect.fail("killed")
      }))
      expect((yield* Effect.exit(broken))._tag).toBe("Failure")
      expect(yield* rowsOf(id)).toBe(180)
      yield* sql`delete from compaction_ranges`
      yield* compactAll
      expect((yield* listed(workspaceId, id)).length).toBe(180)
    }))

  it.effect("drops the partition of an hour whose checks are blocks", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { id, workspaceId } = yield* newOne
      const name = `checks_${new Date(Date.now() - 3 * hour).toISOString().replace(/[-T:]/g, "").slice(0, 10)}`
      const start = new Date(Math.floor(Date.now() / hour) * hour - 3 * hour)
      yield* sql`create table if not exists ${sql(name)} partition of checks
        for values from (${sql.literal(`'${start.toISOString()}'`)}) to (${
        sql.literal(`'${new Date(start.getTime() + hour).toISOString()}'`)
      })`
      yield* insert(resultsOf(workspaceId, id, 3))
      expect(yield* sql`select 1 from ${sql(name)} limit 1`).toHaveLength(1)
      yield* compactAll
      expect(yield* sql`select to_regclass(${name}) as name`).toEqual([{ name: null }])
      expect((yield* listed(workspaceId, id)).length).toBe(180)
    }))
})
