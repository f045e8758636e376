/** How monitor settings are completed, and which are rejected. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { RegionId } from "../../../../schema/check/Region.ts"
import type { MonitorInput } from "../../../../schema/monitor/Monitor.ts"
import {
  changesChecks,
  type MonitorSettings,
  settleEdit,
  settleNew
} from "../../../../src/domain/monitor/settings/MonitorSettings.ts"

const defaults = { channelIds: [], regions: [RegionId.make("main")] }
const settled = (input: Partial<MonitorInput>): MonitorSettings =>
  Either.getOrThrowWith(
    settleNew({ name: "Shop", url: "https://shop.test/", ...input }, defaults),
    (refusal) => new Error(refusal.message)
  )
const refusal = (input: Partial<MonitorInput>, more: { readonly url?: null } = {}) => {
  const { url: _, ...rest } = { name: "Shop", url: "https://shop.test/", ...input }
  return Either.getLeft(settleNew(more.url === null ? rest : { ...rest, url: input.url ?? "https://shop.test/" }, defaults))
}

describe("a new monitor", () => {
  it("gets defaults for missing fields", () => {
    expect(settled({})).toMatchObject({
      intervalSec: 60,
      timeoutMs: 10_000,
      failureThreshold: 2,
      recoveryThreshold: 1,
      ai: true,
      paused: false,
      regions: ["main"],
      tags: [],
      description: null,
      secrets: { headers: {}, body: null },
      target: { kind: "http", method: "GET", followRedirects: true, expectedStatus: "200-299", keyword: null, assertions: [] }
    })
  })

  it("has its kind inferred from its fields, and is rejected if they do not identify one", () => {
    expect(settled({}).target.kind).toBe("http")
    expect(refusal({}, { url: null })).toMatchObject({ value: { path: null, message: "Cannot infer monitor kind" } })
    expect(refusal({ kind: "http" }, { url: null })).toMatchObject({
      value: { path: "url", message: "url is required for http monitors" }
    })
  })

  it("is a heartbeat when it has a period, and gets a matching grace", () => {
    const heartbeat = (input: Partial<MonitorInput>) =>
      Either.map(settleNew({ name: "Backup", ...input }, defaults), (settings) => settings.target)
    expect(heartbeat({ periodSec: 30 })).toMatchObject({ right: { graceSec: 60 } })
    expect(heartbeat({ periodSec: 3600 })).toMatchObject({ right: { graceSec: 360 } })
    expect(heartbeat({ kind: "heartbeat", periodSec: 86_400 })).toMatchObject({ right: { graceSec: 3600 } })
    expect(heartbeat({ periodSec: 600, graceSec: 0 })).toMatchObject({
      right: { kind: "heartbeat", periodSec: 600, graceSec: 0 }
    })
    expect(heartbeat({ kind: "heartbeat" })).toMatchObject({
      left: { path: "periodSec", message: "periodSec or schedule is required for heartbeat monitors" }
    })
  })

  it("is a heartbeat when it has a schedule, with a grace that its closest times allow", () => {
    const target = (input: Partial<MonitorInput>) =>
      Either.map(settleNew({ name: "Backup", ...input }, defaults), (settings) => settings.target)
    expect(target({ schedule: " 30  2 * * * " })).toMatchObject({
      right: { kind: "heartbeat", schedule: "30 2 * * *", timezone: "UTC", graceSec: 3600, periodSec: 86_400 }
    })
    expect(target({ schedule: "*/20 9-17 * * 1-5", timezone: "Europe/Berlin" })).toMatchObject({ right: { graceSec: 120 } })
    const refusals: ReadonlyArray<readonly [Partial<MonitorInput>, string, RegExp]> = [
      [{ schedule: "30 2 * * *", periodSec: 3600 }, "schedule", /either periodSec or schedule/],
      [{ schedule: "30 25 * * *" }, "schedule", /no line of cron and no calendar expression.*hour/],
      [{ schedule: "0 0 31 2 *" }, "schedule", /never come/],
      [{ schedule: "*/10 * * * * *" }, "schedule", /at least 30 s apart; some of these are 10 seconds/],
      [{ periodSec: 3600, timezone: "Europe/Berlin" }, "timezone", /the zone of a schedule/]
    ]
    for (const [input, path, message] of refusals) {
      expect(target(input)).toMatchObject({ left: { path, message: expect.stringMatching(message) } })
    }
  })

  it("changes between a period and a schedule by an edit that names the other, and keeps what an edit omits", () => {
    const base = settled({ url: null, periodSec: 600 })
    const edited = (input: Parameters<typeof settleEdit>[0], from = base) =>
      Either.map(settleEdit(input, from), ({ target }) => target)
    const scheduled = Either.getOrThrow(settleEdit({ schedule: "30 2 * * *", timezone: "Europe/Berlin" }, base))
    expect(scheduled.target).toMatchObject({ schedule: "30 2 * * *", timezone: "Europe/Berlin", graceSec: 60 })
    expect(edited({ graceSec: 300 }, scheduled)).toMatchObject({
      right: { schedule: "30 2 * * *", timezone: "Europe/Berlin", graceSec: 300 }
    })
    expect(edited({ timezone: "UTC", periodSec: null }, scheduled)).toMatchObject({
      right: { schedule: "30 2 * * *", timezone: "UTC" }
    })
    expect(edited({ periodSec: 900 }, scheduled)).toEqual(Either.right({ kind: "heartbeat", periodSec: 900, graceSec: 60 }))
    expect(edited({ schedule: null }, scheduled)).toMatchObject({ left: { path: "periodSec" } })
    expect(edited({ schedule: null, graceSec: 5 })).toMatchObject({ right: { periodSec: 600, graceSec: 5 } })
    expect(edited({ periodSec: null })).toMatchObject({ left: { path: "periodSec" } })
  })

  it.each([
    ["periodSec", { periodSec: 60 }],
    ["host", { host: "db.test" }],
    ["url", { kind: "heartbeat", periodSec: 60 }],
    ["code", { code: "x" }]
  ] as ReadonlyArray<readonly [string, Partial<MonitorInput>]>)(
    "is rejected with %s if that is a setting of another kind",
    (path, input) => {
      expect(refusal(input)).toMatchObject({
        value: { path, message: `${path} is not a setting of ${input.kind ?? "http"} monitors` }
      })
    }
  )

  it("accepts the empty settings of a record", () => {
    const empty = { headers: {}, body: null, assertions: [], degradedAfterMs: null, sslExpiryDays: null }
    expect(Either.isRight(settleNew({ name: "Backup", periodSec: 60, ...empty }, defaults))).toBe(true)
  })

  it("never has a timeout longer than its interval", () => {
    expect(settled({ intervalSec: 10 }).timeoutMs).toBe(10_000)
    expect(settled({ intervalSec: 10, timeoutMs: 10_001 }).timeoutMs).toBe(10_000)
  })

  it.each([
    ["expectedStatus", { expectedStatus: "2xx" }],
    ["headers.Bad Name", { headers: { "Bad Name": "x" } }],
    ["headers.X-Line", { headers: { "X-Line": "a\r\nb" } }],
    ["headers.x-line", { headers: { "X-Line": "a", "x-line": "b" } }],
    ["headers.Content-Length", { headers: { "Content-Length": "5" } }],
    ["assertions.1.value", {
      assertions: [
        { source: "status", op: "eq", value: 200 },
        { source: "body", op: "matches", value: "(unclosed" }
      ]
    }],
    ["assertions.0.value", { assertions: [{ source: "status", op: "lt", value: "many" }] }],
    ["assertions.0.path", { assertions: [{ source: "json", path: "items[?(@.id = 1)]", op: "exists" }] }],
    ["assertions.0.path", { assertions: [{ source: "header", op: "exists" }] }],
    ["url", { url: "https://user:secret@shop.test/" }],
    ["url", { url: "https://:secret@shop.test/" }]
  ] as ReadonlyArray<readonly [string, Partial<MonitorInput>]>)(
    "is rejected with the path %s of the invalid setting",
    (path, input) => {
      expect(refusal(input)).toMatchObject({ value: { path } })
    }
  )

  it.each([
    ["tcp", { port: 1 }],
    ["dns", {}],
    ["dns", { host: "shop.test", resolvers: [] }],
    ["ping", {}],
    ["domain", {}]
  ] as ReadonlyArray<readonly ["tcp" | "dns" | "ping" | "domain", Partial<MonitorInput>]>)(
    "of kind %s is rejected with a name that DNS cannot carry",
    (kind, rest) => {
      for (const name of ["shop..test", ".shop.test", `${"a".repeat(64)}.test`, `${"a.".repeat(126)}test`]) {
        const input = rest.host === undefined ? { ...rest, host: name } : { ...rest, resolvers: [name] }
        const path = rest.host === undefined ? "host" : "resolvers.0"
        expect(refusal({ kind, ...input }, { url: null })).toMatchObject({ value: { path } })
      }
      expect(settleNew({ name: "Shop", kind, ...rest, host: `_dmarc.${"a".repeat(63)}.test.` }, defaults)).toMatchObject({
        _tag: "Right"
      })
    }
  )

  it("keeps each tag, region and channel once", () => {
    const main = RegionId.make("main")
    expect(settled({ tags: ["a", "b", "a"], regions: [main, main] })).toMatchObject({ tags: ["a", "b"], regions: ["main"] })
  })
})

describe("the repetition of a failed check", () => {
  const confirmAfter = (input: Parameters<typeof settleEdit>[0], before?: Parameters<typeof settleEdit>[0]) =>
    Either.getOrThrow(before === undefined ? Either.right(settled(input)) : settleEdit(input, settled(before)))
      .confirmAfterSec

  it.each([[10, 10], [19, 10], [20, 10], [25, 12], [60, 30], [61, 30], [86_400, 30]])(
    "comes within half the interval, at least 10 and at most 30 s: at %i s after %i s",
    (intervalSec, confirmAfterSec) => {
      expect(confirmAfter({ intervalSec, timeoutMs: 1000 })).toBe(confirmAfterSec)
    }
  )

  it("is off with 0 and with null, and stays off when the interval changes", () => {
    for (const confirmAfterSec of [0, null]) {
      expect(confirmAfter({ confirmAfterSec })).toBeNull()
      expect(confirmAfter({ confirmAfterSec }, {})).toBeNull()
      expect(confirmAfter({ intervalSec: 300 }, { confirmAfterSec })).toBeNull()
    }
  })

  it("follows an edit of the interval while it is the default, and stays otherwise", () => {
    expect(confirmAfter({ intervalSec: 20 }, {})).toBe(10)
    expect(confirmAfter({ intervalSec: 60 }, { intervalSec: 10 })).toBe(30)
    expect(confirmAfter({ intervalSec: 300 }, { confirmAfterSec: 5 })).toBe(5)
    expect(confirmAfter({ intervalSec: 20, confirmAfterSec: 15 }, {})).toBe(15)
    expect(Either.getLeft(settleEdit({ intervalSec: 20 }, settled({ confirmAfterSec: 45 })))).toMatchObject({
      value: { path: "confirmAfterSec", hint: "Set it to 0 to check again after the interval" }
    })
  })

  it("does not exist where no probe checks", () => {
    for (const confirmAfterSec of [undefined, null, 0]) {
      const input = { name: "Job", periodSec: 60, ...(confirmAfterSec === undefined ? {} : { confirmAfterSec }) }
      expect(Either.getOrThrow(settleNew(input, defaults))).toMatchObject({
        target: { kind: "heartbeat" },
        confirmAfterSec: null
      })
    }
  })
})

describe("an edit", () => {
  const base = settled({
    keyword: "hello",
    degradedAfterMs: 500,
    description: "before",
    headers: { "x-a": "1" },
    body: "b",
    method: "POST"
  })
  const edited = (input: Parameters<typeof settleEdit>[0]) => Either.getOrThrow(settleEdit(input, base))

  it("changes only the given fields", () => {
    expect(edited({ intervalSec: 120 })).toEqual({ ...base, intervalSec: 120 })
  })

  it("clears with null, and with an empty text", () => {
    const after = edited({ degradedAfterMs: null, description: "", keyword: "", body: null, headers: {} })
    expect(after).toMatchObject({ description: null, secrets: { headers: {}, body: null } })
    expect(after.target).toMatchObject({ keyword: null, degradedAfterMs: null })
  })

  it("shortens a timeout that exceeds a shorter interval", () => {
    const slow = settled({ intervalSec: 60, timeoutMs: 30_000 })
    expect(Either.getOrThrow(settleEdit({ intervalSec: 20 }, slow)).timeoutMs).toBe(20_000)
  })

  it("cannot change the kind of a monitor", () => {
    expect(Either.getLeft(settleEdit({ kind: "dns" }, base))).toMatchObject({ value: { path: "kind" } })
  })

  it("is sent to the probes only if it changes what or when they check", () => {
    expect(changesChecks(base, edited({ name: "Other", tags: ["x"], recoveryThreshold: 5 }))).toBe(false)
    for (
      const input of [
        { url: "https://b.test/" },
        { intervalSec: 30 },
        { headers: { "x-a": "2" } },
        { paused: true },
        { failureThreshold: 5 },
        { confirmAfterSec: 0 }
      ]
    ) {
      expect(changesChecks(base, edited(input))).toBe(true)
    }
  })
})
