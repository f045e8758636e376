import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type Attempt, makeRunnerPatience } from "../../../src/domain/health/RunnerPatience.ts"

const anyAttempt = fc.constantFrom<Attempt>("answered", "hung", "idle", "database away")
const anyMost = fc.record({ hung: fc.integer({ min: 1, max: 5 }), idle: fc.integer({ min: 1, max: 5 }) })

describe("a runner's patience", () => {
  it("ends with as many attempts of one kind in a row as allowed, and never while the database is away or an actor answers", () => {
    fc.assert(fc.property(fc.array(anyAttempt), anyMost, (attempts, most) => {
      const givesUp = makeRunnerPatience(most)
      for (const [at, attempt] of attempts.entries()) {
        const isOver = (kind: "hung" | "idle") => {
          const last = attempts.slice(Math.max(0, at + 1 - most[kind]), at + 1)
          return last.length === most[kind] && last.every((one) => one === kind)
        }
        expect(givesUp(attempt)).toBe(isOver("hung") ? "hung" : isOver("idle") ? "idle" : null)
      }
    }))
  })
})
