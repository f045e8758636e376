/** Turns at the connections of a pool, against what must hold after every step. */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { keptForUrgent, type Lane, makeConnectionTurns, patience } from "../../src/domain/ConnectionTurns.ts"

interface Turn {
  readonly lane: Lane
  readonly number: number
}

const lane = fc.constantFrom<Lane>("urgent", "request", "bulk")
const steps = fc.array(fc.oneof(lane.map((lane) => ({ take: lane })), fc.record({ end: fc.nat(50) })), { maxLength: 200 })

describe("turns at connections", () => {
  it("never exceed the pool, keep the rest for urgent work, and leave no connection idle that a turn may have", () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 12 }), steps, (connections, all) => {
      const turns = makeConnectionTurns<Turn>(connections)
      const running: Array<Turn> = []
      let waiting: Array<Turn> = []
      const others = () => running.filter(({ lane }) => lane !== "urgent").length
      const begin = (turn: Turn): void => {
        const before = waiting.filter((other) => other.lane === "urgent" || turn.lane !== "urgent")
        // Urgent turns go first, and within both kinds the oldest goes first.
        expect(before.every((other) => other.number >= turn.number || (turn.lane === "urgent") !== (other.lane === "urgent")))
          .toBe(true)
        if (turn.lane !== "urgent") expect(waiting.some(({ lane }) => lane === "urgent")).toBe(false)
        waiting = waiting.filter((other) => other !== turn)
        running.push(turn)
      }
      for (const [number, step] of all.entries()) {
        if ("take" in step) {
          const turn: Turn = { lane: step.take, number }
          if (turns.take(turn.lane, turn, number)) running.push(turn)
          else waiting.push(turn)
        } else if (running.length > 0) {
          const [ended] = running.splice(step.end % running.length, 1)
          if (ended !== undefined) turns.end(ended.lane).forEach(begin)
        }
        const room = connections - running.length
        const roomForOthers = connections - keptForUrgent(connections) - others()
        expect(room).toBeGreaterThanOrEqual(0)
        expect(roomForOthers).toBeGreaterThanOrEqual(0)
        if (room > 0) expect(waiting.some(({ lane }) => lane === "urgent")).toBe(false)
        if (room > 0 && roomForOthers > 0) expect(waiting).toEqual([])
        expect(turns.waiting()).toBe(waiting.length)
      }
    }))
  })

  it("are given up after the patience of their lane, oldest first, and never while they run", () => {
    const turns = makeConnectionTurns<string>(1)
    expect(turns.take("bulk", "running", 0)).toBe(true)
    turns.take("request", "first", 0)
    turns.take("request", "second", 10)
    turns.take("bulk", "row", 0)
    expect(turns.longestWait(100)).toBe(100)
    expect(turns.expired(patience.request)).toEqual(["first"])
    expect(turns.expired(patience.request + 10)).toEqual(["second"])
    expect(turns.end("bulk")).toEqual(["row"])
    expect(turns.expired(patience.bulk)).toEqual([])
  })

  it("keep a part for urgent work as soon as there are three", () => {
    expect([1, 2, 3, 5, 10, 20].map(keptForUrgent)).toEqual([0, 0, 1, 1, 3, 6])
  })
})
