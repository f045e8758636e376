/** What manifests say on its way to components: bounded, in order, and nobody waits for a workspace that is held up. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  type FeedGroup,
  makeManifestTurns,
  mostInGroup,
  mostTries,
  mostWaiting
} from "../../../src/domain/component/ManifestTurns.ts"

interface Item {
  readonly workspace: string
  readonly number: number
}

const range = (count: number) => Array.from({ length: count }, (_, n) => n)
const workspacesOf = ({ members }: FeedGroup<Item>) => [...members.keys()]

const anyStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ add: fc.constantFrom("a", "b", "c"), bytes: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 2, arbitrary: fc.constantFrom("shared" as const, "apart" as const) },
  { weight: 2, arbitrary: fc.record({ end: fc.nat(3), passes: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant("time" as const) }
)

describe("what manifests say", () => {
  it("is passed in order, is in one group at a time, and ends passed or counted as dropped, within its bounds", () =>
    fc.assert(fc.property(fc.array(anyStep, { maxLength: 300 }), (steps) => {
      const most = { items: 12, bytes: 200 }
      const turns = makeManifestTurns<Item>(most)
      const open: Array<FeedGroup<Item>> = []
      const passed: Array<Item> = []
      let [added, dropped, now] = [0, 0, 0]
      for (const step of steps) {
        if (step === "time") now += 5_000
        else if (step === "shared" || step === "apart") {
          const group = step === "shared" ? turns.takeShared() : turns.takeApart(now)
          if (group !== null) {
            const busy = new Set(open.flatMap(workspacesOf))
            expect(workspacesOf(group).filter((workspace) => busy.has(workspace))).toEqual([])
            open.push(group)
          }
        } else if ("add" in step) {
          dropped += turns.add(step.add, { workspace: step.add, number: added++ }, step.bytes)
          const underWay = open.reduce((sum, { items }) => sum + items.length, 0)
          expect(turns.waiting()).toBeLessThanOrEqual(Math.max(most.items, underWay))
        } else {
          const [group] = open.splice(step.end % Math.max(1, open.length), 1)
          if (group === undefined) continue
          if (!step.passes) dropped += turns.failed(group, now)
          else {
            passed.push(...group.items)
            turns.passed(group)
          }
        }
        expect(passed.length + dropped + turns.waiting()).toBe(added)
      }
      for (const workspace of ["a", "b", "c"]) {
        const numbers = passed.filter((item) => item.workspace === workspace).map(({ number }) => number)
        expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other))
      }
    })))

  it("of a workspace that is held up shares no group until it was passed, and others wait for it once at most", () => {
    const turns = makeManifestTurns<Item>()
    const add = (workspace: string) => void turns.add(workspace, { workspace, number: 0 }, 100)
    const take = () => turns.takeShared() ?? expect.fail("nothing to take")
    add("locked")
    add("other")
    const first = take()
    expect(workspacesOf(first)).toEqual(["locked", "other"])
    turns.failed(first, 0)
    let now = 0
    const passedOther = range(2).map(() => {
      const group = turns.takeApart(now) ?? expect.fail("nothing to try apart")
      if (group.members.has("other")) turns.passed(group)
      else turns.failed(group, now)
      return group.members.has("other")
    })
    expect(passedOther).toContain(true)
    for (; now < 10_000; now += 100) {
      add("locked")
      add("other")
      const group = take()
      expect(workspacesOf(group)).toEqual(["other"])
      turns.passed(group)
      const apart = turns.takeApart(now)
      if (apart !== null) turns.failed(apart, now)
    }
  })

  it("of a workspace that was just held up for another's sake is tried before one that failed again and again", () => {
    const turns = makeManifestTurns<Item>()
    turns.add("locked", { workspace: "locked", number: 0 }, 100)
    const first = turns.takeShared()
    if (first !== null) turns.failed(first, 0)
    const again = turns.takeApart(1_000)
    if (again !== null) turns.failed(again, 1_000)
    for (const workspace of ["x", "y"]) turns.add(workspace, { workspace, number: 0 }, 100)
    const both = turns.takeShared()
    if (both !== null) turns.failed(both, 60_000)
    expect(range(3).map(() => workspacesOf(turns.takeApart(60_000) ?? expect.fail())[0])).toEqual(["x", "y", "locked"])
  })

  it("is given up after some tries, a group at a time, and what came later is tried then", () => {
    const turns = makeManifestTurns<Item>()
    for (const number of range(mostInGroup.ofOne + 1)) turns.add("locked", { workspace: "locked", number }, 100)
    const first = turns.takeShared()
    if (first !== null) turns.failed(first, 0)
    let [givenUp, now] = [0, 0]
    for (let tries = 1; tries < mostTries; tries++) {
      expect(givenUp).toBe(0)
      now += 10_000
      const group = turns.takeApart(now)
      if (group !== null) givenUp += turns.failed(group, now)
    }
    expect([givenUp, turns.waiting()]).toEqual([mostInGroup.ofOne, 1])
    expect(turns.takeApart(now + 10_000)?.items).toEqual([{ workspace: "locked", number: mostInGroup.ofOne }])
  })

  it("is dropped from the oldest of the workspace that holds the most", () => {
    const turns = makeManifestTurns<Item>()
    turns.add("small", { workspace: "small", number: 0 }, 100)
    const dropped = range(mostWaiting.items + 9).reduce(
      (sum, number) => sum + turns.add("large", { workspace: "large", number }, 100),
      0
    )
    expect(dropped).toBe(10)
    const group = turns.takeShared()
    expect(group?.items.slice(0, 2)).toEqual([{ workspace: "small", number: 0 }, { workspace: "large", number: 10 }])
  })
})
