/** The history of a monitor: bounded, in its buckets, with states cut to the range. */
import { DateTime } from "effect"
import { describe, expect, it } from "vitest"
import { RegionId } from "../../../../schema/check/Region.ts"
import { CheckId } from "../../../../schema/Ids.ts"
import { halfHour, rollupOf } from "../../../../src/domain/check/history/CheckRollup.ts"
import { historyStart, latencySeries, monitorHistory } from "../../../../src/domain/check/history/ResponseSeries.ts"
import type { StoredCheck } from "../../../../src/domain/check/history/StoredCheck.ts"

const now = DateTime.unsafeMake("2026-11-22T12:10:00Z").epochMillis

const checkAt = (at: number, region: string, more: Partial<StoredCheck> = {}): StoredCheck => ({
  id: CheckId.make("chk_01k9x2m4q8e7s9v3bthn5wza6c"),
  at,
  region: RegionId.make(region),
  outcome: "up",
  counted: true,
  statusCode: 200,
  latencyMs: 100,
  error: null,
  cause: null,
  timings: { dnsMs: 10, connectMs: 20, tlsMs: null, firstByteMs: 50.5, totalMs: 100 },
  hasEvidence: false,
  omitted: null,
  ...more
})

describe("the latencies of a monitor", () => {
  it("have at most 180 buckets in each region, whatever the range", () => {
    for (const [range, most] of [["24h", 48], ["7d", 168], ["30d", 180], ["90d", 90]] as const) {
      const start = historyStart(range, now)
      const checks = Array.from(
        { length: Math.ceil((now - start) / halfHour) },
        (_, index) => checkAt(start + index * halfHour, index % 2 === 0 ? "eu" : "us")
      )
      const series = latencySeries(range, rollupOf([checkAt(start - 1, "old"), ...checks]), now)
      expect(series.map(({ region }) => region)).toEqual(["eu", "us"])
      expect(Math.max(...series.map(({ data }) => data.length))).toBeLessThanOrEqual(most)
    }
  })

  it("have the mean of each phase, of the checks that were not down", () => {
    const rollup = rollupOf([
      checkAt(now, "eu"),
      checkAt(now, "eu", { timings: { dnsMs: 20, connectMs: 20, tlsMs: 30, firstByteMs: 20, totalMs: 100 } }),
      checkAt(now, "eu", { outcome: "down", latencyMs: null }),
      checkAt(now, "eu", { timings: null })
    ])
    const [eu] = latencySeries("24h", rollup, now)
    expect(eu?.data).toMatchObject([{
      checks: 4,
      failures: 1,
      phases: { dnsMs: 15, connectMs: 20, tlsMs: 15, firstByteMs: 35.3, responseMs: 14.8 }
    }])
  })
})

describe("a history that ends in the past", () => {
  it("has the buckets and states until then, cut at its end", () => {
    const until = now - 30 * 3_600_000
    const series = latencySeries("24h", rollupOf([checkAt(until - 1, "eu"), checkAt(now, "eu")]), until)
    expect(series.map(({ data }) => data.length)).toEqual([1])
    const { states, to } = monitorHistory("24h", {
      regions: series,
      spans: [
        { state: "up", startedAt: until - 9000, endedAt: until + 5000 },
        { state: "down", startedAt: until + 5000, endedAt: null }
      ]
    }, until)
    expect(to.epochMillis).toBe(until)
    expect(states.map(({ state, to: end }) => [state, end?.epochMillis])).toEqual([["up", until]])
  })
})

describe("the states of a monitor", () => {
  it("begin with the range and end with the current one", () => {
    const start = historyStart("24h", now)
    const { states } = monitorHistory("24h", {
      regions: [],
      spans: [
        { state: "up", startedAt: start - 9000, endedAt: start - 5000 },
        { state: "down", startedAt: start - 5000, endedAt: start + 5000 },
        { state: "up", startedAt: start + 5000, endedAt: null }
      ]
    }, now)
    expect(states.map(({ from, state, to }) => [state, from.epochMillis, to?.epochMillis ?? null])).toEqual([
      ["down", start, start + 5000],
      ["up", start + 5000, null]
    ])
  })

  it("are the newest 500", () => {
    const spans = Array.from(
      { length: 700 },
      (_, index) => ({ state: "up" as const, startedAt: now - 800_000 + index * 1000, endedAt: now - 799_000 + index * 1000 })
    )
    expect(monitorHistory("24h", { regions: [], spans }, now).states.length).toBe(500)
  })
})
