/** How much evidence a failing monitor keeps, and that every check without evidence refers to one that has it. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import type { Outcome } from "../../../../schema/check/Check.ts"
import { CheckId } from "../../../../schema/Ids.ts"
import {
  afterEdit,
  type FailureStreak,
  keepsEvidence,
  nextStreak
} from "../../../../src/domain/check/history/EvidenceSampling.ts"

interface Seen {
  readonly outcome: Outcome
  readonly statusCode: number | null
  readonly error: string | null
}

const failed = (statusCode: number, error = `Expected status 200-299, got ${statusCode}`): Seen => ({
  outcome: "down",
  statusCode,
  error
})

/** For each check in order, the number of the check that shows its evidence: its own if it keeps it; null if it was up. */
const shownBy = (checks: ReadonlyArray<Seen>, intervalMs = 60_000): ReadonlyArray<number | null> => {
  let streak: FailureStreak | null = null
  return checks.map((seen, index) => {
    const next: FailureStreak | null = nextStreak(streak, { cause: null, ...seen })
    const at = index * intervalMs
    streak = next !== null && keepsEvidence(next, at) ? { ...next, shownBy: { checkId: CheckId.make(`chk_${index}`), at } } : next
    return streak === null ? null : Number(streak.shownBy?.checkId.slice(4))
  })
}

const kept = (checks: ReadonlyArray<Seen>, intervalMs?: number) =>
  shownBy(checks, intervalMs).flatMap((shown, index) => shown === index ? [index] : [])

describe("a failing monitor keeps the evidence", () => {
  it("of its first ten failures, one of which takes it down, and of the 16th, 32nd and so on while nothing changes", () => {
    const first = Array.from({ length: 10 }, (_, index) => index)
    expect(kept(Array.from({ length: 1000 }, () => failed(503)))).toEqual([...first, 15, 31, 63, 127, 255, 511])
  })

  it("of each change of the status, the cause or the kind of error", () => {
    const first = Array.from({ length: 10 }, () => failed(503))
    const changes = [...first, failed(503), failed(500), failed(500, "Another"), failed(500, "Another"), failed(500, "Another")]
    expect(kept(changes).slice(10)).toEqual([11, 12, 13])
  })

  it("of no change in a measured value or quoted content", () => {
    const slow = Array.from({ length: 100 }, (_, index) => failed(200, `Took ${index} ms and said "${"x".repeat(index)}"`))
    expect(kept(slow)).toHaveLength(13)
  })

  it("at least once a day", () => {
    expect(kept(Array.from({ length: 40 }, () => failed(503)), 86_400_000)).toHaveLength(40)
  })

  it("of the first failure after an edit", () => {
    const streak = nextStreak(null, { cause: null, ...failed(503) })
    expect(keepsEvidence(nextStreak(afterEdit(streak), { cause: null, ...failed(503) })!, 0)).toBe(true)
  })

  it("of few checks, whatever its target answers, and every other one names one of its streak", () => {
    const any = fc.record({
      outcome: fc.constantFrom<Outcome>("down", "degraded"),
      statusCode: fc.integer({ min: 200, max: 599 }),
      error: fc.option(fc.string(), { nil: null })
    })
    fc.assert(fc.property(fc.array(any, { minLength: 1, maxLength: 1000 }), (checks) => {
      const shown = shownBy(checks)
      const own = shown.filter((by, index) => by === index).length
      expect(own).toBeLessThanOrEqual(26 + 16 * Math.log2(checks.length + 1))
      shown.forEach((by, index) => expect(by).toSatisfy((one: number) => one <= index && shown[one] === one))
    }))
  })
})
