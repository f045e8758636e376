/** Which channels have the same receiver. */
import { describe, expect, it } from "@effect/vitest"
import { Data, Equal, Predicate, Record } from "effect"
import * as fc from "fast-check"
import { mask } from "../../../schema/Mask.ts"
import { hashedTarget, identicalOnes, type Receiver } from "../../../src/domain/alert/IdenticalChannels.ts"

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

/** The ids of the others with the target of each. */
const others = (receivers: ReadonlyArray<Receiver>) => identicalOnes(receivers).map((same) => same.map(({ id }) => id).join())

const same = (one: Receiver, other: Receiver) => others([one, other])[0] === other.id

describe("channels", () => {
  it("with the same type and URL are identical, however the URL is spelled", () => {
    expect(others([
      webhook("ch_1", "HTTPS://Hooks.Example:443/x#top"),
      webhook("ch_2", "https://hooks.example/y"),
      webhook("ch_3", "https://hooks.example/x"),
      channel("ch_4", { type: "slack", sealed: { url: "https://hooks.example/x" } }),
      webhook("ch_5", "https://hooks.example/x")
    ])).toEqual(["ch_3,ch_5", "", "ch_1,ch_5", "", "ch_1,ch_3"])
  })

  it("name at most 20 others each, however many are alike", () => {
    const alike = identicalOnes(Array.from({ length: 300 }, (_, n) => webhook(`ch_${n}`, "https://hooks.example/x")))
    expect(new Set(alike.map(({ length }) => length))).toEqual(new Set([20]))
    expect(alike.every((others, n) => others.every(({ id }) => id !== `ch_${n}`))).toBe(true)
  })

  it("are identical if all settings are the same, sealed or not, and otherwise not", () => {
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

  it("at one server differ by topic or key", () => {
    const ntfy = (id: string, topic: string) => channel(id, { type: "ntfy", shown: { url: "https://ntfy.example", topic } })
    const opsgenie = (id: string, token: string) =>
      channel(id, { type: "opsgenie", shown: { url: "https://api.eu.opsgenie.com" }, sealed: { token } })
    expect(others([ntfy("ch_1", "ops"), ntfy("ch_2", "db"), ntfy("ch_3", "ops")])).toEqual(["ch_3", "", "ch_1"])
    expect(others([opsgenie("ch_1", "a"), opsgenie("ch_2", "b"), opsgenie("ch_3", "a")])).toEqual(["ch_3", "", "ch_1"])
  })

  it("with one URL differ by their headers, in any order and case", () => {
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

  it("of which an earlier version did not record the whole target are not known to be identical", () => {
    const old = (given: Given) => ["ch_1", "ch_2"].map((id) => ({ ...channel(id, given), targetHash: null }))
    const hidden: ReadonlyArray<Given> = [
      { type: "webhook", shown: { url: "https://relay.example/" }, sealed: { headers: { "X-Team": "ops" } } },
      { type: "opsgenie", shown: { url: "https://api.eu.opsgenie.com" }, sealed: { token: "a" } },
      { type: "slack", sealed: { url: "https://hooks.example/x" } }
    ]
    for (const given of hidden) expect(others(old(given))).toEqual(["", ""])
    expect(others(old({ type: "webhook", shown: { url: "https://relay.example/" } }))).toEqual(["ch_2", "ch_1"])
  })
})
