/** How much evidence is stored: for a monitor that keeps failing, and for a workspace in a day. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { type DateTime, Effect, Layer } from "effect"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import type { Evidence } from "../../../schema/check/Check.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { type FailureStreak, keepsEvidence, nextStreak } from "../../../src/domain/check/history/EvidenceSampling.ts"
import { Checks } from "../../../src/store/check/Checks.ts"
import { EvidenceQuota, EvidenceUsage } from "../../../src/store/check/EvidenceUsage.ts"
import { mint } from "../../../src/store/Mint.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"
import { resultOf } from "../../support/program/TestRunner.ts"

const quota = 1_000_000
const ground = Layer.mergeAll(Checks.Default, EvidenceUsage.Default).pipe(
  Layer.provideMerge(Layer.merge(TestDatabase, Layer.succeed(EvidenceQuota, quota)))
)

/** About 80 KB: a page of 16,384 characters of four bytes, and headers. */
const evidence: Evidence = {
  request: { method: "GET", url: "https://shop.test/" },
  remoteAddress: "192.0.2.1",
  responseHeaders: { "x-filler": "y".repeat(14_000) },
  body: "\u{1f680}".repeat(16_384),
  bodyTruncated: true,
  redirects: [],
  certificate: null,
  assertions: []
}

const failure: Partial<CheckResult> = {
  outcome: "down",
  statusCode: 503,
  cause: "status",
  error: "Expected status 200-299, got 503"
}

const newIds = Effect.gen(function*() {
  const workspaceId = yield* mint("ws", WorkspaceId)
  return { workspaceId, monitor: { id: yield* mint("mon", MonitorId), workspaceId, revision: 1 } }
})

const storedBytes = (workspaceId: WorkspaceId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly bytes: number; readonly checks: number }>`
        select coalesce(sum(octet_length(evidence::text)), 0)::float8 as bytes, count(*)::int as checks from checks
        where workspace_id = ${workspaceId}`,
      ([row]) => row
    ))

const insert = (results: ReadonlyArray<CheckResult>) =>
  Effect.flatMap(Checks, (checks) => checks.insert(results.map((result) => ({ result, counted: true }))))

const read = (workspaceId: WorkspaceId, id: MonitorId, limit: number) =>
  Effect.flatMap(
    Checks,
    (checks) =>
      Effect.map(checks.page(workspaceId, id, { outcome: null, before: null, limit, evidence: true }), (page) => page.checks)
  )

layer(ground, { excludeTestServices: true, timeout: "60 seconds" })("the evidence", (it) => {
  it.effect("of a monitor that fails 1,000 times takes less than that of 17 checks, and the others name the one they repeat", () =>
    Effect.gen(function*() {
      const { monitor, workspaceId } = yield* newIds
      let streak: FailureStreak | null = null
      const results: Array<CheckResult> = []
      for (let slot = 0; slot < 1000; slot++) {
        const result = resultOf(monitor, slot, failure)
        const next: FailureStreak = nextStreak(streak, result)!
        const keeps = keepsEvidence(next, result.at)
        streak = keeps ? { ...next, shownBy: { checkId: result.checkId, at: result.at } } : next
        // Small, so that the quota does not matter.
        results.push(
          keeps
            ? { ...result, evidence: { ...evidence, body: "b".repeat(16_384) } }
            : { ...result, repeats: streak.shownBy!.checkId }
        )
      }
      yield* insert(results)
      expect(yield* storedBytes(workspaceId)).toMatchObject({ checks: 1000 })
      expect((yield* storedBytes(workspaceId))!.bytes).toBeLessThan(17 * 32_000)
      const rows = yield* read(workspaceId, monitor.id, 1000)
      const [newest] = rows
      expect(newest).toMatchObject({ hasEvidence: false, evidence: null, evidenceOmitted: { reason: "repeats" } })
      const shown = rows.find(({ id }) => id === newest?.evidenceOmitted?.checkId)
      expect(shown).toMatchObject({ hasEvidence: true, evidenceOmitted: null })
    }))

  it.effect("of a workspace with many failing monitors stays within its quota; its checks are kept and say so", () =>
    Effect.gen(function*() {
      const { workspaceId } = yield* newIds
      const other = yield* newIds
      const monitors = yield* Effect.replicateEffect(newIds, 100)
      const results = monitors.map(({ monitor }, slot) => ({ ...resultOf({ ...monitor, workspaceId }, slot, failure), evidence }))
      // As four runners write them at the same time.
      yield* Effect.forEach([0, 1, 2, 3], (part) => insert(results.slice(part * 25, part * 25 + 25)), {
        concurrency: "unbounded"
      })
      yield* insert([{ ...resultOf(other.monitor, 1, failure), evidence }])
      const stored = yield* storedBytes(workspaceId)
      expect(stored!.checks).toBe(100)
      expect(stored!.bytes).toBeLessThanOrEqual(quota)
      expect(stored!.bytes).toBeGreaterThan(quota / 2)
      const [last] = yield* read(workspaceId, results.at(-1)!.monitorId, 1)
      const [first] = yield* read(other.workspaceId, other.monitor.id, 1)
      expect([first?.hasEvidence, first?.evidenceOmitted]).toEqual([true, null])
      const reasons = yield* Effect.flatMap(
        SqlClient.SqlClient,
        (sql) =>
          sql`select distinct evidence_omitted as reason from checks where workspace_id = ${workspaceId} and evidence is null`
      )
      expect(reasons).toEqual([{ reason: "quota" }])
      expect(last?.evidenceOmitted === null).toBe(last?.hasEvidence)
    }))

  it.effect("is listed in pages of bounded size", () =>
    Effect.gen(function*() {
      const { monitor, workspaceId } = yield* newIds
      const sql = yield* SqlClient.SqlClient
      yield* insert(Array.from({ length: 100 }, (_, slot) => resultOf(monitor, slot, failure)))
      yield* sql`update checks set evidence = ${JSON.stringify(evidence)}::json where workspace_id = ${workspaceId}`
      const page = yield* read(workspaceId, monitor.id, 100)
      expect(page.length).toBeGreaterThan(5)
      expect(JSON.stringify(page).length).toBeLessThan(4 * 1024 * 1024)
      expect(page.length).toBeLessThan(100)
    }))

  it.effect("ends a page with all checks of its last time, so that the next page misses none", () =>
    Effect.gen(function*() {
      const { monitor, workspaceId } = yield* newIds
      const checks = yield* Checks
      const sql = yield* SqlClient.SqlClient
      const results = Array.from({ length: 60 }, (_, index) => {
        const slot = Math.floor(index / 3)
        const { at } = resultOf(monitor, slot, failure)
        return resultOf(monitor, index, { ...failure, at, region: RegionId.make(`r${index % 3}`) })
      })
      yield* insert(results)
      yield* sql`update checks set evidence = ${JSON.stringify(evidence)}::json where workspace_id = ${workspaceId}`
      const seen: Array<string> = []
      let [before, goesOn, pages]: [DateTime.Utc | null, boolean, number] = [null, true, 0]
      while (goesOn) {
        const page: Effect.Effect.Success<ReturnType<typeof checks.page>> = yield* checks.page(workspaceId, monitor.id, {
          outcome: null,
          before,
          limit: 100,
          evidence: true
        })
        seen.push(...page.checks.map(({ id }) => id))
        before = page.checks.at(-1)?.at ?? null
        goesOn = page.goesOn
        pages += 1
      }
      expect(pages).toBeGreaterThan(1)
      expect(seen.sort()).toEqual(results.map(({ checkId }) => checkId).sort())
    }))
})
