import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type Attempt, makeRunnerPatience } from "../../src/domain/RunnerPatience.ts"

const anyAttempt = fc.constantFrom<Attempt>("answered", "hung", "database away")

describe("a runner's patience", () => {
  it("ends with as many hung attempts in a row as allowed, and never while the database is away or an actor answers", () => {
    fc.assert(fc.property(fc.array(anyAttempt), fc.integer({ min: 1, max: 5 }), (attempts, most) => {
      const mustGiveUp = makeRunnerPatience(most)
      for (const [at, attempt] of attempts.entries()) {
        const last = attempts.slice(Math.max(0, at + 1 - most), at + 1)
        expect(mustGiveUp(attempt)).toBe(last.length === most && last.every((one) => one === "hung"))
      }
    }))
  })
})
