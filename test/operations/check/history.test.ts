/** The regions' checks of a monitor, and the response times that a page publishes: from rows, and from rollups once they are blocks. */
import { expect, layer } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { makeCompaction } from "../../../cluster/check/CheckCompactor.ts"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { makeCheckId } from "../../../src/domain/check/history/CheckKey.ts"
import { ReadRegions } from "../../../src/operations/check/ReadRegions.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { PublicResponseTimes } from "../../../src/operations/page/PublicResponseTimes.ts"
import { Checks } from "../../../src/store/check/Checks.ts"
import { newMonitor } from "../../pages/Fixtures.ts"
import { Ground, newWorkspace, resultOf } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const [eu, us] = [RegionId.make("eu"), RegionId.make("us")]
const hour = 3_600_000

const ground = Layer.mergeAll(
  ReadRegions.Default,
  PublicResponseTimes.Default,
  ManageComponents.Default,
  ManagePages.Default
).pipe(Layer.provideMerge(Ground))

/** One check a minute in each region; the one in `us` fails every second time, and stopped three hours ago. */
const resultsOf = (workspaceId: WorkspaceId, id: MonitorId, hours: number) =>
  Array.from({ length: hours * 60 }, (_, index) => {
    const at = Date.now() - hours * hour + index * 60_000
    const one = (region: RegionId, more: Partial<CheckResult>) => ({
      ...resultOf({ id, workspaceId, revision: 1 }, index, { at, region, ...more }),
      checkId: makeCheckId(id, at, randomBytes(10))
    })
    return [
      one(eu, { latencyMs: 100 }),
      ...(index < (hours - 3) * 60 ? [one(us, index % 2 === 0 ? { outcome: "down", latencyMs: null } : { latencyMs: 300 })] : [])
    ]
  }).flat()

const insert = (results: ReadonlyArray<CheckResult>) =>
  Effect.flatMap(Checks, (checks) => checks.insert(results.map((result) => ({ result, counted: true }))))

layer(ground, { excludeTestServices: true, timeout: "60 seconds" })("the history of a monitor", (it) => {
  it.effect("says for each region how it is, what it saw last, how fast and how often it failed, and how late it is", () =>
    Effect.gen(function*() {
      const { id: workspaceId } = yield* newWorkspace
      const id = yield* newMonitor(workspaceId, "Shop")
      const results = resultsOf(workspaceId, id, 6)
      yield* insert(results)
      const read = Effect.flatMap(ReadRegions, (regions) => regions.ofMonitor(workspaceId, id, 24))
      const asRows = yield* read
      expect(asRows.map(({ region }) => region)).toEqual(["eu", "main", "us"])
      const [inEu, inMain, inUs] = asRows
      expect(inEu).toMatchObject({ checks: 360, failures: 0, avg: 100 })
      expect(Math.abs((inEu?.p95 ?? 0) - 100)).toBeLessThan(1.1)
      expect(inMain).toMatchObject({ checks: 0, lastCheck: null, lateSec: null })
      expect(inUs).toMatchObject({ checks: 180, failures: 90, avg: 300 })
      expect(inUs?.lastCheck?.id).toBe(results.filter(({ region }) => region === us).at(-1)?.checkId)
      yield* Effect.flatten(makeCompaction)
      expect(yield* read).toEqual(asRows)
    }))

  it.effect("shows response times only where the page and the component publish them", () =>
    Effect.gen(function*() {
      const times = yield* PublicResponseTimes
      const { id: workspaceId } = yield* newWorkspace
      const id = yield* newMonitor(workspaceId, "API")
      yield* insert(resultsOf(workspaceId, id, 6))
      const pageOf = (name: string, showResponseTimes: boolean) =>
        Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name, settings: { showResponseTimes } }))
      const follow = (pageId: string, showResponseTimes: boolean, more: object = {}) =>
        Effect.flatMap(ManageComponents, (components) =>
          components.create(workspaceId, pageId, { name: "API", monitorIds: [id], showResponseTimes, ...more }))
      const page = yield* pageOf("Open", true)
      const shown = yield* follow(page.id, true)
      for (
        const [range, buckets, bucketSec] of [["24h", 48, 1800], ["7d", 56, 10_800], ["30d", 60, 43_200], [
          "90d",
          90,
          86_400
        ]] as const
      ) {
        const series = yield* times.get(page.slug, shown.id, range)
        expect([series.data.length, series.bucketSec, series.range]).toEqual([buckets, bucketSec, range])
        expect(series.data.reduce((sum, { count }) =>
          sum + count, 0)).toBe(450)
      }
      const byKey = yield* times.get(page.slug, "api", "24h")
      expect(byKey.data.at(-1)?.p50).toBeGreaterThan(98)
      expect(byKey.data[0]).toMatchObject({ p50: null, p95: null, count: 0 })
      const quiet = yield* pageOf("Quiet", false)
      yield* follow(quiet.id, true)
      const half = yield* pageOf("Half", true)
      const withheld = yield* follow(half.id, false)
      const hidden = yield* pageOf("Hidden", true)
      yield* follow(hidden.id, true, { hidden: true })
      for (
        const [slug, component] of [[quiet.slug, "api"], [half.slug, "api"], [hidden.slug, "api"], [page.slug, "no"], [
          "no-page",
          "api"
        ]] as const
      ) {
        expect((yield* Effect.flip(times.get(slug, component, "24h")))._tag).toBe("not_found")
      }
      const status = Effect.map(Effect.either(times.get(half.slug, "api", "24h")), Either.isRight)
      const publish = (showResponseTimes: boolean) =>
        Effect.flatMap(ManageComponents, (components) => components.update(workspaceId, withheld.id, { showResponseTimes }))
      yield* publish(true)
      yield* until(status, (isShown) => isShown, "4 seconds")
      yield* publish(false)
      yield* until(status, (isShown) => !isShown, "4 seconds")
    }))
})
