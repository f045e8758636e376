/**
 * Fills a database with blocks and rollups as compaction writes them, and with the rows of the current hour, then measures bytes,
 * reads, intake and compaction.
 */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Layer, Logger, LogLevel, Redacted } from "effect"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { dayMs, startOf } from "../../src/domain/check/history/CheckRollup.ts"
import { measuredResponses, seriesStart } from "../../src/domain/check/history/ResponseSeries.ts"
import type { StoredCheck } from "../../src/domain/check/history/StoredCheck.ts"
import { Links, linksFrom } from "../../src/links/Links.ts"
import { ReadMonitorMetrics } from "../../src/operations/monitor/ReadMonitorMetrics.ts"
import { ReadMonitors } from "../../src/operations/monitor/ReadMonitors.ts"
import { CheckBlocks } from "../../src/store/check/CheckBlocks.ts"
import { CheckPartitions } from "../../src/store/check/CheckPartitions.ts"
import { CheckRollups } from "../../src/store/check/CheckRollups.ts"
import { Checks } from "../../src/store/check/Checks.ts"
import { CompactionRounds } from "../../src/store/check/CompactionRounds.ts"
import { defaultRetention, RetentionSettings } from "../../src/store/check/Retention.ts"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { addressOf, makeEmbeddedPostgres } from "../../src/store/postgres/embedded/EmbeddedPostgres.ts"
import { migrate } from "../../src/store/postgres/Migrations.ts"
import * as Store from "../../src/store/Store.ts"
import { testKeys } from "../support/program/TestInstallation.ts"
import { compactInChild, compactWith } from "./support/compactors.ts"
import { checkAt, hour, type Known, makeMonitors, seedHistory } from "./support/historyRows.ts"
import { cpu } from "./support/processes.mjs"
import { scrape } from "./support/scrape.ts"

const [monitors = 1000, days = 90] = process.argv.slice(2).map(Number)

const print = (row: object): void => console.log(JSON.stringify({ bench: "history", ...row }))

const bytesOf = (tables: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly bytes: number }>`
        select sum(pg_total_relation_size(i.inhrelid))::float8 as bytes from pg_inherits i
        where i.inhparent::regclass::text = any(${[...tables]}::text[])`,
      ([row]) => row?.bytes ?? 0
    ))

/** The duration of work, and the CPU time of this process and of PostgreSQL meanwhile; ms. */
const timed = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const used = cpu(process.pid)
    const from = performance.now()
    const value = yield* work
    const ms = performance.now() - from
    const { othersMs, ownMs } = cpu(process.pid)
    return { value, ms, cpuMs: ownMs - used.ownMs, postgresMs: othersMs - used.othersMs }
  })

const resultOf = ({ id, ...check }: StoredCheck, { id: monitorId, workspaceId }: Known): CheckResult => ({
  ...check,
  checkId: id,
  monitorId,
  workspaceId,
  revision: 1,
  slot: 1,
  evidence: null,
  trusted: true
})

/** So many minutes of all monitors, taken in as rows in batches of 1,000. */
const takeIn = (known: ReadonlyArray<Known>, from: number, minutes: number) =>
  Effect.gen(function*() {
    const checks = yield* Checks
    const rows = Array.from({ length: minutes }, (_, minute) =>
      known.map((one) => ({ counted: true, result: resultOf(checkAt(one, from + minute * 60_000), one) }))).flat()
    const batches = Array.from({ length: Math.ceil(rows.length / 1000) }, (_, index) =>
      rows.slice(index * 1000, index * 1000 + 1000))
    const { cpuMs, ms } = yield* timed(Effect.forEach(batches, checks.insert, { discard: true }))
    return { count: rows.length, cpuMs, ms }
  })

/** Takes an hour in, and makes it blocks by so many processes. */
const intake = (known: ReadonlyArray<Known>, address: string, processes: number, hoursAhead: number) =>
  Effect.gen(function*() {
    const rounds = yield* CompactionRounds
    const sql = yield* SqlClient.SqlClient
    const before = yield* bytesOf(["checks"])
    const taken = yield* takeIn(known, (Math.floor(Date.now() / hour) + hoursAhead) * hour, 60)
    const asRows = (yield* bytesOf(["checks"])) - before
    yield* sql`delete from compaction_rounds`
    yield* rounds.begin(Date.now() + 10 * hour)
    const { ms, shares } = yield* Effect.promise(() => compactWith(processes, address))
    const moved = shares.reduce((sum, share) => sum + share.moved, 0)
    print({
      row: "cost",
      processes,
      checks: taken.count,
      moved,
      bytesAsRow: Math.round(asRows / taken.count),
      insertPerSecond: Math.round(taken.count / taken.ms * 1000),
      insertCpuMicros: Math.round(taken.cpuMs * 1000 / taken.count),
      compactPerSecond: Math.round(moved / ms * 1000),
      compactCpuMicros: Math.round(shares.reduce((sum, share) => sum + share.cpuMs, 0) * 1000 / moved),
      longestStepMs: Math.round(Math.max(...shares.map(({ longestMs }) => longestMs)))
    })
  })

const percentile = (values: ReadonlyArray<number>, rank: number): number =>
  Math.round(([...values].sort((one, other) => one - other)[Math.floor(rank * (values.length - 1))] ?? 0) * 10) / 10

const reads = (known: ReadonlyArray<Known>) =>
  Effect.gen(function*() {
    const reading = yield* ReadMonitors
    const rollups = yield* CheckRollups
    const checks = yield* Checks
    const measure = <A, E, R>(row: string, look: (monitor: Known) => Effect.Effect<A, E, R>) =>
      Effect.gen(function*() {
        const looks = Effect.suspend(() => {
          const monitor = known[Math.floor(Math.random() * known.length)]
          const from = performance.now()
          return monitor === undefined ? Effect.succeed(0) : Effect.map(look(monitor), () => performance.now() - from)
        })
        // The first ones warm the code up.
        yield* Effect.replicateEffect(looks, 50)
        const { cpuMs, postgresMs, value } = yield* timed(Effect.replicateEffect(looks, 400))
        print({
          row,
          monitors,
          days,
          p50Ms: percentile(value, 0.5),
          p95Ms: percentile(value, 0.95),
          cpuMs: Math.round(cpuMs / 40) / 10,
          postgresMs: Math.round(postgresMs / 40) / 10
        })
      })
    yield* measure("GET /monitors/{id}", ({ id, workspaceId }) =>
      reading.get({ workspaceId, scopes: ["read"], operations: null }, id, 20))
    yield* measure("series of 90 days", ({ id, workspaceId }) =>
      Effect.map(rollups.days(workspaceId, id, seriesStart("90d", Date.now())), (rollup) =>
        measuredResponses("90d", [rollup], Date.now())))
    yield* measure("series of 30 days", ({ id, workspaceId }) =>
      Effect.map(rollups.halfHours(workspaceId, id, seriesStart("30d", Date.now())), (rollup) =>
        measuredResponses("30d", [rollup], Date.now())))
    yield* measure(`GET /checks/{id}, 1 to ${days} days old, found in its block`, ({ id, workspaceId }) =>
      Effect.gen(function*() {
        const before = DateTime.unsafeMake(Date.now() - dayMs * (1 + Math.random() * (days - 1)))
        const [check] = yield* checks.list(workspaceId, id, { outcome: null, before, limit: 1 })
        if (check !== undefined) {
          yield* checks.find(workspaceId, check.id)
        }
      }))
  })

/** Bytes of a check in its block and in both rollups; half hours are kept for 31 days only. */
const bytes = (checks: number) =>
  Effect.gen(function*() {
    const perCheck = (table: string, share: number) => Effect.map(bytesOf([table]), (total) => total / (checks * share))
    const inBlocks = yield* perCheck("check_blocks", 1)
    const inRollups = (yield* perCheck("check_rollups", Math.min(1, 31 / days))) + (yield* perCheck("check_days", 1))
    const rounded = (value: number) => Math.round(value * 10) / 10
    print({
      row: "bytes",
      checks,
      bytesACheck: rounded(inBlocks + inRollups),
      inBlocks: rounded(inBlocks),
      inRollups: rounded(inRollups),
      goal: 60
    })
  })

const measure = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "belltower-bench-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  chmodSync(folder, 0o755)
  const server = yield* makeEmbeddedPostgres({ folder: join(folder, "postgres") })
  const database = Database.layer(Redacted.make(addressOf(server)), { maxConnections: 10, applicationName: "belltower bench" })
  yield* Effect.provide(migrate, database)
  const ground = Layer.mergeAll(ReadMonitors.Default, ReadMonitorMetrics.Default, CheckBlocks.Default).pipe(
    Layer.provideMerge(Store.layer),
    Layer.provideMerge(
      Layer.merge(testKeys, Layer.succeed(Links, linksFrom("http://bench.test")))
    ),
    Layer.provide(Layer.succeed(RetentionSettings, { ...defaultRetention, checksDays: days })),
    Layer.provideMerge(database)
  )
  yield* Effect.gen(function*() {
    yield* Effect.flatMap(CheckPartitions, (partitions) => partitions.maintain())
    const known = yield* makeMonitors(monitors)
    const thisHour = startOf(Date.now(), hour)
    const seeded = yield* timed(seedHistory(known, days, thisHour))
    console.log(`Filled with ${seeded.value} checks in ${Math.round(seeded.ms / 1000)} s`)
    yield* bytes(seeded.value)
    // The checks of the current hour are rows.
    yield* takeIn(known, thisHour, 60)
    yield* reads(known)
    // Each in a partition of its own: those of the next hours are there already.
    for (const [index, processes] of [1, 2, 4].entries()) yield* intake(known, addressOf(server), processes, index + 1)
    const [first] = known
    if (first !== undefined) print({ row: "scrape", ...(yield* scrape(first, 10_000)), goalMs: 20 })
  }).pipe(Effect.provide(ground))
})

const whole = Effect.scoped(measure).pipe(
  Effect.provide(Logger.minimumLogLevel(LogLevel.Warning)),
  Effect.withTracerEnabled(false)
)

// The same program is what the compactors run.
await (process.argv[2] === "compact" ? compactInChild(process.argv[3] ?? "") : Effect.runPromise(whole))
