/** Which channels share a delivery, and how hosts limit deliveries. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { makeHostTurns } from "../../../src/domain/alert/HostTurns.ts"
import { shareTargets, targetOf } from "../../../src/domain/alert/SharedTargets.ts"

const channel = (id: string, url: string | null, more: object = {}) => ({ id, type: "webhook", url, targetHash: null, ...more })

describe("channels", () => {
  it("with the same type and URL share one delivery, which the oldest carries", () => {
    const shared = shareTargets([
      channel("ch_3", "https://hooks.example/x"),
      channel("ch_1", "HTTPS://Hooks.Example:443/x#top"),
      channel("ch_2", "https://hooks.example/y"),
      channel("ch_4", "https://hooks.example/x", { type: "slack" })
    ])
    expect(shared.map(({ carrier, sharedWith }) => [carrier.id, ...sharedWith.map(({ id }) => id)]).sort())
      .toEqual([["ch_1", "ch_3"], ["ch_2"], ["ch_4"]])
  })

  it("with sealed URLs are compared by the hash, and those without a URL share nothing", () => {
    expect(targetOf(channel("ch_1", null, { targetHash: "ab" }))).toBe(targetOf(channel("ch_2", null, { targetHash: "ab" })))
    expect(targetOf(channel("ch_1", null))).not.toBe(targetOf(channel("ch_2", null)))
  })
})

describe("the turns of a host", () => {
  const limits = { perSecond: 5, atOnce: 4, line: 1000, room: 1000, share: () => 1 }

  it("begin at most the rate within any second and hold at most their share, and nothing is dropped", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 400 }), fc.constantFrom("a", "b", "c")), { maxLength: 60 }),
        (given) => {
          const turns = makeHostTurns<number>(limits)
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
          makeHostTurns<number>({ ...limits, perSecond, atOnce: 1000, line: 100_000, room: 100_000, share: () => one / whole })
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
    const turns = makeHostTurns<string>({ ...limits, atOnce: 2 })
    for (const item of ["a1", "a2", "a3", "a4"]) turns.enter("host", "a", item, 0)
    turns.enter("host", "b", "b1", 0)
    turns.leave("host", "a")
    expect(turns.advance(0)).toEqual(["b1"])
  })

  it("send what finds the line full to later times, each after the one before", () => {
    const turns = makeHostTurns<number>({ ...limits, line: 1 })
    const answers = Array.from({ length: 8 }, (_, item) => turns.enter("host", "a", item, 0))
    expect(answers).toEqual(["start", "start", "start", "start", "wait", "full", "full", "full"])
    expect([turns.postpone("host", 0), turns.postpone("host", 0)]).toEqual([400, 600])
  })
})
