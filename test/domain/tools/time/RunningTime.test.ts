/** The clock of what a process does stands still while the process does. */
import { expect, it } from "@effect/vitest"
import { makeRunningTime } from "../../../../src/domain/tools/time/RunningTime.ts"

it("counts no standstill, no step back and no rest", () => {
  const time = makeRunningTime(250, 1_000)
  time.advance(1_100)
  expect(time.now()).toBe(100)
  expect(time.at(1_150)).toBe(150)
  expect(time.at(9_000)).toBe(350)
  time.advance(9_000)
  expect(time.now()).toBe(350)
  time.advance(8_000)
  expect(time.now()).toBe(350)
  time.restart(20_000)
  time.advance(20_010)
  expect(time.now()).toBe(360)
})
