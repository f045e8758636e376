/** Items of many owners: bounded, in order, and nobody waits for an owner that is held up. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type Group, makeTogetherThenApart, type TogetherLimits } from "../../../../src/domain/tools/queues/TogetherThenApart.ts"

interface Item {
  readonly owner: string
  readonly number: number
  readonly bytes: number
}

const limits: TogetherLimits<Item> = {
  ownerOf: ({ owner }) => owner,
  mostInGroup: { items: 6, ofOne: 4 },
  rest: { first: 200, longest: 5_000 },
  mostTries: 10
}
const item = (owner: string, number = 0, bytes = 100): Item => ({ owner, number, bytes })
const range = (count: number) => Array.from({ length: count }, (_, n) => n)
const ownersOf = (group: Group<Item>) => [...group.owners.keys()]
const numbersOf = (items: ReadonlyArray<Item>, owner: string) =>
  items.filter((one) => one.owner === owner).map(({ number }) => number)

const anyStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ add: fc.constantFrom("a", "b", "c"), bytes: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 2, arbitrary: fc.constantFrom("shared" as const, "apart" as const) },
  { weight: 2, arbitrary: fc.record({ end: fc.nat(3), left: fc.constantFrom("", "a", "ab", "fails") }) },
  { weight: 1, arbitrary: fc.constant("time" as const) }
)

describe("items of many owners", () => {
  it("are done in order, are in one group at a time, and end done, dropped or given up, within their bounds", () =>
    fc.assert(fc.property(fc.array(anyStep, { maxLength: 300 }), fc.constantFrom(1, 2), (steps, mostOwnersApart) => {
      const room = { items: 12, bytes: 200, bytesOf: ({ bytes }: Item) => bytes }
      const turns = makeTogetherThenApart<Item>({ ...limits, room, mostOwnersApart })
      const open: Array<Group<Item>> = []
      const done: Array<Item> = []
      let [added, dropped, now] = [0, 0, 0]
      for (const step of steps) {
        if (step === "time") now += 5_000
        else if (step === "shared" || step === "apart") {
          const group = step === "shared" ? turns.takeShared() : turns.takeApart(now)
          if (group === null) continue
          const busy = new Set(open.flatMap(ownersOf))
          expect(ownersOf(group).filter((owner) => busy.has(owner))).toEqual([])
          expect(group.items.length).toBeLessThanOrEqual(6)
          expect(ownersOf(group).length).toBeLessThanOrEqual(step === "shared" ? 3 : mostOwnersApart)
          for (const [owner, count] of group.owners) {
            expect([count <= 4, numbersOf(group.items, owner).length]).toEqual([true, count])
          }
          open.push(group)
        } else if ("add" in step) {
          dropped += turns.add(item(step.add, added++, step.bytes))
          const underWay = open.reduce((sum, { items }) => sum + items.length, 0)
          expect(turns.waiting()).toBeLessThanOrEqual(Math.max(room.items, underWay))
        } else {
          const [group] = open.splice(step.end % Math.max(1, open.length), 1)
          if (group === undefined) continue
          if (step.left === "fails") dropped += turns.failed(group, now).length
          else {
            const left = group.items.filter(({ owner }) => step.left.includes(owner))
            done.push(...group.items.filter((one) => !left.includes(one)))
            dropped += turns.worked(group, left, now).length
          }
        }
        expect(done.length + dropped + turns.waiting()).toBe(added)
      }
      for (const owner of ["a", "b", "c"]) {
        const numbers = numbersOf(done, owner)
        expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other))
      }
    })))

  it("of an owner that is held up share no group until they worked, and others wait for it once at most", () => {
    const turns = makeTogetherThenApart(limits)
    const take = () => turns.takeShared() ?? expect.fail("nothing to take")
    turns.add(item("locked"))
    turns.add(item("other"))
    const first = take()
    expect(ownersOf(first)).toEqual(["locked", "other"])
    turns.failed(first, 0)
    const didOther = range(2).map(() => {
      const group = turns.takeApart(0) ?? expect.fail("nothing to try apart")
      if (group.owners.has("other")) turns.worked(group, [], 0)
      else turns.failed(group, 0)
      return group.owners.has("other")
    })
    expect(didOther).toContain(true)
    for (let now = 0; now < 10_000; now += 100) {
      turns.add(item("locked"))
      turns.add(item("other"))
      const group = take()
      expect(ownersOf(group)).toEqual(["other"])
      turns.worked(group, [], now)
      const apart = turns.takeApart(now)
      if (apart !== null) turns.failed(apart, now)
    }
  })

  it("that a group left undone rest, while those of its other owners have ended", () => {
    const turns = makeTogetherThenApart(limits)
    for (const owner of ["locked", "other"]) turns.add(item(owner))
    const group = turns.takeShared() ?? expect.fail("nothing to take")
    turns.worked(group, group.items.slice(0, 1), 1_000)
    expect([turns.waiting(), turns.hasShared(), turns.takeApart(1_199)]).toEqual([1, false, null])
    expect(turns.takeApart(1_200)?.items).toEqual([item("locked")])
  })

  it("of an owner that just failed for another's sake are tried before those of one that failed again and again", () => {
    const turns = makeTogetherThenApart(limits)
    turns.add(item("locked"))
    const first = turns.takeShared()
    if (first !== null) turns.failed(first, 0)
    const again = turns.takeApart(1_000)
    if (again !== null) turns.failed(again, 1_000)
    for (const owner of ["x", "y"]) turns.add(item(owner))
    const both = turns.takeShared()
    if (both !== null) turns.failed(both, 60_000)
    expect(range(3).map(() => ownersOf(turns.takeApart(60_000) ?? expect.fail())[0])).toEqual(["x", "y", "locked"])
  })

  it("rest although several fail together again, so that a failing group is not tried without end", () => {
    const turns = makeTogetherThenApart({ ...limits, mostOwnersApart: Infinity, mostTries: 3 })
    for (const owner of ["x", "y"]) turns.add(item(owner))
    const fail = (now: number, group = turns.takeApart(now)) => turns.failed(group ?? expect.fail("nothing to try"), now)
    expect(fail(0, turns.takeShared())).toEqual([])
    expect(fail(0)).toEqual([])
    expect(turns.takeApart(399)).toBe(null)
    expect(fail(400)).toEqual([item("x"), item("y")])
    expect(turns.waiting()).toBe(0)
  })

  it("are given up after some tries, a group at a time, and what came later is tried then", () => {
    const turns = makeTogetherThenApart(limits)
    for (const number of range(5)) turns.add(item("locked", number))
    const first = turns.takeShared()
    if (first !== null) turns.failed(first, 0)
    let [givenUp, now] = [0, 0]
    for (let tries = 1; tries < limits.mostTries; tries++) {
      expect(givenUp).toBe(0)
      now += 10_000
      const group = turns.takeApart(now)
      if (group !== null) givenUp += turns.failed(group, now).length
    }
    expect([givenUp, turns.waiting()]).toEqual([4, 1])
    expect(turns.takeApart(now + 10_000)?.items).toEqual([item("locked", 4)])
  })

  it("are dropped from the oldest of the owner that holds the most", () => {
    const turns = makeTogetherThenApart({ ...limits, room: { items: 20, bytes: 10_000, bytesOf: ({ bytes }) => bytes } })
    turns.add(item("small"))
    expect(range(29).reduce((sum, number) => sum + turns.add(item("large", number)), 0)).toBe(10)
    expect(turns.takeShared()?.items.slice(0, 2)).toEqual([item("small"), item("large", 10)])
  })
})
