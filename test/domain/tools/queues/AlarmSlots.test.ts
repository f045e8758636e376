/** Turns of alarms: fair between workspaces, none lost or doubled, and a locked workspace holds one slot at a time. */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { makeAlarmSlots } from "../../../../src/domain/tools/queues/AlarmSlots.ts"

const limits = { slots: 6, mostPerOwner: 5 }
const range = (count: number) => Array.from({ length: count }, (_, n) => n)

const anyStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ offer: fc.constantFrom("a", "b", "c"), isUrgent: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ end: fc.nat(5), isLocked: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant("rested" as const) }
)

describe("alarms", () => {
  it("have one turn at a time until they have worked, within the slots, and none is forgotten", () =>
    fc.assert(fc.property(fc.array(anyStep, { maxLength: 200 }), (steps) => {
      const turns = makeAlarmSlots<string>(limits)
      const open = new Set<string>()
      const working: Array<string> = []
      const resting: Array<string> = []
      const begin = (begun: ReadonlyArray<string>) => {
        for (const one of begun) {
          expect(open.has(one) && !working.includes(one)).toBe(true)
          working.push(one)
        }
        expect(working.length).toBeLessThanOrEqual(limits.slots)
      }
      const end = (one: string, isLocked: boolean) => {
        const [owner = ""] = one
        if (isLocked) {
          const { begun, restMs } = turns.locked(owner, one, false)
          if (restMs !== null) resting.push(owner)
          begin(begun)
        } else {
          open.delete(one)
          begin(turns.worked(owner, one))
        }
      }
      const rested = () => {
        const owner = resting.shift()
        if (owner !== undefined) begin(turns.rested(owner))
      }
      for (const [number, step] of steps.entries()) {
        if (step === "rested") rested()
        else if ("offer" in step) {
          open.add(`${step.offer}${number}`)
          begin(turns.offer(step.offer, `${step.offer}${number}`, step.isUrgent))
        } else {
          const [one] = working.splice(step.end % Math.max(1, working.length), 1)
          if (one !== undefined) end(one, step.isLocked)
        }
      }
      while (working.length + resting.length > 0) {
        const one = working.shift()
        if (one === undefined) rested()
        else end(one, false)
      }
      expect(open.size).toBe(0)
    })))

  it("of a workspace that is locked hold one slot at a time, however many are due, and go on once one has worked", () => {
    const turns = makeAlarmSlots<string>(limits)
    const first = range(100).flatMap((n) => turns.offer("locked", `locked ${n}`, false))
    expect(first).toHaveLength(limits.mostPerOwner)
    const rests = first.map((one) => turns.locked("locked", one, false))
    expect(rests.map(({ restMs }) => restMs)).toEqual([500, null, null, null, null])
    expect(rests.flatMap(({ begun }) => begun)).toEqual([])
    for (const restMs of [1_000, 2_000, 4_000, 5_000, 5_000]) {
      const [tried, ...others] = turns.rested("locked")
      expect(others).toEqual([])
      // Others have all the slots but one.
      const begun = range(limits.slots).flatMap((n) => turns.offer(`other ${n}`, `other ${n}`, false))
      expect(begun).toHaveLength(limits.slots - 1)
      expect(begun.reduce((left, one) => left + turns.worked(one, one).length, 0)).toBe(1)
      turns.worked(`other ${limits.slots - 1}`, `other ${limits.slots - 1}`)
      expect(turns.locked("locked", tried ?? "", false)).toEqual({ begun: [], restMs })
    }
    const [tried = ""] = turns.rested("locked")
    expect(turns.worked("locked", tried)).toHaveLength(limits.mostPerOwner)
  })

  it("that are urgent go before the other ones of their workspace", () => {
    const turns = makeAlarmSlots<string>({ slots: 1, mostPerOwner: 1 })
    turns.offer("a", "first", false)
    turns.offer("a", "component", false)
    turns.offer("a", "page", true)
    expect(turns.worked("a", "first")).toEqual(["page"])
    turns.locked("a", "page", true)
    turns.offer("a", "another page", true)
    expect(turns.rested("a")).toEqual(["page"])
    expect(turns.worked("a", "page")).toEqual(["another page"])
  })
})
