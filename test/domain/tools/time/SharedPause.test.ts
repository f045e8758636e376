/** Pauses of loops that end together. */
import { expect, it } from "@effect/vitest"
import fc from "fast-check"
import { sharedPause } from "../../../../src/domain/tools/time/SharedPause.ts"

const nows = fc.double({ min: 0, max: 1e9, noNaN: true })

it("pauses of about whole seconds end at whole seconds, at most 0.1 s too early and 0.9 s too late", () => {
  fc.assert(fc.property(nows, fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 0, max: 99 }), (now, seconds, less) => {
    const pause = seconds * 1000 - less
    const shared = sharedPause(now, pause)
    expect(Math.abs((now + shared) / 1000 - Math.round((now + shared) / 1000))).toBeLessThan(1e-6)
    expect(shared).toBeGreaterThanOrEqual(pause - 100.001)
    expect(shared).toBeLessThan(pause + 900.001)
  }))
})

it("a loop keeps its pace: a round that took a moment delays none after it", () => {
  let now = 0
  for (let round = 1; round <= 100; round++) {
    now += 3
    now += sharedPause(now, 5000)
    expect(now).toBe(round * 5000)
  }
})

it("other pauses, and those that never end, are as they are", () => {
  const others = [0, 20, 500, 899, 1001, 1200, 4500, Number.POSITIVE_INFINITY]
  expect(others.map((pause) => sharedPause(123.4, pause))).toEqual(others)
})
