/** The timing wheel, compared with a simple list. */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { makeTimingWheel } from "../../../../src/domain/check/probe/TimingWheel.ts"

const steps = fc.array(
  fc.record({
    add: fc.array(fc.integer({ min: -500, max: 20_000 }), { maxLength: 5 }),
    cancel: fc.array(fc.nat(50), { maxLength: 2 }),
    pass: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 50_000 }))
  }),
  { maxLength: 30 }
)

describe("a timing wheel", () => {
  it("fires each timer once, in order, at the first advance at or after its time, unless it was cancelled", () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 2_000_000_000_000 }), steps, (start, plan) => {
      const wheel = makeTimingWheel<{ readonly due: number }>(start, 10, 64)
      let now = start
      let expected: Array<{ readonly due: number }> = []
      for (const { add, cancel, pass } of plan) {
        const timers = add.map((delay) => {
          const value = { due: now + delay }
          expected.push(value)
          return wheel.add(value.due, value)
        })
        for (const index of cancel) {
          const timer = timers[index]
          if (timer === undefined || timer.value === null) continue
          expected = expected.filter((value) => value !== timer.value)
          wheel.cancel(timer)
        }
        now += pass
        const due = expected.filter((value) => value.due <= now).sort((a, b) => a.due - b.due)
        const fired = wheel.advance(now)
        expect(fired.map((value) => value.due)).toEqual(due.map((value) => value.due))
        expect(new Set(fired)).toEqual(new Set(due))
        expected = expected.filter((value) => value.due > now)
      }
    }))
  })

  it("fires nothing while time runs backwards, and continues from there", () => {
    const wheel = makeTimingWheel<object>(10_000)
    wheel.add(10_500, { a: 1 })
    expect(wheel.advance(9000)).toEqual([])
    expect(wheel.advance(10_500)).toEqual([{ a: 1 }])
  })
})
