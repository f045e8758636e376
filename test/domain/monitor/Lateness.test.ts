/** When a monitor's check counts as late, and how late a region's checks are. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { RegionId } from "../../../schema/check/Region.ts"
import { regionLateness } from "../../../src/domain/check/round/RegionClockSkew.ts"
import { overdue, type Punctuality } from "../../../src/domain/monitor/Lateness.ts"
import { makeBeat } from "../../support/probe/Beats.ts"

const monitor: Punctuality = { kind: "http", paused: false, intervalSec: 60, timeoutMs: 10_000, heardAt: 1_000_000, changedAt: 0 }

describe("a monitor", () => {
  it("is late if its next check does not arrive within its timeout, a tenth of its interval and 5 s for transport", () => {
    const expectedAt = 1_060_000
    expect(overdue(monitor, expectedAt + 21_000)).toBeNull()
    expect(overdue(monitor, expectedAt + 21_001)).toEqual({ expectedAt, lateSec: 21 })
  })

  it("is expected to be checked immediately when it is new, edited or resumed", () => {
    expect(overdue({ ...monitor, heardAt: null, changedAt: 5000 }, 100_000)).toEqual({ expectedAt: 5000, lateSec: 95 })
  })

  it("is never late while it is paused, nor as a heartbeat", () => {
    expect(overdue({ ...monitor, paused: true }, 1e9)).toBeNull()
    expect(overdue({ ...monitor, kind: "heartbeat" }, 1e9)).toBeNull()
  })

  it("that is late stays late until it is checked, and gets later", () => {
    fc.assert(fc.property(fc.integer({ min: 10, max: 86_400 }), fc.nat(1e9), fc.nat(1e6), (intervalSec, now, more) => {
      const one = { ...monitor, intervalSec }
      const [before, after] = [overdue(one, now), overdue(one, now + more)]
      expect(before === null || (after !== null && after.lateSec >= before.lateSec)).toBe(true)
      expect(overdue({ ...one, heardAt: now }, now)).toBeNull()
    }))
  })
})

describe("a region", () => {
  const beat = makeBeat({ region: RegionId.make("main") })

  it("is as late as its latest worker, and counts the checks of all", () => {
    expect(regionLateness([
      { ...beat, looks: 10, looksLate: 1, latenessP99Ms: 20 },
      { ...beat, looks: 5, looksLate: 5, latenessP99Ms: 9000 }
    ])).toEqual({ checks: 15, late: 6, p99Ms: 9000 })
  })

  it("has no lateness without beats", () => {
    expect(regionLateness([])).toBeNull()
  })
})
