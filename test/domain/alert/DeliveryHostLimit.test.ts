/** How hosts limit deliveries. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { makeDeliveryHostLimit } from "../../../src/domain/alert/DeliveryHostLimit.ts"

describe("the turns of a host", () => {
  const limits = { perSecond: 5, atOnce: 4, mostQueued: 1000, room: 1000, share: () => 1, displaced: () => {} }

  it("begin at most the rate within any second and hold at most their share, and nothing is dropped", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 400 }), fc.constantFrom("a", "b", "c")), { maxLength: 60 }),
        (given) => {
          const turns = makeDeliveryHostLimit<number>(limits)
          const begun: Array<number> = []
          const running: Array<{ readonly owner: string; readonly until: number }> = []
          let now = 0
          const begin = (item: number): void => {
            begun.push(now)
            running.push({ owner: given[item]?.[1] ?? "", until: now + 300 })
            expect(running.length).toBeLessThanOrEqual(limits.atOnce)
          }
          const step = (): void => {
            for (let one = running[0]; one !== undefined && one.until <= now; one = running[0]) {
              running.shift()
              turns.leave("host", one.owner)
            }
            turns.advance(now).forEach(begin)
          }
          given.forEach(([wait, owner], item) => {
            for (const end = now + wait; now < end; now += 50) step()
            step()
            if (turns.enter("host", owner, item, now) === "start") begin(item)
          })
          for (let left = 0; left < 2000 && begun.length < given.length; left++, now += 50) step()
          expect(begun.length).toBe(given.length)
          for (const at of begun) expect(begun.filter((other) => other > at - 1000 && other <= at).length).toBeLessThanOrEqual(5)
        }
      )
    )
  })

  it("of all runners together begin at most the rate, and at least half of it", () => {
    const part = fc.integer({ min: 1, max: 10 })
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 30 }), (parts, perSecond) => {
        const whole = parts.reduce((sum, one) => sum + one, 0)
        const runners = parts.map((one) =>
          makeDeliveryHostLimit<number>({
            ...limits,
            perSecond,
            atOnce: 1000,
            mostQueued: 100_000,
            room: 100_000,
            share: () => one / whole
          })
        )
        const begun: Array<number> = []
        for (let now = 0; now < 20_000; now += 50) {
          for (const turns of runners) {
            for (let index = 0; index < 2 * perSecond; index++) {
              if (turns.enter("host", "a", index, now) !== "start") break
              begun.push(now)
              turns.leave("host", "a")
            }
            for (const _ of turns.advance(now)) {
              begun.push(now)
              turns.leave("host", "a")
            }
          }
        }
        const counts = begun.map((at) => begun.filter((other) => other > at - 1000 && other <= at).length)
        // A share of less than one a second is one in several seconds.
        const most = parts.reduce((sum, one) => sum + Math.max(1, Math.floor((perSecond * one) / whole)), 0)
        expect(Math.max(...counts)).toBeLessThanOrEqual(most)
        expect(begun.length).toBeLessThanOrEqual(20 * perSecond + parts.length)
        expect(begun.length).toBeGreaterThanOrEqual(10 * perSecond - parts.length)
      }),
      { numRuns: 30 }
    )
  })

  it("go to the workspace that holds the fewest", () => {
    const turns = makeDeliveryHostLimit<string>({ ...limits, atOnce: 2 })
    for (const item of ["a1", "a2", "a3", "a4"]) turns.enter("host", "a", item, 0)
    turns.enter("host", "b", "b1", 0)
    turns.leave("host", "a")
    expect(turns.advance(0)).toEqual(["b1"])
  })

  it("send what finds the queue full to later times, each after the one before", () => {
    const turns = makeDeliveryHostLimit<number>({ ...limits, mostQueued: 1 })
    const answers = Array.from({ length: 8 }, (_, item) => turns.enter("host", "a", item, 0))
    expect(answers).toEqual(["start", "start", "start", "start", "wait", "full", "full", "full"])
    expect([turns.postpone("host", "a", 0), turns.postpone("host", "a", 0)]).toEqual([400, 600])
  })

  it("send what a quiet workspace postpones to an early time, however much others have postponed", () => {
    const turns = makeDeliveryHostLimit<number>({ ...limits, mostQueued: 1 })
    for (let item = 0; item < 5; item++) turns.enter("host", "a", item, 0)
    for (let item = 0; item < 500; item++) turns.postpone("host", "a", 0)
    expect(turns.postpone("host", "b", 0)).toBe(400)
  })

  it("give a quiet workspace a place in a queue that others have filled, and the next one but theirs", () => {
    const postponed: Array<string> = []
    const turns = makeDeliveryHostLimit<string>({
      ...limits,
      perSecond: 50,
      atOnce: 100,
      mostQueued: 600,
      displaced: (item) => postponed.push(item)
    })
    for (const owner of ["storm 1", "storm 2", "storm 3"]) {
      for (let channel = 0; channel < 500; channel++) {
        if (turns.enter("email", owner, `${owner}: ${channel}`, 0) === "start") turns.leave("email", owner)
      }
    }
    expect(turns.enter("email", "quiet", "quiet", 0)).toBe("wait")
    expect(turns.waiting()).toBe(600)
    expect(turns.advance(1000)).toContain("quiet")
    // The newest gave way: 150 to the second storm, 200 to the third, and one to the quiet workspace.
    expect(postponed.length).toBe(351)
    expect(postponed).not.toContain("storm 1: 50")
  })

  it("give a quiet workspace a place when deliveries to many other hosts fill the memory", () => {
    const postponed: Array<string> = []
    const turns = makeDeliveryHostLimit<string>({ ...limits, atOnce: 1, room: 40, displaced: (item) => postponed.push(item) })
    for (let item = 0; item < 60; item++) turns.enter(`${item < 50 ? "many" : "few"}.example`, "storm", `storm ${item}`, 0)
    turns.enter("mail.example", "other", "begun", 0)
    expect(turns.enter("mail.example", "quiet", "quiet", 0)).toBe("wait")
    turns.leave("mail.example", "other")
    expect([turns.advance(0), postponed, turns.waiting()]).toEqual([["quiet"], ["storm 40"], 39])
  })

  it("share a full queue and a full memory: nobody is refused who has two fewer than another, and nothing is lost", () => {
    // One owner asks more often than all others.
    const owner = fc.constantFrom("a", "a", "a", "a", "a", "b", "c", "d")
    const entry = fc.tuple(owner, fc.constantFrom("x", "y", "z"), fc.integer({ min: 0, max: 10 }))
    const given = fc.array(entry, { minLength: 30, maxLength: 200 })
    fc.assert(
      fc.property(given, fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 20 }), (entries, mostQueued, room) => {
        interface Item {
          readonly owner: string
          readonly host: string
        }
        const waiting = new Set<Item>()
        const ended = new Set<Item>()
        const remove = (item: Item): void => {
          expect(waiting.delete(item)).toBe(true)
          expect(ended.has(item)).toBe(false)
          ended.add(item)
        }
        const turns = makeDeliveryHostLimit<Item>({ ...limits, mostQueued, room, displaced: remove })
        const countsOf = (host: string | null) =>
          ["a", "b", "c", "d"].map((owner) =>
            [...waiting].filter((one) => one.owner === owner && (host === null || one.host === host)).length
          )
        let now = 0
        for (const [owner, host, wait] of entries) {
          now += wait
          for (const item of turns.advance(now)) {
            remove(item)
            turns.leave(item.host, item.owner)
          }
          const item = { owner, host }
          const own = "abcd".indexOf(owner)
          const turn = turns.enter(host, owner, item, now)
          if (turn === "wait") waiting.add(item)
          else ended.add(item)
          if (turn === "start") turns.leave(host, owner)
          const [atHost, everywhere] = [countsOf(host), countsOf(null)]
          expect(atHost.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(mostQueued)
          expect([waiting.size <= room, turns.waiting()]).toEqual([true, waiting.size])
          if (turn !== "full") continue
          const isQueueFull = atHost.reduce((sum, count) => sum + count, 0) === mostQueued
          const counts = isQueueFull ? atHost : everywhere
          expect(Math.max(...counts)).toBeLessThanOrEqual((counts[own] ?? 0) + 1)
        }
        for (let round = 0; round < 2000 && waiting.size > 0; round++) {
          now += 100
          for (const item of turns.advance(now)) {
            remove(item)
            turns.leave(item.host, item.owner)
          }
        }
        expect(ended.size).toBe(entries.length)
      })
    )
  })
})
