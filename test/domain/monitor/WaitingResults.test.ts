/** Results that wait for actors: a workspace that gets nowhere keeps a bounded share, one that gets on keeps all. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { makeWaitingResults } from "../../../src/domain/monitor/WaitingResults.ts"

const limits = { results: 100, patienceMs: 5_000 }
const bytes = 600
/** Of all workspaces that get nowhere. */
const together = 2_000

const range = (count: number) => Array.from({ length: count }, (_, n) => n)

/** Judged as a runner does it, at each of these seconds. */
const secondsOf = (from: number, count: number) => range(count).map((n) => (from + n) * 1_000)

describe("results that wait for their monitors", () => {
  it("of workspaces that hang hold a bounded share together, however many hang and whatever comes", () => {
    const anyArrivals = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(anyArrivals, (arrivals) => {
        const waiting = makeWaitingResults<number, string>(limits)
        const open = new Set<string>()
        for (const now of secondsOf(0, 20)) {
          for (const [workspace, count] of arrivals.entries()) {
            for (const n of range(count)) {
              if (!waiting.hasRoom(workspace)) continue
              open.add(`${workspace} ${now} ${n}`)
              waiting.add(workspace, `${workspace} ${now} ${n}`, bytes, now)
            }
          }
          for (const one of waiting.giveUp(now).givenUp) expect(open.delete(one)).toBe(true)
        }
        expect(open.size).toBeLessThanOrEqual(Math.min(together, arrivals.length * limits.results))
      }),
      { numRuns: 20 }
    )
  })

  it("are all kept while they are answered, as many as there are", () => {
    const waiting = makeWaitingResults<string, number>(limits)
    let next = 0
    let oldest = 0
    for (const now of secondsOf(0, 60)) {
      for (; next < oldest + 3_000; next++) waiting.add("storm", next, bytes, now)
      for (const _ of range(400)) waiting.end("storm", oldest++)
      expect(waiting.giveUp(now)).toEqual({ givenUp: [], limited: [], freed: [] })
      expect(waiting.hasRoom("storm")).toBe(true)
    }
  })

  it("are all kept while the runner works through a burst of many workspaces, one workspace after another", () => {
    const waiting = makeWaitingResults<number, string>(limits)
    for (const n of range(40)) for (const workspace of range(100)) waiting.add(workspace, `${workspace} ${n}`, bytes, 0)
    for (const now of secondsOf(1, 20)) {
      for (const workspace of range(5)) {
        for (const n of range(40)) waiting.end((now / 1_000 - 1) * 5 + workspace, `${(now / 1_000 - 1) * 5 + workspace} ${n}`)
      }
      expect(waiting.giveUp(now)).toEqual({ givenUp: [], limited: [], freed: [] })
    }
    expect(waiting.isEmpty()).toBe(true)
  })

  it("are given up where others overtake them, however fast those are answered", () => {
    const waiting = makeWaitingResults<string, number>(limits)
    for (const n of range(150)) waiting.add("hanging", n, bytes, 0)
    const beyond: Array<number> = []
    for (const now of secondsOf(0, 6)) {
      for (const n of range(100)) waiting.add("well", now + n, bytes, now)
      expect(beyond).toEqual([])
      beyond.push(...waiting.giveUp(now).givenUp)
      for (const n of range(100)) waiting.end("well", now + n)
    }
    expect(beyond).toEqual(range(50).map((n) => 149 - n))
  })

  it("are judged by recent answers alone after a time in which none waited", () => {
    const waiting = makeWaitingResults<string, number>(limits)
    for (const n of range(5_000)) waiting.add("well", n, bytes, 0)
    for (const n of range(5_000)) waiting.end("well", n)
    waiting.giveUp(0)
    for (const n of range(4_000)) waiting.add("hanging", n, bytes, 60_000)
    expect(waiting.giveUp(64_000).givenUp).toEqual([])
    expect(waiting.giveUp(65_000).givenUp.length).toBe(3_900)
  })

  it("are given up from the newest, and only where they hang", () => {
    const waiting = makeWaitingResults<string, number>(limits)
    for (const n of range(150)) waiting.add("hanging", n, bytes, 0)
    for (const now of secondsOf(0, 5)) {
      for (const n of range(150)) waiting.add("well", now + n, bytes, now)
      expect(waiting.giveUp(now).givenUp).toEqual([])
      for (const n of range(150)) waiting.end("well", now + n)
    }
    expect(waiting.giveUp(5_000)).toEqual({ givenUp: range(50).map((n) => 149 - n), limited: ["hanging"], freed: [] })
    expect([waiting.hasRoom("hanging"), waiting.hasRoom("well")]).toEqual([false, true])
  })

  it("are limited until the workspace gets on or has none left", () => {
    const waiting = makeWaitingResults<string, number>(limits)
    for (const n of range(150)) waiting.add("hanging", n, bytes, 0)
    waiting.giveUp(5_000)
    for (const n of range(60)) waiting.end("hanging", n)
    expect(waiting.giveUp(6_000)).toEqual({ givenUp: [], limited: [], freed: ["hanging"] })

    for (const n of range(150)) waiting.add("other", n, bytes, 6_000)
    waiting.giveUp(15_000)
    for (const n of range(100)) waiting.end("other", n)
    expect(waiting.giveUp(16_000).freed).toEqual(["other"])
    expect(waiting.hasRoom("other")).toBe(true)
  })

  it("count by their size when they are large", () => {
    const waiting = makeWaitingResults<string, number>(limits)
    for (const n of range(20)) waiting.add("hanging", n, 160 * 1024, 0)
    expect(waiting.giveUp(5_000).givenUp).toEqual([19, 18, 17, 16, 15, 14, 13, 12, 11, 10])
  })
})
