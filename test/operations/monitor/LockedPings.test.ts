import { describe, expect, it } from "@effect/vitest"
import { CheckId } from "../../../schema/Ids.ts"
import { lockedTries, makeLockedPings } from "../../../src/operations/monitor/LockedPings.ts"
import type { Waiting } from "../../../src/operations/monitor/PingAnswers.ts"

const ping = (tokenHash: string, at: number): Waiting => ({
  answer: () => {},
  ping: { tokenHash, checkId: CheckId.make("chk_1"), at, outcome: "up", latencyMs: null, error: null }
})
const timesOf = (pings: ReadonlyArray<Waiting>) => pings.map((one) => one.ping.at)

describe("pings of heartbeats whose rows are locked", () => {
  it("keep their order behind those that came before", () => {
    const locked = makeLockedPings()
    locked.add(ping("a", 1))
    locked.add(ping("a", 2))
    expect(timesOf(locked.take(10))).toEqual([1, 2])
    locked.add(ping("a", 3))
    expect(locked.settle(() => true)).toEqual([])
    expect(timesOf(locked.take(10))).toEqual([1, 2, 3])
    locked.add(ping("a", 4))
    expect(locked.settle(() => false)).toEqual([])
    expect(locked.has("a")).toBe(true)
    expect(timesOf(locked.take(10))).toEqual([4])
    locked.settle(() => false)
    expect([locked.has("a"), locked.isEmpty()]).toEqual([false, true])
  })

  it("are tried in turns of their heartbeats, and given up in the end", () => {
    const locked = makeLockedPings()
    locked.add(ping("a", 1))
    locked.add(ping("b", 2))
    const turns: Array<ReadonlyArray<number>> = []
    const givenUp: Array<number> = []
    for (let turn = 0; turn < 2 * lockedTries; turn++) {
      turns.push(timesOf(locked.take(1)))
      givenUp.push(...timesOf(locked.settle(() => true)))
    }
    expect(turns.slice(0, 4)).toEqual([[1], [2], [1], [2]])
    expect(givenUp).toEqual([1, 2])
    expect(locked.isEmpty()).toBe(true)
  })

  it("are bounded", () => {
    const locked = makeLockedPings()
    const added = Array.from({ length: 6000 }, (_, at) => locked.add(ping(`token ${at % 100}`, at)))
    expect(added.filter((one) => one)).toHaveLength(5000)
    locked.take(10_000)
    locked.settle(() => false)
    expect(locked.add(ping("a", 1))).toBe(true)
  })
})
