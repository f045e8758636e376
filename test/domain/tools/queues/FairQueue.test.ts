/** The fair queue: slots go to the owner that holds the fewest, no usable slot idles, and each owner's order is kept. */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { makeFairQueue } from "../../../../src/domain/tools/queues/FairQueue.ts"
import type { FairQueue } from "../../../../src/domain/tools/queues/FairQueue.ts"
import { makeFifo } from "../../../../src/domain/tools/queues/Fifo.ts"

interface Item {
  readonly owner: string
  readonly number: number
  readonly urgent: boolean
}

const owners = ["a", "b", "c", "d", "e"]

/** `offer` by an owner, `take`, `drop` of an owner's oldest or newest, `remove` of any, or `release` by an owner that holds a slot. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ offer: fc.constantFrom(...owners), urgent: fc.boolean() }) },
  { weight: 3, arbitrary: fc.constant("take" as const) },
  { weight: 1, arbitrary: fc.record({ drop: fc.constantFrom(...owners) }) },
  { weight: 1, arbitrary: fc.record({ dropNewest: fc.constantFrom(...owners) }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.nat(100) }) },
  { weight: 2, arbitrary: fc.record({ release: fc.constantFrom(...owners) }) }
)

/** A slow reference model of the queue. */
const makeModel = (queue: FairQueue<Item>, slots: number, share: number) => {
  let waiting: Array<Item> = []
  const held = new Map<string, number>()
  const heldBy = (owner: string) => held.get(owner) ?? 0
  const total = () => [...held.values()].reduce((sum, count) => sum + count, 0)
  const firstOf = (owner: string) => {
    const own = waiting.filter((item) => item.owner === owner)
    return own.find(({ urgent }) => urgent) ?? own[0]
  }
  return {
    offer: (item: Item) => {
      waiting.push(item)
      expect(queue.offer(item.owner, item, item.urgent)).toBe(true)
    },
    take: () => {
      const open = [...new Set(waiting.map(({ owner }) => owner))].filter((owner) => heldBy(owner) < share)
      const taken = queue.take()
      if (total() >= slots || open.length === 0) return expect(taken).toBeUndefined()
      expect(taken).toBe(firstOf(taken!.owner))
      expect(heldBy(taken!.owner)).toBe(Math.min(...open.map(heldBy)))
      waiting = waiting.filter((item) => item !== taken)
      held.set(taken!.owner, heldBy(taken!.owner) + 1)
    },
    drop: (owner: string) => {
      const oldest = waiting.find((item) => item.owner === owner && !item.urgent)
      expect(queue.drop(owner)).toBe(oldest)
      waiting = waiting.filter((item) => item !== oldest)
    },
    dropNewest: (owner: string) => {
      const own = waiting.filter((item) => item.owner === owner)
      const newest = own.findLast(({ urgent }) => !urgent) ?? own.at(-1)
      expect(queue.dropNewest(owner)).toBe(newest)
      waiting = waiting.filter((item) => item !== newest)
    },
    remove: (place: number) => {
      const item = waiting[place % Math.max(1, waiting.length)] ?? { owner: "a", number: -1, urgent: false }
      expect(queue.remove(item.owner, item)).toBe(waiting.includes(item))
      waiting = waiting.filter((other) => other !== item)
    },
    release: (owner: string) => {
      queue.release(owner)
      if (heldBy(owner) > 0) held.set(owner, heldBy(owner) - 1)
    },
    check: () => {
      expect([queue.waiting(), queue.held()]).toEqual([waiting.length, total()])
      for (const owner of owners) expect(queue.heldBy(owner)).toBe(heldBy(owner))
    }
  }
}

describe("a fair queue", () => {
  it("serves the waiting owner that holds the fewest slots, in the owner's order, and leaves no usable slot idle", () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 200 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 6 }),
        (steps, slots, share) => {
          const queue = makeFairQueue<Item>({ slots, mostPerOwner: share })
          const model = makeModel(queue, slots, share)
          steps.forEach((one, number) => {
            if (one === "take") model.take()
            else if ("offer" in one) model.offer({ owner: one.offer, number, urgent: one.urgent })
            else if ("drop" in one) model.drop(one.drop)
            else if ("dropNewest" in one) model.dropNewest(one.dropNewest)
            else if ("remove" in one) model.remove(one.remove)
            else model.release(one.release)
            model.check()
          })
        }
      ),
      { numRuns: 500 }
    )
  })

  it("serves owners with equal holdings in turn", () => {
    const queue = makeFairQueue<string>({ slots: 1, mostPerOwner: 1 })
    for (const owner of ["a", "a", "a", "b", "b", "c"]) queue.offer(owner, owner)
    const served = Array.from({ length: 6 }, () => {
      const owner = queue.take()!
      queue.release(owner)
      return owner
    })
    expect(served).toEqual(["a", "b", "c", "a", "b", "a"])
  })

  it("gives the next free slot to a newcomer, however many items another owner has waiting", () => {
    const queue = makeFairQueue<string>({ slots: 10, mostPerOwner: 10 })
    for (let i = 0; i < 100_000; i++) queue.offer("crowd", "crowd")
    for (let i = 0; i < 10; i++) expect(queue.take()).toBe("crowd")
    queue.offer("newcomer", "newcomer")
    queue.release("crowd")
    expect(queue.take()).toBe("newcomer")
  })

  it("rejects items above the per-owner or total limit until an item is taken", () => {
    const room = { total: 10, perOwner: 6, weigh: (item: number) => item }
    const queue = makeFairQueue<number>({ slots: 9, mostPerOwner: 9, room })
    expect(queue.offer("a", 6)).toBe(true)
    expect(queue.offer("a", 1)).toBe(false)
    expect(queue.offer("b", 5)).toBe(false)
    expect(queue.offer("b", 4)).toBe(true)
    expect(queue.take()).toBe(6)
    expect(queue.offer("a", 6)).toBe(true)
  })

  it("makes room in a full queue by the newest items of the owner with most, and refuses those who would have as many", () => {
    const queue = makeFairQueue<string>({
      slots: 1,
      mostPerOwner: 1,
      room: { total: 4, perOwner: 4, weigh: (item) => item.length }
    })
    const displaced: Array<string> = []
    const offer = (owner: string, item: string) => queue.offerOrDisplace(owner, item, (other) => displaced.push(other))
    expect(["1", "2", "3", "4"].map((item) => offer("a", item))).toEqual([true, true, true, true])
    expect([offer("b", "56"), offer("b", "7"), offer("a", "8")]).toEqual([true, false, false])
    expect(displaced).toEqual(["4", "3"])
  })

  it("distinguishes an owner delayed by its own share from one delayed by others", () => {
    const queue = makeFairQueue<string>({ slots: 3, mostPerOwner: 2 })
    const since = queue.step()
    for (const owner of ["a", "a", "a", "b"]) queue.offer(owner, owner)
    for (let i = 0; i < 3; i++) expect(queue.heldBack(queue.take()!, since)).toBe(false)
    queue.release("a")
    expect(queue.take()).toBe("a")
    expect(queue.heldBack("a", since)).toBe(true)
    queue.offer("b", "b")
    queue.release("a")
    expect(queue.take()).toBe("b")
    expect(queue.heldBack("b", since)).toBe(false)
  })

  it("deletes idle owners and continues to serve", () => {
    const queue = makeFairQueue<number>({ slots: 1, mostPerOwner: 1 })
    for (let i = 0; i < 5000; i++) {
      queue.offer(`owner ${i}`, i)
      expect(queue.take()).toBe(i)
      queue.release(`owner ${i}`)
    }
    expect([queue.waiting(), queue.held()]).toEqual([0, 0])
  })
})

describe("a first-in, first-out queue", () => {
  it("keeps its items in order", () => {
    const step = fc.oneof(fc.nat(), fc.constantFrom("shift" as const, "pop" as const), fc.record({ remove: fc.nat() }))
    fc.assert(fc.property(fc.array(step, { maxLength: 500 }), (steps) => {
      const fifo = makeFifo<number>()
      const model: Array<number> = []
      for (const one of steps) {
        if (one === "shift") expect(fifo.shift()).toBe(model.shift())
        else if (one === "pop") expect(fifo.pop()).toBe(model.pop())
        else if (typeof one === "object") {
          const item = model[one.remove % (model.length + 1)] ?? -1
          expect(fifo.remove(item)).toBe(model.includes(item))
          if (model.includes(item)) model.splice(model.indexOf(item), 1)
        } else {
          fifo.push(one)
          model.push(one)
        }
        expect([fifo.peek(), fifo.size()]).toEqual([model[0], model.length])
      }
    }))
  })
})
