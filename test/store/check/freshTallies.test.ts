/** Statistics are read from rollups; of the checks, only those of the monitor that no rollup holds yet are touched. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect, Predicate } from "effect"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { halfHour, rollupOf, startOf } from "../../../src/domain/check/history/CheckRollup.ts"
import { statsOf } from "../../../src/domain/check/history/CheckTally.ts"
import { CheckPartitions } from "../../../src/store/check/CheckPartitions.ts"
import { CheckRollups } from "../../../src/store/check/CheckRollups.ts"
import { Checks } from "../../../src/store/check/Checks.ts"
import { freshGroups, freshRollup } from "../../../src/store/check/FreshTallies.ts"
import { run } from "../../../src/store/postgres/Read.ts"
import { newMonitor } from "../../pages/Fixtures.ts"
import { Ground, newWorkspace, resultOf } from "../../support/program/TestRunner.ts"

const hour = 3_600_000

/** The plan of a statement, as PostgreSQL ran it. */
interface Plan {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Cond"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly Plans?: ReadonlyArray<Plan>
}

const nodesOf = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** Rows that a node took from its table, used or not. */
const touched = (node: Plan): number => (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]

const isPlanned = (value: unknown): value is { readonly Plan: Plan } => Predicate.hasProperty(value, "Plan")

/** The looks at tables of checks that the statistics since `from` take. */
const looks = (workspaceId: WorkspaceId, id: MonitorId, from: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly "QUERY PLAN": ReadonlyArray<unknown> }>`
      explain (analyze, format json) select ${freshGroups(sql, workspaceId, id, from)}`
    const [plan] = row?.["QUERY PLAN"] ?? []
    expect(isPlanned(plan)).toBe(true)
    return isPlanned(plan) ? nodesOf(plan.Plan).filter((node) => /^checks_/.test(node["Relation Name"] ?? "")) : []
  })

const insert = (results: ReadonlyArray<CheckResult>) =>
  Effect.flatMap(Checks, (checks) => checks.insert(results.map((result, index) => ({ result, counted: index % 11 !== 0 }))))

/** One check every 10 s in each of three regions, for the last so many minutes. */
const resultsOf = (workspaceId: WorkspaceId, id: MonitorId, minutes: number) =>
  Array.from({ length: minutes * 18 }, (_, index): CheckResult =>
    resultOf({ id, workspaceId, revision: 1 }, index, {
      at: Date.now() - minutes * 60_000 + Math.floor(index / 3) * 10_000,
      region: RegionId.make(["eu", "us", "ap"][index % 3]!),
      latencyMs: index % 13 === 0 ? null : 0.05 + (index * index % 997) / 10,
      timings: index % 5 === 0 ? null : {
        dnsMs: index % 3 === 0 ? null : 0.05 * (index % 17),
        connectMs: 1.25,
        tlsMs: null,
        firstByteMs: (index * index % 997) / 7,
        totalMs: 2 + (index * index % 997) / 6
      },
      ...(index % 7 === 0 ? { outcome: "down", error: "got 503", cause: "status" } : {})
    }))

const newOne = Effect.gen(function*() {
  const { id: workspaceId } = yield* newWorkspace
  return { workspaceId, id: yield* newMonitor(workspaceId, "Shop", [{ state: "up", hoursAgo: 48 }]) }
})

layer(Ground, { excludeTestServices: true, timeout: "120 seconds" })("statistics", (it) => {
  it.effect("touch no check that a rollup holds, and none of another monitor", () =>
    Effect.gen(function*() {
      yield* Effect.flatMap(CheckPartitions, (partitions) => partitions.maintain())
      const { id, workspaceId } = yield* newOne
      const others = yield* Effect.replicateEffect(newOne, 20)
      const own = resultsOf(workspaceId, id, 60)
      yield* insert(own)
      yield* Effect.forEach(others, (other) => insert(resultsOf(other.workspaceId, other.id, 60)), { discard: true })
      const found = yield* looks(workspaceId, id, Date.now() - 24 * hour)
      expect(found.filter((node) => node["Node Type"] === "Seq Scan" && touched(node) > 0)).toEqual([])
      expect(found.reduce((sum, node) => sum + touched(node), 0)).toBe(own.length)
      expect((yield* looks(others[0]!.workspaceId, id, Date.now() - 24 * hour)).length).toBeGreaterThan(0)
    }))

  it.effect("bring no more from the database when a monitor has ten times as many checks", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { id, workspaceId } = yield* newOne
      const from = startOf(Date.now(), halfHour)
      const many = Array.from({ length: 5000 }, (_, index) =>
        resultOf({ id, workspaceId, revision: 1 }, index, { at: from + index, latencyMs: 20 + index % 100 / 10 }))
      yield* insert(many)
      const [row] = yield* sql<{ readonly groups: number }>`
        select json_array_length(${freshGroups(sql, workspaceId, id, from)}) as groups`
      // 20 to 30 ms are 21 buckets of 2 %; and there are checks that do not count.
      expect(row?.groups).toBeLessThan(25)
    }))

  it.effect("are those that the checks themselves give, in each region and half hour", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const rollups = yield* CheckRollups
      const { id, workspaceId } = yield* newOne
      yield* insert(resultsOf(workspaceId, id, 60))
      const checks = yield* Effect.flatMap(Checks, (all) => all.between(workspaceId, id, 0, Date.now() + hour))
      const [row] = yield* sql<{ readonly groups: Parameters<typeof freshRollup>[0] }>`
        select ${freshGroups(sql, workspaceId, id, 0)} as groups`
      expect(freshRollup(row!.groups)).toEqual(rollupOf(checks))
      expect((yield* rollups.halfHours(workspaceId, id, 0)).size).toBe(rollupOf(checks).size)
      const { failures, ...stats } = yield* Effect.flatMap(Checks, (all) =>
        run(all.readStats(workspaceId, id, DateTime.unsafeMake(0))))
      expect(stats.checks).toBe(
        checks.filter(({ counted }) =>
          counted
        ).length
      )
      expect([failures, stats.p95]).toEqual([
        checks.filter(({ counted, outcome }) => counted && outcome === "down").length,
        statsOf(yield* run(rollups.readTotal(workspaceId, id, 0))).p95
      ])
    }))
})
