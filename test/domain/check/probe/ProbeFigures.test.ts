/** The figures that a probe decides by: how late looks began, what held the process up, and what judging may cost. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import fc from "fast-check"
import type { Assertion } from "../../../../schema/monitor/Assertion.ts"
import { readExpectations } from "../../../../src/domain/check/answer/HttpVerdict.ts"
import { inlineBudgetMs, judgingCostMs } from "../../../../src/domain/check/answer/JudgingCost.ts"
import { isLate, makeLatenessWindow } from "../../../../src/domain/check/probe/LatenessWindow.ts"
import { stallOf } from "../../../../src/domain/check/probe/Stall.ts"
import { assignmentOf } from "../../../support/probe/Assignments.ts"

describe("a window of lateness", () => {
  it("counts what is late and gives the 99th percentile to within 6 %", () => {
    fc.assert(fc.property(fc.array(fc.nat(100_000), { minLength: 1, maxLength: 300 }), (times) => {
      const window = makeLatenessWindow()
      for (const ms of times) window.began(ms, 60_000)
      const sorted = [...times].sort((a, b) => a - b)
      const exact = sorted[Math.ceil(sorted.length * 0.99) - 1]!
      const { late, looks, p99Ms } = window.take()
      expect([looks, late]).toEqual([times.length, times.filter((ms) => ms > 6000).length])
      expect(Math.abs(p99Ms - exact)).toBeLessThanOrEqual(exact * 0.06 + 1)
    }))
  })

  it("calls late what is later than 1 s and a tenth of the interval", () =>
    expect([isLate(1000, 10_000), isLate(1001, 10_000), isLate(5900, 60_000), isLate(6001, 60_000)])
      .toEqual([false, true, false, true]))
})

describe("a stall", () => {
  const usage = (cpuMs: number, activeMs: number) => ({ cpuMs, activeMs })
  it.each([
    ["a late heartbeat within bounds is none", 5000, 5000, 5000, "none"],
    ["a stopped process used no CPU", 60_000, 10, 60_000, "standstill"],
    ["an idle loop beside busy threads stood still", 60_000, 60_000, 100, "standstill"],
    ["a loop that was busy all the time blocked itself", 6000, 5500, 5900, "blocked"],
    ["a clock put back is none", -60_000, 10, 10, "none"]
  ])(
    "%s",
    (_, gapMs, cpuMs, activeMs, kind) => expect(stallOf(gapMs, usage(100, 100), usage(100 + cpuMs, 100 + activeMs))).toBe(kind)
  )
})

describe("what judging may cost", () => {
  const costOf = (body: string, assertions: ReadonlyArray<Assertion>, rest = {}) => {
    const { target } = assignmentOf({ url: "http://a.test/", assertions, ...rest })
    return judgingCostMs(readExpectations(target), {
      status: 200,
      latencyMs: 1,
      header: (name) => (name === "x-long" ? body : undefined),
      body: () => body,
      bodyComplete: true,
      json: () => Either.left("is not JSON"),
      sslDays: null
    })
  }
  const matches = (value: string, source: "body" | "header" = "body"): Assertion => ({
    source,
    path: "x-long",
    op: "matches",
    value
  })

  it("keeps usual answers here, and sends hostile ones away", () => {
    const page = "x".repeat(10_000)
    expect(costOf(page, [])).toBe(0)
    expect(costOf(page, [matches("\"ok\":\\s*true")], { keyword: "welcome" })).toBeLessThan(8)
    expect(costOf(page.slice(0, 2000), [matches("\"ok\":\\s*true"), { source: "json", op: "exists" }])).toBeLessThan(
      inlineBudgetMs
    )
    const large = "x".repeat(262_144)
    for (const source of ["body", "header"] as const) {
      expect(costOf(large, [matches("a(?:a|b){250}[c-d]", source)])).toBeGreaterThan(1000)
    }
    expect(costOf(large, [{ source: "json", op: "exists" }])).toBeGreaterThan(inlineBudgetMs)
    expect(costOf(large, [], { keyword: `${"x".repeat(250)}y${"x".repeat(249)}` })).toBeGreaterThan(inlineBudgetMs)
  })

  it("grows with the answer, and with each assertion", () => {
    fc.assert(fc.property(fc.nat(50_000), fc.nat(50_000), fc.integer({ min: 1, max: 20 }), (one, more, count) => {
      const some = Array.from({ length: count }, () => matches("a+b"))
      expect(costOf("x".repeat(one + more), some)).toBeGreaterThanOrEqual(costOf("x".repeat(one), some))
      expect(costOf("x".repeat(one), [...some, matches("c")])).toBeGreaterThanOrEqual(costOf("x".repeat(one), some))
    }))
    expect(
      Either.isLeft(readExpectations(assignmentOf({ url: "http://a.test/", assertions: [matches("(")] }).target).assertions[0]!)
    )
      .toBe(true)
  })
})
