/** Which check shows how an incident began, and what regions and latencies were. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import { RegionId } from "../../../schema/check/Region.ts"
import { CheckId } from "../../../schema/Ids.ts"
import { around, medians, regionsAtBeginning, showsFailure } from "../../../src/domain/incident/AroundBeginning.ts"

const start = DateTime.unsafeMake("2026-11-22T03:00:00Z")
const inMinutes = (minutes: number) => DateTime.add(start, { minutes })

const check = (minutes: number, outcome: "up" | "down", latencyMs: number | null, more: object = {}) => ({
  id: CheckId.make(`chk_${minutes}`),
  at: inMinutes(minutes),
  region: RegionId.make("eu"),
  outcome,
  latencyMs,
  hasEvidence: outcome === "down",
  evidenceOmitted: null,
  ...more
})

describe("the beginning of an incident", () => {
  it("is looked at from half an hour before to 5 minutes after, and not into the future", () => {
    expect(around(start, inMinutes(60))).toEqual({ from: inMinutes(-30), to: inMinutes(5) })
    expect(around(start, inMinutes(2)).to).toEqual(inMinutes(2))
  })

  it("is shown by the failure that began it, else by the first one after it, or by the one that it repeats", () => {
    const checks = [check(3, "down", 9), check(0, "down", 9), check(-1, "down", 9), check(-2, "up", 9)]
    expect(showsFailure(checks, start)).toBe("chk_0")
    expect(showsFailure([check(5, "down", 9), check(3, "down", 9)], start)).toBe("chk_3")
    const repeated = { hasEvidence: false, evidenceOmitted: { reason: "repeats", checkId: CheckId.make("chk_first") } }
    expect(showsFailure([check(0, "down", 9, repeated)], start)).toBe("chk_first")
    expect(showsFailure([check(0, "up", 9)], start)).toBeNull()
  })

  it("has the first result of each region", () => {
    const checks = [
      check(2, "up", 9),
      check(1, "down", 9),
      check(1, "up", 9, { region: "us" }),
      check(-1, "up", 9),
      check(-1, "down", 9, { region: "asia" })
    ]
    expect(regionsAtBeginning(checks, start).map(({ outcome, region }) => [region, outcome])).toEqual([["eu", "down"], [
      "us",
      "up"
    ]])
  })

  it("has the medians of latencies before and after it, and the failures after it", () => {
    const checks = [check(2, "down", 900), check(1, "down", null), check(0, "up", 700), check(-1, "up", 20), check(-2, "up", 10)]
    expect(medians(checks, start)).toEqual({ before: 10, after: 700, failed: 2 })
    expect(medians([], start)).toEqual({ before: null, after: null, failed: 0 })
  })
})
