/** A region that alone sees failures is itself at fault; an outage that other regions see too is real. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Outcome } from "../../../../schema/check/Check.ts"
import { RegionId } from "../../../../schema/check/Region.ts"
import { WorkspaceId } from "../../../../schema/Ids.ts"
import { isolatedRegions, mayBeIsolated, type SeenMonitor } from "../../../../src/domain/check/round/IsolatedRegions.ts"

const now = 1_700_000_000_000
const workspaceOf = (n: number) => WorkspaceId.make(`ws_${String(n).padStart(26, "0")}`)
type Looks = Readonly<Record<string, Outcome>>
const seen = (looks: Looks, owner = 1, age = 1000): SeenMonitor => ({
  workspaceId: workspaceOf(owner),
  regions: new Map(Object.entries(looks).map(([region, outcome]) => [RegionId.make(region), { outcome, at: now - age }]))
})
const many = (count: number, looks: Looks, owner?: number, age?: number) =>
  Array.from({ length: count }, () => seen(looks, owner, age))
const isolated = (...monitors: ReadonlyArray<ReadonlyArray<SeenMonitor>>) => [...isolatedRegions(monitors.flat(), now)]

describe("regions that fail alone", () => {
  it("are found when more than half of at least twenty monitors are down there and up elsewhere", () => {
    expect(isolated(many(11, { eu: "down", us: "up" }), many(9, { eu: "up", us: "up" }))).toEqual(["eu"])
    expect(isolated(many(10, { eu: "down", us: "up" }), many(10, { eu: "up", us: "up" }))).toEqual([])
    expect(isolated(many(19, { eu: "down", us: "up" }))).toEqual([])
  })

  it("are not blamed for an outage that another region sees too", () => {
    expect(isolated(many(40, { eu: "down", us: "down", ap: "up" }))).toEqual([])
  })

  it("are not blamed when no other region checks: everything may really be down", () => {
    expect(isolated(many(500, { main: "down" }))).toEqual([])
  })

  it("are not judged by old checks", () => {
    expect(isolated(many(40, { eu: "down", us: "up" }, 1, 200_000))).toEqual([])
  })
})

describe("a workspace whose host refuses one region", () => {
  const refused = many(25, { eu: "up", us: "down" })

  it("does not silence a region that works for a monitor of another workspace, compared or not", () => {
    expect(isolated(refused)).toEqual(["us"])
    expect(isolated(refused, many(1, { us: "up" }, 2))).toEqual([])
    expect(isolated(refused, many(1, { us: "up" }, 2, 290_000))).toEqual([])
    expect(isolated(refused, many(1, { eu: "up", us: "up" }, 2))).toEqual([])
  })

  it("does not silence it together with another of its customers", () => {
    expect(isolated(refused, many(25, { eu: "up", us: "down" }, 2), many(1, { us: "up" }, 3))).toEqual([])
  })

  it("does not silence it while most of the region's monitors are well, whosever they are", () => {
    const three = [1, 2, 3].map((owner) => many(10, { eu: "up", us: "down" }, owner))
    expect(isolated(...three)).toEqual(["us"])
    expect(isolated(...three, many(30, { us: "up" }, 4))).toEqual([])
  })
})

const outcome = fc.constantFrom<Outcome>("up", "down", "degraded")
const someLooks = fc.dictionary(fc.constantFrom("eu", "us", "ap"), outcome, { minKeys: 1 })
const monitorsOf = (owners: fc.Arbitrary<number>, looks: fc.Arbitrary<Looks>) =>
  fc.array(
    fc.record({ owner: owners, looks, count: fc.integer({ min: 1, max: 30 }) }).map(({ count, looks, owner }) =>
      many(count, looks, owner)
    ),
    { maxLength: 8 }
  ).map((groups) => groups.flat())

/** The rule for a deployment with one workspace. */
const aloneIsIsolated = (monitors: ReadonlyArray<SeenMonitor>, region: RegionId): boolean => {
  const comparable = monitors.filter(({ regions }) => {
    const elsewhere = [...regions].filter(([other]) => other !== region)
    return regions.has(region) && elsewhere.length > 0 && elsewhere.every(([, look]) => look.outcome !== "down")
  })
  const failing = comparable.filter(({ regions }) => regions.get(region)?.outcome === "down")
  return comparable.length >= 20 && failing.length * 2 > comparable.length
}

describe("whatever the monitors are", () => {
  const us = RegionId.make("us")

  it("one workspace alone isolates no region in which another's monitors are well", () => {
    const wellInUs = fc.constantFrom<Looks>({ us: "up" }, { us: "degraded" }, { us: "up", eu: "up" }, {
      us: "up",
      ap: "down",
      eu: "up"
    })
    const others = monitorsOf(fc.integer({ min: 2, max: 5 }), wellInUs)
    fc.assert(fc.property(monitorsOf(fc.constant(1), someLooks), others, (own, theirs) => {
      fc.pre(theirs.some(({ regions }) => ![...regions.values()].some((look) => look.outcome === "down")))
      expect(isolatedRegions([...own, ...theirs], now).has(us)).toBe(false)
    }))
  })

  it("a region in which all fail while others see them well is isolated, whosever the monitors are", () => {
    const cutOff = fc.constantFrom<Looks>({ us: "down", eu: "up" }, { us: "down", ap: "degraded", eu: "up" }, { us: "down" })
    fc.assert(fc.property(monitorsOf(fc.integer({ min: 1, max: 9 }), cutOff), (monitors) => {
      fc.pre(monitors.filter(({ regions }) => regions.size > 1).length >= 20)
      expect([...isolatedRegions(monitors, now)]).toEqual([us])
    }))
  })

  it("the only workspace is judged by its comparable monitors, as one that hosts itself is", () => {
    fc.assert(fc.property(monitorsOf(fc.constant(1), someLooks), (monitors) => {
      for (const region of ["eu", "us", "ap"].map((id) => RegionId.make(id))) {
        const found = isolatedRegions(monitors, now)
        expect(found.has(region)).toBe(aloneIsIsolated(monitors, region))
        const downs = monitors.flatMap(({ regions }) => [...regions.values()]).filter(({ outcome }) => outcome === "down").length
        if (!mayBeIsolated(downs)) expect(found.size).toBe(0)
      }
    }))
  })
})
