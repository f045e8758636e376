/** Which regions rounds wait for while workers beat or fall silent, and while the listener itself is cut off. */
import { describe, expect, it } from "@effect/vitest"
import type { Beat } from "../../../../schema/check/Bus.ts"
import { RegionId } from "../../../../schema/check/Region.ts"
import { makeRegionWatch, type RegionWatch } from "../../../../src/domain/check/round/RegionWatch.ts"
import { makeBeat } from "../../../support/probe/Beats.ts"

const [eu, us, ap] = ["eu", "us", "ap"].map((id) => RegionId.make(id)) as [RegionId, RegionId, RegionId]
const start = 1_700_000_000_000
const seconds = (count: number) => start + count * 1000

const beatOf = (region: RegionId, healthy = true, workerId = `${region}-1`): Beat =>
  makeBeat({ region, workerId, healthy, reason: healthy ? null : "None of the canaries can be reached" })

/** Refreshes every second from one to the other; each region in `beating` beats every 10 s. */
const pass = (watch: RegionWatch, from: number, to: number, beating: ReadonlyArray<RegionId>) => {
  for (let second = from; second < to; second++) {
    for (const [index, region] of beating.entries()) if (second % 10 === index) watch.recordBeat(beatOf(region), seconds(second))
    watch.refresh(seconds(second))
  }
}

const away = (watch: RegionWatch, second: number) => [eu, us, ap].filter((region) => watch.isAway(region, seconds(second)))

describe("regions", () => {
  it("are waited for by a process that has just started to listen", () => {
    const watch = makeRegionWatch(start)
    watch.recordBeat(beatOf(ap), seconds(1))
    expect(away(watch, 1)).toEqual([])
    pass(watch, 2, 30, [ap])
    expect(away(watch, 29)).toEqual([])
    pass(watch, 30, 32, [ap])
    expect(away(watch, 31)).toEqual([eu, us])
  })

  it("are gone after 30 s without a beat, and back with the next one", () => {
    const watch = makeRegionWatch(start)
    pass(watch, 0, 60, [eu, us, ap])
    // Heard last at 51.
    pass(watch, 60, 81, [eu, ap])
    expect(away(watch, 80)).toEqual([])
    pass(watch, 81, 90, [eu, ap])
    expect(away(watch, 89)).toEqual([us])
    watch.recordBeat(beatOf(us), seconds(90))
    expect(away(watch, 90)).toEqual([])
  })

  it("are known to have been heard after an instant, until the listener starts again", () => {
    const watch = makeRegionWatch(start)
    pass(watch, 0, 60, [eu, us])
    pass(watch, 60, 100, [eu])
    // Heard last at 51.
    expect([50, 51].map((second) => watch.heardSince(us, seconds(second)))).toEqual([true, false])
    expect(watch.heardSince(ap, start)).toBe(false)
    pass(watch, 200, 201, [eu])
    expect(watch.heardSince(us, seconds(50))).toBe(false)
  })

  it("are not gone because the first of them is heard again after the bus was away, or the listener asleep", () => {
    const watch = makeRegionWatch(start)
    pass(watch, 0, 60, [eu, us, ap])
    pass(watch, 60, 120, [])
    expect(away(watch, 119)).toEqual([])
    watch.recordBeat(beatOf(ap), seconds(120))
    expect(away(watch, 120)).toEqual([])
    pass(watch, 121, 150, [ap])
    expect(away(watch, 149)).toEqual([])
    pass(watch, 150, 153, [ap])
    expect(away(watch, 152)).toEqual([eu, us])
  })

  it("are not judged by a process that has just resumed and has heard nothing yet", () => {
    const watch = makeRegionWatch(start)
    pass(watch, 0, 60, [eu, us])
    expect(away(watch, 59)).toEqual([ap])
    // Only the clock shows that time has passed.
    expect(away(watch, 71)).toEqual([])
    expect(watch.listened(seconds(50), seconds(71))).toBe(0)
    pass(watch, 72, 104, [eu, us])
    expect(away(watch, 103)).toEqual([])
    expect(watch.listened(seconds(50), seconds(103))).toBeLessThan(32_000)
    pass(watch, 104, 112, [eu, us])
    expect(away(watch, 111)).toEqual([ap])
  })

  it("are not gone because they were the first to fall silent when the bus went away", () => {
    const watch = makeRegionWatch(start)
    pass(watch, 0, 60, [eu, us, ap])
    // The bus is away from second 61 on, for less than the listener needs to count as cut off; us was heard last at 51, eu at 60.
    watch.recordBeat(beatOf(eu), seconds(60))
    pass(watch, 61, 83, [])
    watch.recordBeat(beatOf(eu), seconds(83))
    expect(away(watch, 83)).toEqual([])
    expect(watch.listened(seconds(60), seconds(83))).toBe(0)
  })

  it("get no listening time while a batch of results is not done", () => {
    const watch = makeRegionWatch(start)
    pass(watch, 0, 60, [eu, us])
    const done = watch.beginBatch(seconds(60))
    pass(watch, 60, 120, [eu, us])
    expect(watch.listened(seconds(60), seconds(119))).toBe(0)
    done(seconds(120))
    pass(watch, 120, 141, [eu, us])
    expect(watch.listened(seconds(60), seconds(140))).toBe(20_000)
    expect(away(watch, 140)).toEqual([])
  })

  it("are not away while their results arrive, even if their beats are lost", () => {
    const watch = makeRegionWatch(start)
    for (let second = 0; second < 120; second++) {
      if (second % 10 === 0) watch.recordResult(eu, seconds(second) - 500, seconds(second))
      // A result from a backlog says nothing about the present.
      if (second % 10 === 5) watch.recordResult(us, seconds(second) - 40_000, seconds(second))
      watch.refresh(seconds(second))
      expect(watch.isAway(eu, seconds(second))).toBe(false)
    }
    expect(away(watch, 119)).toEqual([us, ap])
  })

  it("count a change only when the set of those that are away changes", () => {
    const watch = makeRegionWatch(start)
    pass(watch, 0, 60, [eu, us, ap])
    const before = watch.changes()
    pass(watch, 60, 80, [eu, us, ap])
    expect(watch.changes()).toBe(before)
    pass(watch, 80, 120, [eu, us])
    expect(watch.changes()).toBe(before + 1)
  })

  it("are judged from scratch after the clock was set back", () => {
    const watch = makeRegionWatch(start)
    pass(watch, 3600, 3660, [eu, us, ap])
    pass(watch, 0, 30, [ap])
    expect(away(watch, 29)).toEqual([])
    pass(watch, 30, 33, [ap])
    expect(away(watch, 32)).toEqual([eu, us])
  })

  it("are sick, but not away, while all their workers distrust themselves", () => {
    const watch = makeRegionWatch(start)
    watch.recordBeat(beatOf(eu, false), seconds(1))
    expect([watch.isSick(eu), watch.isSick(us), watch.isAway(eu, seconds(1))]).toEqual([true, false, false])
    watch.recordBeat(beatOf(eu, true, "eu-2"), seconds(2))
    expect(watch.isSick(eu)).toBe(false)
  })
})
