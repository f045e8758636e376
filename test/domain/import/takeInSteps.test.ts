/** Lists of any length and with things of any size, as hostile sources and files have them. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { makeNotes } from "../../../src/domain/import/Carry.ts"
import type { Loose } from "../../../src/domain/import/Loose.ts"
import { mostTaken, takeInSteps } from "../../../src/domain/import/TakeInSteps.ts"
import { runSteps } from "../../../src/domain/tools/Steps.ts"

const numbered = (count: number): ReadonlyArray<Loose> => Array.from({ length: count }, (_, id) => ({ id }))

/** The result for the things, with the number of steps and the most that one of them made. */
const counted = (things: ReadonlyArray<Loose>) => {
  const warnings: Array<string> = []
  let [steps, inStep, most, calls] = [1, 0, 0, 0]
  const work = takeInSteps("monitors", things, warnings, ({ id }) => {
    calls++
    most = Math.max(most, ++inStep)
    return id
  })
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return { made: value, warnings, steps, most, calls }
    steps++
    inStep = 0
  }
}

describe("A list of a source", () => {
  it("is taken up to a limit, which a warning names, and nothing is made of the rest", () => {
    const { calls, made, warnings } = counted(numbered(mostTaken.monitors + 7))
    expect([made.length, calls]).toEqual([mostTaken.monitors, mostTaken.monitors])
    expect(warnings).toEqual(["7 monitors are not carried: an import takes at most 10000"])
  })

  it("keeps its order over the steps, however many there are", () => {
    fc.assert(fc.property(fc.nat(3000), (count) => {
      expect(counted(numbered(count)).made).toEqual(numbered(count).map(({ id }) => id))
    }))
  })

  it("makes few things in one step, the fewer the larger they are", () => {
    const small = counted(numbered(5000))
    expect(small.most).toBeLessThanOrEqual(200)
    const large = counted(numbered(100).map((thing) => ({ ...thing, tags: Array.from({ length: 2000 }, () => 1) })))
    expect([large.most, large.steps]).toEqual([1, 100])
  })

  it("leaves out what holds too many values or too much text, with a warning", () => {
    const things = [{ id: 1 }, { id: 2, tags: Array.from({ length: 20_000 }, () => 1) }, { id: 3, name: "x".repeat(1_000_000) }]
    const { made, warnings } = counted(things)
    expect(made).toEqual([1])
    expect(warnings).toEqual(["2 monitors are not carried: each holds more than an import reads of one"])
  })
})

describe("The notes of a thing", () => {
  it("are each said once, and bounded", () => {
    const notes = makeNotes()
    for (let at = 0; at < 100_000; at++) notes.say(`The condition ${at % 50_000} is not carried`)
    expect(notes.all).toHaveLength(101)
    expect(notes.all.at(-1)).toBe("More of it is not carried or changed")
    expect(runSteps(takeInSteps("monitors", [], [], () => 1))).toEqual([])
  })
})
