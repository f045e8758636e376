/** Turns at the connections of a pool, against what must hold after every step. */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import {
  type Claim,
  keptForUrgent,
  makeConnectionShares,
  mostOfOwner,
  patience,
  type Priority
} from "../../../../src/domain/tools/queues/ConnectionShares.ts"

interface Turn {
  readonly claim: Claim
  readonly number: number
}

const claim = fc.record({
  priority: fc.constantFrom<Priority>("urgent", "request", "bulk"),
  owner: fc.constantFrom("a", "b", "c")
})
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: claim.map((claim) => ({ take: claim })) },
    { weight: 4, arbitrary: fc.record({ end: fc.nat(50) }) },
    { weight: 1, arbitrary: fc.constant("late" as const) }
  ),
  { maxLength: 200 }
)

const request = (owner: string): Claim => ({ priority: "request", owner })
const bulk: Claim = { priority: "bulk", owner: "" }

describe("turns at connections", () => {
  it("never exceed the pool or an owner's part, keep the rest for urgent work, and leave no connection idle that a turn may have", () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 12 }), steps, (connections, all) => {
      const turns = makeConnectionShares<Turn>(connections)
      const running: Array<Turn> = []
      let waiting: Array<Turn> = []
      const held = (owner: string) => running.filter(({ claim }) => claim.priority === "request" && claim.owner === owner).length
      const mayHave = ({ claim: { priority, owner } }: Turn): boolean => {
        const others = running.filter(({ claim }) => claim.priority !== "urgent").length
        return running.length < connections && (priority === "urgent" ||
          (others < connections - keptForUrgent(connections) && (priority === "bulk" || held(owner) < mostOfOwner(connections))))
      }
      const begin = (turn: Turn): void => {
        expect(mayHave(turn)).toBe(true)
        const { priority, owner } = turn.claim
        const before = waiting.filter((other) => other.number < turn.number && mayHave(other))
        expect(priority !== "urgent" && waiting.some((other) => other.claim.priority === "urgent")).toBe(false)
        // Each priority is in order; of requests, each owner's are, and the owner that uses the fewest connections goes first.
        expect(before.some(({ claim }) => claim.priority === priority && (priority !== "request" || claim.owner === owner))).toBe(
          false
        )
        if (priority === "request") {
          const rivals = waiting.filter((other) => other.claim.priority === "request" && mayHave(other))
          expect(held(owner)).toBe(Math.min(...rivals.map(({ claim }) => held(claim.owner))))
        }
        waiting = waiting.filter((other) => other !== turn)
        running.push(turn)
      }
      for (const [number, step] of all.entries()) {
        if (step === "late") {
          const now = number + patience.request - 20
          const late = turns.expired(now)
          const isLate = ({ claim: { priority }, number }: Turn) => now - number >= patience[priority]
          expect(new Set(late)).toEqual(new Set(waiting.filter(isLate)))
          waiting = waiting.filter((turn) => !isLate(turn))
        } else if ("take" in step) {
          const turn: Turn = { claim: step.take, number }
          const may = mayHave(turn)
          expect(turns.take(turn.claim, turn, number)).toBe(may)
          if (may) running.push(turn)
          else waiting.push(turn)
        } else if (running.length > 0) {
          const [ended] = running.splice(step.end % running.length, 1)
          if (ended !== undefined) turns.end(ended.claim).forEach(begin)
        }
        expect(waiting.filter(mayHave)).toEqual([])
        expect(turns.waiting()).toBe(waiting.length)
        expect(turns.longestWait(1000)).toBe(Math.max(0, ...waiting.map(({ number }) => 1000 - number)))
      }
    }))
  })

  it("are given up after the patience of their priority, oldest first, and never while they run", () => {
    const turns = makeConnectionShares<string>(1)
    expect(turns.take(bulk, "running", 0)).toBe(true)
    turns.take(request("a"), "first", 0)
    turns.take(request("b"), "second", 10)
    turns.take(bulk, "row", 0)
    expect(turns.longestWait(100)).toBe(100)
    expect(turns.expired(patience.request)).toEqual(["first"])
    expect(turns.expired(patience.request + 10)).toEqual(["second"])
    expect(turns.end(bulk)).toEqual(["row"])
    expect(turns.expired(patience.bulk)).toEqual([])
  })

  it("let a request pass a thousand of another owner, and the oldest bulk work pass them all", () => {
    const turns = makeConnectionShares<string>(10)
    const flood = Array.from({ length: 1000 }, (_, n) => turns.take(request("noisy"), `noisy ${n}`, n))
    expect(flood.filter((begun) => begun)).toHaveLength(mostOfOwner(10))
    // One connection is left for others at any time.
    expect(turns.take(request("quiet"), "quiet", 2000)).toBe(true)
    expect(turns.take(request("other"), "other", 2001)).toBe(false)
    expect(turns.end(request("noisy"))).toEqual(["other"])
    turns.take(bulk, "row", -1)
    expect(turns.end(request("other"))).toEqual(["row"])
  })

  it("keep a part for urgent work as soon as there are three, and leave one to other owners as soon as that leaves two", () => {
    expect([1, 2, 3, 5, 10, 20].map(keptForUrgent)).toEqual([0, 0, 1, 1, 3, 6])
    expect([1, 2, 3, 4, 5, 10, 20].map(mostOfOwner)).toEqual([1, 2, 2, 2, 3, 6, 13])
  })
})
