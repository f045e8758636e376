/** The hourly averages that sparklines show. */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { RegionId } from "../../../../schema/check/Region.ts"
import { CheckId } from "../../../../schema/Ids.ts"
import { dayMs, decodeLatencies, encodeRollup, rollupOf, startOf } from "../../../../src/domain/check/history/CheckRollup.ts"
import { latencyTrend, trendStart } from "../../../../src/domain/check/history/ResponseSeries.ts"

const hour = 3_600_000
const now = 1_795_349_079_123

const checkAt = (at: number, latencyMs: number, region: string) => ({
  id: CheckId.make(""),
  at,
  region: RegionId.make(region),
  outcome: "up" as const,
  counted: true,
  latencyMs,
  statusCode: null,
  error: null,
  cause: null,
  timings: null,
  hasEvidence: false,
  omitted: null
})

describe("the latency trend", () => {
  const checks = fc.array(
    fc.tuple(fc.integer({ min: now - 30 * hour, max: now }), fc.integer({ min: 1, max: 60_000 }), fc.constantFrom("a", "b")),
    { maxLength: 60 }
  )

  it("is the average of each hour, wherever its checks are kept", () => {
    fc.assert(fc.property(checks, fc.nat(), (given, cut) => {
      const start = trendStart(now)
      const expected = Array.from({ length: 24 }, (_, index) => {
        const own = given.filter(([at]) => Math.floor((at - start) / hour) === index)
        return own.length === 0 ? null : own.reduce((sum, [, ms]) => sum + ms, 0) / own.length
      })
      const half = given.length === 0 ? 0 : cut % given.length
      const fresh = given.slice(half).map(([at, ms]) => ({ at, sumMs: ms, count: 1 }))
      const base = startOf(now - 30 * hour, dayMs)
      const kept = encodeRollup(rollupOf(given.slice(0, half).map(([at, ms, region]) => checkAt(at, ms, region))), base)
      const trend = latencyTrend([...decodeLatencies(kept, base), ...fresh], now)
      expect(trend.map((value) => value === null)).toEqual(expected.map((value) => value === null))
      for (const [index, value] of trend.entries()) {
        expect(Math.abs((value ?? 0) - (expected[index] ?? 0))).toBeLessThanOrEqual(0.51)
      }
    }))
  })
})
