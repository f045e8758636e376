import { describe, expect, it } from "@effect/vitest"
import { Duration, FastCheck as fc } from "effect"
import { affordable, affordableApart, AfterFailure, afterFailure } from "../../../src/domain/alert/FanOutBatch.ts"

const most = { rows: 2000, bytes: 8 * 1024 * 1024 }
const sumOf = (all: ReadonlyArray<{ readonly rows: number; readonly bytes: number }>) => ({
  rows: all.reduce((sum, { rows }) => sum + rows, 0),
  bytes: all.reduce((sum, { bytes }) => sum + bytes, 0)
})
const fits = ({ bytes, rows }: ReturnType<typeof sumOf>) => rows <= most.rows && bytes <= most.bytes

const offered = fc.array(
  fc.record({
    workspaceId: fc.constantFrom("ws_1", "ws_2", "ws_3", "ws_4"),
    rows: fc.integer({ min: 0, max: 2500 }),
    bytes: fc.integer({ min: 0, max: 10 * 1024 * 1024 })
  }),
  { maxLength: 30 }
)

describe("a transaction of the fan-out", () => {
  it("takes events while they fit, never one before an earlier one of its workspace", () => {
    fc.assert(fc.property(offered, (all) => {
      const { taken, tooLarge } = affordable(all)
      expect(fits(sumOf(taken))).toBe(true)
      for (const id of new Set(all.map(({ workspaceId }) => workspaceId))) {
        const own = all.filter(({ workspaceId }) => workspaceId === id)
        const ownTaken = taken.filter(({ workspaceId }) => workspaceId === id)
        expect(ownTaken).toEqual(own.slice(0, ownTaken.length))
        const next = own[ownTaken.length]
        if (next === undefined) expect(tooLarge.has(id)).toBe(false)
        else expect(tooLarge.has(id)).toBe(!fits(sumOf([next])))
      }
    }))
  })

  it("always does something: it takes the first event, or finds that this one goes apart", () => {
    fc.assert(fc.property(offered, (all) => {
      const [first] = all
      const { taken, tooLarge } = affordable(all)
      if (first !== undefined) expect(taken[0] === first || tooLarge.has(first.workspaceId)).toBe(true)
    }))
  })

  it("takes the first event that goes apart in any case, and no more than fit beside it", () => {
    fc.assert(fc.property(offered, (all) => {
      const taken = affordableApart(all)
      expect(taken).toEqual(all.slice(0, taken.length))
      expect(taken.length).toBeGreaterThanOrEqual(Math.min(1, all.length))
      if (taken.length > 1) expect(fits(sumOf(taken))).toBe(true)
      const next = all[taken.length]
      if (next !== undefined) expect(fits(sumOf([...taken, next]))).toBe(false)
    }))
  })
})

describe("a workspace whose events go apart and fail", () => {
  it("tries fewer events, until a single one is left", () => {
    let attempted = 100
    for (let tries = 0; attempted > 1; tries++) {
      const next = afterFailure(attempted, 0, false)
      expect(next._tag).toBe("Fewer")
      attempted = next._tag === "Fewer" ? next.most : 1
      expect(tries).toBeLessThan(7)
    }
    expect(attempted).toBe(1)
  })

  /** The pauses of a single event that fails again and again, in seconds. */
  const pausesOf = (mayBeElsewhere: boolean) => {
    const pauses: Array<number> = []
    for (
      let next = afterFailure(1, 0, mayBeElsewhere);
      next._tag === "Later";
      next = afterFailure(1, next.failures, mayBeElsewhere)
    ) {
      pauses.push(Duration.toSeconds(next.pause))
    }
    return pauses
  }

  it("gives a single event up after minutes if the event is at fault, and after an hour if something else may be", () => {
    expect(pausesOf(false)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
    const hour = pausesOf(true)
    expect(hour.every((pause) => pause <= 60)).toBe(true)
    expect(hour.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThan(50 * 60)
    expect(afterFailure(1, 59, true)).toEqual(AfterFailure.SetAside())
  })
})
