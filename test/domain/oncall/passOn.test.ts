/** Which step an escalation by hand pages, and when the escalation goes on after a hand-over. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import * as FastCheck from "effect/FastCheck"
import { stepAfterHandOver, stepNow } from "../../../src/domain/oncall/Escalation.ts"

const now = DateTime.unsafeMake("2026-11-22T03:00:00Z")
const inMinutes = (minutes: number) => DateTime.add(now, { minutes })
const plan = { levels: [{ afterMinutes: 0 }, { afterMinutes: 10 }], repeat: 1, repeatAfterMinutes: 30 }

describe("an escalation by hand", () => {
  it("pages the next level now, whenever that was due", () =>
    FastCheck.assert(FastCheck.property(
      FastCheck.integer({ min: 1, max: 2 }),
      FastCheck.integer({ min: 1, max: 2 }),
      FastCheck.integer({ min: -60, max: 60 }),
      (level, round, minutes) => {
        expect(stepNow(plan, { level, round, at: inMinutes(minutes) }, now)).toEqual({ level, round, at: now })
      }
    )))

  it("begins again with level 1 where the chain has ended, and where the policy was shortened", () => {
    expect(stepNow(plan, null, now)).toEqual({ level: 1, round: 1, at: now })
    expect(stepNow(plan, { level: 3, round: 1, at: inMinutes(5) }, now)).toEqual({ level: 1, round: 2, at: now })
    expect(stepNow(plan, { level: 3, round: 2, at: inMinutes(5) }, now)).toEqual({ level: 1, round: 1, at: now })
  })
})

describe("a hand-over", () => {
  it("leaves the person 5 minutes before the escalation goes on, and never brings it forward", () =>
    FastCheck.assert(FastCheck.property(FastCheck.integer({ min: -60, max: 60 }), (minutes) => {
      const after = stepAfterHandOver({ level: 2, round: 1, at: inMinutes(minutes) }, now)
      expect(after).toEqual({ level: 2, round: 1, at: inMinutes(Math.max(5, minutes)) })
    })))

  it("starts a chain that had ended again", () => {
    expect(stepAfterHandOver(null, now)).toEqual({ level: 1, round: 1, at: inMinutes(5) })
  })
})
