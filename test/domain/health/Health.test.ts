/** The health of a process from the states of its parts. */
import { expect, it } from "vitest"
import { type Finding, fine, noteFinding, overall, type PartHealth } from "../../../src/domain/health/Health.ts"

const bad: Finding = { state: "degraded", reason: "It is away" }

it("a part keeps the time at which it came into its state, whatever the reason says meanwhile", () => {
  const first = noteFinding(null, bad, 1000)
  expect(first.since).toBe(1000)
  const second = noteFinding(first, { ...bad, reason: "It is still away" }, 2000)
  expect(second).toMatchObject({ since: 1000, reason: "It is still away" })
  expect(noteFinding(second, fine, 3000)).toMatchObject({ state: "ok", since: 3000, reason: null })
})

it("the worst part decides, since the first of them went wrong; all is well since the last one recovered", () => {
  const part = (state: PartHealth["state"], since: number): PartHealth => ({ state, since, reason: null })
  expect(overall([], 500)).toEqual({ state: "ok", since: 500 })
  expect(overall([part("ok", 1), part("ok", 9)], 0)).toEqual({ state: "ok", since: 9 })
  expect(overall([part("ok", 1), part("degraded", 7), part("degraded", 5)], 0)).toEqual({ state: "degraded", since: 5 })
  expect(overall([part("degraded", 1), part("failing", 7)], 0)).toEqual({ state: "failing", since: 7 })
})
