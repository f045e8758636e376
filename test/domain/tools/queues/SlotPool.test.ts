/** Slots, compared with a list. */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { makeSlotPool } from "../../../../src/domain/tools/queues/SlotPool.ts"

describe("slots", () => {
  it("hold every value that was put in and not freed, in no more slots than were in use at the same time", () => {
    fc.assert(fc.property(fc.array(fc.oneof(fc.constant("put" as const), fc.nat(20))), (steps) => {
      const slots = makeSlotPool<{ readonly n: number }>()
      const held: Array<{ readonly item: { readonly n: number }; readonly slot: number }> = []
      let most = 0
      for (const [n, step] of steps.entries()) {
        if (step === "put") {
          const item = { n }
          held.push({ item, slot: slots.put(item) })
          most = Math.max(most, held.length)
        } else {
          const [gone] = held.splice(step, 1)
          if (gone !== undefined) slots.free(gone.slot)
        }
        expect(new Set(slots.all())).toEqual(new Set(held.map(({ item }) => item)))
        expect(held.every(({ slot }) => slot < most)).toBe(true)
      }
    }))
  })
})
