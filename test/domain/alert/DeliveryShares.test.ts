/** Which channels share a delivery, and how hosts limit deliveries. */
import { describe, expect, it } from "@effect/vitest"
import { Data, Equal, Predicate, Record } from "effect"
import * as fc from "fast-check"
import { mask } from "../../../schema/Mask.ts"
import { makeHostTurns } from "../../../src/domain/alert/HostTurns.ts"
import { hashedTarget, type Receiver, shareTargets, targetOf } from "../../../src/domain/alert/SharedTargets.ts"

interface Given {
  readonly type: string
  readonly shown?: Readonly<Record<string, unknown>>
  readonly sealed?: Readonly<Record<string, unknown>>
}

/** A channel as its row shows it; every sealed setting is masked there. */
const channel = (id: string, { sealed = {}, shown = {}, type }: Given): Receiver => {
  const { headers: _, url = null, ...settings } = { ...shown, ...Record.map(sealed, () => mask) }
  return {
    id,
    type,
    url: typeof url === "string" ? url : null,
    headerNames: Predicate.isRecord(sealed.headers) ? Object.keys(sealed.headers) : [],
    settings,
    targetHash: hashedTarget(shown, sealed)
  }
}

const webhook = (id: string, url: string, headers: Readonly<Record<string, string>> = {}) =>
  channel(id, { type: "webhook", shown: { url }, sealed: { headers } })

const same = (one: Receiver, other: Receiver) => targetOf(one) === targetOf(other)

describe("channels", () => {
  it("with the same type and URL share one delivery, which the oldest carries", () => {
    const shared = shareTargets([
      webhook("ch_3", "https://hooks.example/x"),
      webhook("ch_1", "HTTPS://Hooks.Example:443/x#top"),
      webhook("ch_2", "https://hooks.example/y"),
      channel("ch_4", { type: "slack", sealed: { url: "https://hooks.example/x" } })
    ])
    expect(shared.map(({ carrier, sharedWith }) => [carrier.id, ...sharedWith.map(({ id }) => id)]).sort())
      .toEqual([["ch_1", "ch_3"], ["ch_2"], ["ch_4"]])
  })

  it("share nothing if any setting differs, sealed or not, and share if all are the same", () => {
    const names = fc.constantFrom("url", "topic", "chatId", "token", "botToken")
    const values = fc.constantFrom("https://a.example/", "https://b.example/", "ops", "db")
    const settings = fc.dictionary(names, values)
    const split = (given: Readonly<Record<string, string>>): Given => ({
      type: "any",
      shown: Record.filter(given, (_, name) => !/token/i.test(name)),
      sealed: Record.filter(given, (_, name) => /token/i.test(name))
    })
    fc.assert(fc.property(settings, settings, (one, other) => {
      const isKnown = Object.keys(one).length > 0
      expect(same(channel("ch_1", split(one)), channel("ch_2", split(other)))).toBe(
        isKnown && Equal.equals(Data.struct(one), Data.struct(other))
      )
    }))
  })

  it("at one server have different targets by topic or key", () => {
    const ntfy = (id: string, topic: string) => channel(id, { type: "ntfy", shown: { url: "https://ntfy.example", topic } })
    const opsgenie = (id: string, token: string) =>
      channel(id, { type: "opsgenie", shown: { url: "https://api.eu.opsgenie.com" }, sealed: { token } })
    expect(shareTargets([ntfy("ch_1", "ops"), ntfy("ch_2", "db"), ntfy("ch_3", "ops")])).toHaveLength(2)
    expect(shareTargets([opsgenie("ch_1", "a"), opsgenie("ch_2", "b"), opsgenie("ch_3", "a")])).toHaveLength(2)
  })

  it("with one URL share by their headers too, in any order and case", () => {
    const url = "https://relay.example/"
    const one = webhook("ch_1", url, { "X-Team": "ops", "X-Env": "live" })
    expect(same(one, webhook("ch_2", url, { "x-env": "live", "x-team": "ops" }))).toBe(true)
    expect(same(one, webhook("ch_2", url, { "X-Team": "db", "X-Env": "live" }))).toBe(false)
    expect(same(one, webhook("ch_2", url))).toBe(false)
  })

  it("with sealed URLs are compared by the hash that earlier versions wrote", () => {
    expect(
      hashedTarget({ url: "https://hooks.example/[hidden]", headers: {} }, { headers: {}, url: "HTTPS://hooks.example/x#top" })
    )
      .toBe("https://hooks.example/x")
  })

  it("of which an earlier version did not record the whole target share nothing", () => {
    const old = (given: Given) => ["ch_1", "ch_2"].map((id) => ({ ...channel(id, given), targetHash: null }))
    const hidden: ReadonlyArray<Given> = [
      { type: "webhook", shown: { url: "https://relay.example/" }, sealed: { headers: { "X-Team": "ops" } } },
      { type: "opsgenie", shown: { url: "https://api.eu.opsgenie.com" }, sealed: { token: "a" } },
      { type: "slack", sealed: { url: "https://hooks.example/x" } }
    ]
    for (const given of hidden) expect(shareTargets(old(given))).toHaveLength(2)
    expect(shareTargets(old({ type: "webhook", shown: { url: "https://relay.example/" } }))).toHaveLength(1)
  })
})

describe("the turns of a host", () => {
  const limits = { perSecond: 5, atOnce: 4, line: 1000, room: 1000, share: () => 1, displaced: () => {} }

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
    expect([turns.postpone("host", "a", 0), turns.postpone("host", "a", 0)]).toEqual([400, 600])
  })

  it("send what a quiet workspace postpones to an early time, however much others have postponed", () => {
    const turns = makeHostTurns<number>({ ...limits, line: 1 })
    for (let item = 0; item < 5; item++) turns.enter("host", "a", item, 0)
    for (let item = 0; item < 500; item++) turns.postpone("host", "a", 0)
    expect(turns.postpone("host", "b", 0)).toBe(400)
  })

  it("give a quiet workspace a place in a line that others have filled, and the next one but theirs", () => {
    const postponed: Array<string> = []
    const turns = makeHostTurns<string>({
      ...limits,
      perSecond: 50,
      atOnce: 100,
      line: 600,
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
    const turns = makeHostTurns<string>({ ...limits, atOnce: 1, room: 40, displaced: (item) => postponed.push(item) })
    for (let item = 0; item < 60; item++) turns.enter(`${item < 50 ? "many" : "few"}.example`, "storm", `storm ${item}`, 0)
    turns.enter("mail.example", "other", "begun", 0)
    expect(turns.enter("mail.example", "quiet", "quiet", 0)).toBe("wait")
    turns.leave("mail.example", "other")
    expect([turns.advance(0), postponed, turns.waiting()]).toEqual([["quiet"], ["storm 40"], 39])
  })

  it("share a full line and a full memory: nobody is refused who has two fewer than another, and nothing is lost", () => {
    // One owner asks more often than all others.
    const owner = fc.constantFrom("a", "a", "a", "a", "a", "b", "c", "d")
    const entry = fc.tuple(owner, fc.constantFrom("x", "y", "z"), fc.integer({ min: 0, max: 10 }))
    const given = fc.array(entry, { minLength: 30, maxLength: 200 })
    fc.assert(
      fc.property(given, fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 20 }), (entries, line, room) => {
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
        const turns = makeHostTurns<Item>({ ...limits, line, room, displaced: remove })
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
          expect(atHost.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(line)
          expect([waiting.size <= room, turns.waiting()]).toEqual([true, waiting.size])
          if (turn !== "full") continue
          const isLineFull = atHost.reduce((sum, count) => sum + count, 0) === line
          const counts = isLineFull ? atHost : everywhere
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
