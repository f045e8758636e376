/** Jobs that wait start one after the other, however each ends. */
import { describe, expect, it } from "@effect/vitest"
import { makePump } from "../../../../src/domain/tools/queues/Pump.ts"

describe("makePump", () => {
  it("starts as many as asked for, and one that ends in its start makes no start nest", () => {
    const waiting = [1, 2, 3, 4, 5]
    const started: Array<number> = []
    let depth = 0
    const { pump } = makePump(() => waiting.shift(), (one: number) => {
      depth++
      expect(depth).toBe(1)
      started.push(one)
      pump()
      depth--
    })
    pump(2)
    expect(started).toEqual([1, 2])
    pump()
    expect(started).toEqual([1, 2, 3, 4, 5])
  })

  it("goes on after a start that threw, once it is reset", () => {
    const waiting = [1, 2, 3]
    const started: Array<number> = []
    const { pump, reset } = makePump(() => waiting.shift(), (one: number) => {
      started.push(one)
      if (one === 1) throw new Error("broken")
    })
    expect(() => pump()).toThrow("broken")
    pump()
    expect(started).toEqual([1])
    reset()
    pump()
    expect(started).toEqual([1, 2, 3])
  })
})
