/** A region that alone sees failures is itself at fault; an outage that other regions see too is real. */
import { describe, expect, it } from "@effect/vitest"
import type { Outcome } from "../../../../schema/check/Check.ts"
import { RegionId } from "../../../../schema/check/Region.ts"
import { isolatedRegions, type RegionOutcomes } from "../../../../src/domain/check/round/IsolatedRegions.ts"

const now = 1_700_000_000_000
const seen = (looks: Readonly<Record<string, Outcome>>, age = 1000): RegionOutcomes =>
  new Map(Object.entries(looks).map(([region, outcome]) => [RegionId.make(region), { outcome, at: now - age }]))
const many = (count: number, looks: Readonly<Record<string, Outcome>>, age?: number) =>
  Array.from({ length: count }, () => seen(looks, age))
const isolated = (
  ...monitors: ReadonlyArray<ReadonlyArray<RegionOutcomes>>
) => [...isolatedRegions(monitors.flat(), now, 180_000)]

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
    expect(isolated(many(40, { eu: "down", us: "up" }, 200_000))).toEqual([])
  })
})
