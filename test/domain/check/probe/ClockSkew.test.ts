/** The measure of a probe's clock against the servers' time, whatever the transport does. */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import type { Beat } from "../../../../schema/check/Bus.ts"
import { RegionId } from "../../../../schema/check/Region.ts"
import { correctionFor, makeClockSkew, reasonAgainst, skewInWords } from "../../../../src/domain/check/probe/ClockSkew.ts"
import { mostSkewed, regionClockSkew, skewWarning } from "../../../../src/domain/check/round/RegionClockSkew.ts"
import { makeBeat } from "../../../support/probe/Beats.ts"

const start = Date.UTC(2026, 0, 1)
const hour = 3_600_000

/** The servers tell the time every second; `delays` are those of the transport, and `skewAt` is how far the clock is ahead. */
const follow = (delays: ReadonlyArray<number>, skewAt: (second: number) => number) => {
  const skew = makeClockSkew()
  for (const [second, delay] of delays.entries()) {
    const theirs = start + second * 1000
    const arrived = theirs + delay
    skew.hear({ theirs, wall: arrived + skewAt(second), steady: arrived - start })
  }
  return skew
}

const delays = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 4, maxLength: 120 })
const skews = fc.integer({ min: -24 * hour, max: 24 * hour })

describe("a clock's skew", () => {
  it("is measured to within the shortest delay of a minute, and corrected to within half a second more", () => {
    fc.assert(fc.property(delays, skews, (waits, ahead) => {
      const skew = follow(waits, () => ahead)
      const shortest = Math.min(...waits.slice(-60))
      expect(skew.measured()).toBe(ahead + shortest)
      expect(Math.abs(ahead - skew.correction())).toBeLessThanOrEqual(shortest + 500)
    }))
  })

  it("is measured again when the time of the machine is set, and the correction follows", () => {
    fc.assert(fc.property(skews, skews, (before, after) => {
      const skew = follow(Array(40).fill(20), (second) => (second < 20 ? before : after))
      expect(Math.abs(after - skew.correction())).toBeLessThanOrEqual(520)
    }))
  })

  it("is not measured by messages that waited and arrive together", () => {
    const skew = makeClockSkew()
    for (let second = 0; second < 30; second++) {
      skew.hear({ theirs: start + second * 1000, wall: start + 30_000 + second, steady: 30_000 + second })
    }
    expect([skew.measured(), skew.correction()]).toEqual([null, 0])
  })

  it("of a clock that NTP keeps is left alone, and a correction does not follow each measure", () => {
    fc.assert(fc.property(fc.integer({ min: -500, max: 500 }), (ahead) => {
      expect(correctionFor(ahead, 0)).toBe(0)
    }))
    expect([correctionFor(300_100, 300_000), correctionFor(300_300, 300_000), correctionFor(20, 300_000)])
      .toEqual([300_000, 300_300, 0])
  })

  it("of more than an hour is a reason not to count results", () => {
    expect([reasonAgainst(hour), reasonAgainst(-hour)]).toEqual([null, null])
    expect(reasonAgainst(26 * hour + 61_000)).toBe("The clock of the probe is 26 h 1 min 1 s ahead. Set it, for example with NTP")
    expect(skewInWords(-2000)).toBe("2 s behind")
  })
})

describe("a region's clock skew", () => {
  const beat = (workerId: string, clockSkewMs: number | null): Beat =>
    makeBeat({ region: RegionId.make("eu"), workerId, at: start, clockSkewMs })

  it("is that of the worker whose clock is most off", () => {
    expect(regionClockSkew([beat("a", 3), beat("b", -300_000), beat("c", null)])).toBe(-300_000)
    expect(regionClockSkew([beat("a", null), beat("b", null)])).toBeNull()
  })

  it("is measured for the 50 workers whose clocks are most off, by ids of 64 characters at most", () => {
    const all = Array.from({ length: 200 }, (_, n) => beat(`${n}`.padStart(200, "w"), n % 2 === 0 ? n * 10 : n * -10))
    const found = mostSkewed([...all, beat("unknown", null)])
    expect(found).toHaveLength(50)
    expect(found.slice(0, 3).map(({ clockSkewMs }) => clockSkewMs)).toEqual([-1_990, 1_980, -1_970])
    expect(found.every(({ workerId }) => workerId.length === 64)).toBe(true)
  })

  it("is reported once for each worker", () => {
    const off = beat("a", 300_000)
    expect(skewWarning(null, off)).toBe(
      "The clock of probe worker a in region eu is 5 min ahead; the times of its checks are corrected"
    )
    expect([skewWarning(off, off), skewWarning(null, beat("a", 100)), skewWarning(off, beat("a", 0))]).toEqual([null, null, null])
  })
})
