/** A region whose results stop counting, and count again, is named in the log each time. */
import { expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { makeRegionIsolation } from "../../../cluster/check/RegionIsolation.ts"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import { Regions } from "../../../src/store/check/Regions.ts"
import { monitor, result } from "../../bus/Fixtures.ts"
import { collectingLog } from "../../support/measure/CollectingLog.ts"

const [eu, us] = [RegionId.make("eu"), RegionId.make("us")]

const noRows = Regions.make({
  known: Effect.succeed([]),
  heard: () => Effect.void,
  stored: () => Effect.void,
  foundAlone: () => Effect.void
})

it.effect("logs once that a region alone sees its targets fail, and once that its results count again", () => {
  const lines: Array<string> = []
  return Effect.gen(function*() {
    const isolation = yield* makeRegionIsolation
    const at = yield* Clock.currentTimeMillis
    const see = (region: RegionId, outcome: CheckResult["outcome"]) => {
      for (let n = 0; n < 25; n++) isolation.note({ ...result(monitor(n), 1), region, outcome, at })
    }
    see(us, "up")
    see(eu, "down")
    yield* isolation.judge
    yield* isolation.judge
    expect(isolation.isIsolated(eu)).toBe(true)
    see(eu, "up")
    yield* isolation.judge
    yield* isolation.judge
    expect(isolation.isIsolated(eu)).toBe(false)
    expect(lines).toEqual([
      expect.stringMatching(/^Region eu alone sees most of its targets fail; /),
      "The results of region eu count again"
    ])
  }).pipe(Effect.provideService(Regions, noRows), Effect.provide(collectingLog(lines)))
})
