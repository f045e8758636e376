/** Which regions are waited for, as their workers beat, fall silent, and as the listener itself is deaf. */
import { describe, expect, it } from "@effect/vitest"
import type { Beat } from "../../schema/Bus.ts"
import { RegionId } from "../../schema/Region.ts"
import { makeRegionWatch, type RegionWatch } from "../../src/domain/RegionWatch.ts"

const [eu, us, ap] = ["eu", "us", "ap"].map((id) => RegionId.make(id)) as [RegionId, RegionId, RegionId]
const start = 1_700_000_000_000
const seconds = (count: number) => start + count * 1000

const beatOf = (region: RegionId, healthy = true, workerId = `${region}-1`): Beat => ({
  region, workerId, at: 0, healthy, reason: healthy ? null : "None of the canaries can be reached", monitors: 1
})

/** Each second from one to the other; every region beats when its time has come. */
const pass = (watch: RegionWatch, from: number, to: number, beating: ReadonlyArray<RegionId>) => {
  for (let second = from; second < to; second++) {
    for (const [index, region] of beating.entries()) if (second % 10 === index) watch.hear(beatOf(region), seconds(second))
    watch.refresh(seconds(second))
  }
}

const away = (watch: RegionWatch) => [eu, us, ap].filter(watch.isAway)

describe("regions", () => {
  it("are waited for by a process that has only just begun to listen", () => {
    const watch = makeRegionWatch(start)
    watch.hear(beatOf(ap), seconds(1))
    expect(away(watch)).toEqual([])
    pass(watch, 2, 30, [ap])
    expect(away(watch)).toEqual([])
    pass(watch, 30, 32, [ap])
    expect(away(watch)).toEqual([eu, us])
  })

  it("are gone after 30 s without a beat, and back with the next one", () => {
    const watch = makeRegionWatch(start)
    pass(watch, 0, 60, [eu, us, ap])
    pass(watch, 60, 82, [eu, ap])
    expect(away(watch)).toEqual([])
    pass(watch, 82, 90, [eu, ap])
    expect(away(watch)).toEqual([us])
    watch.hear(beatOf(us), seconds(90))
    expect(away(watch)).toEqual([])
  })

  it("are not gone because the first of them is heard again after the bus was away, or the listener asleep", () => {
    const watch = makeRegionWatch(start)
    pass(watch, 0, 60, [eu, us, ap])
    pass(watch, 60, 120, [])
    expect(away(watch)).toEqual([])
    watch.hear(beatOf(ap), seconds(120))
    expect(away(watch)).toEqual([])
    pass(watch, 121, 150, [ap])
    expect(away(watch)).toEqual([])
    pass(watch, 150, 153, [ap])
    expect(away(watch)).toEqual([eu, us])
  })

  it("are judged anew when the clock was set back", () => {
    const watch = makeRegionWatch(start)
    pass(watch, 3600, 3660, [eu, us, ap])
    pass(watch, 0, 30, [ap])
    expect(away(watch)).toEqual([])
    pass(watch, 30, 33, [ap])
    expect(away(watch)).toEqual([eu, us])
  })

  it("are away while all their workers distrust themselves", () => {
    const watch = makeRegionWatch(start)
    watch.hear(beatOf(eu, false), seconds(1))
    expect(away(watch)).toEqual([eu])
    watch.hear(beatOf(eu, true, "eu-2"), seconds(2))
    expect(away(watch)).toEqual([])
  })
})
