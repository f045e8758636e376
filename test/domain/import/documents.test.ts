/** Configurations of other programs, as their documentation shows them, in our terms. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import * as fc from "fast-check"
import { makeNotes } from "../../../src/domain/import/Carry.ts"
import { gatusConditions, secondsOf } from "../../../src/domain/import/gatus/GatusConditions.ts"
import { gatusInventory } from "../../../src/domain/import/gatus/GatusInventory.ts"
import { cronPeriod, healthchecksInventory } from "../../../src/domain/import/healthchecks/HealthchecksInventory.ts"
import { kumaBackup } from "../../../src/domain/import/kuma/KumaAccount.ts"
import { kumaInventory } from "../../../src/domain/import/kuma/KumaInventory.ts"
import { runSteps } from "../../../src/domain/tools/Steps.ts"

const now = DateTime.unsafeMake("2026-11-22T12:00:00Z")

const conditionsOf = (kind: string, ...texts: ReadonlyArray<string>) => {
  const notes = makeNotes()
  return { ...gatusConditions(notes, texts, kind), notes: notes.all }
}
const conditions = (...texts: ReadonlyArray<string>) => conditionsOf("http", ...texts)

describe("the conditions of Gatus", () => {
  it("become fields and assertions of the same meaning", () => {
    expect(conditions("[STATUS] == any(200, 204)", "[BODY] == pat(*Welcome*)", "[CERTIFICATE_EXPIRATION] > 48h")).toEqual({
      expectedStatus: "200,204",
      keyword: "Welcome",
      sslExpiryDays: 2,
      notes: []
    })
    expect(conditions("[STATUS] < 300", "[RESPONSE_TIME] < 500", "[BODY].user.name == john", "[CONNECTED] == true")).toEqual({
      expectedStatus: "100-599",
      assertions: [
        { source: "status", op: "lt", value: 300 },
        { source: "latency", op: "lt", value: 500 },
        { source: "json", path: "user.name", op: "eq", value: "john" }
      ],
      notes: []
    })
  })

  it("are notes where ours cannot say the same", () => {
    expect(conditions("[BODY].a > [BODY].b", "[DOMAIN_EXPIRATION] > 720h").notes).toEqual([
      "The condition \"[BODY].a > [BODY].b\" is not carried",
      "The condition \"[DOMAIN_EXPIRATION] > 720h\" is not carried"
    ])
  })

  it("keep what several of them say of the same thing, or say so", () => {
    expect(conditions("[CERTIFICATE_EXPIRATION] > 48h", "[CERTIFICATE_EXPIRATION] >= 240h")).toMatchObject({ sslExpiryDays: 10 })
    expect(conditionsOf("dns", "[BODY] == 192.0.2.1", "[BODY] == 192.0.2.2")).toEqual({
      expected: ["192.0.2.1"],
      notes: ["The condition \"[BODY] == 192.0.2.2\" is not carried"]
    })
  })

  it("are texts that a message of a websocket contains", () => {
    expect(conditionsOf("websocket", "[CONNECTED] == true", "[BODY] == pat(*pong*)", "[BODY] == pat(*ok*)")).toEqual({
      keyword: "pong",
      notes: ["The condition \"[BODY] == pat(*ok*)\" is not carried"]
    })
  })

  it("have durations as Go writes them", () => {
    expect(["90s", "1h30m", "500ms", "2d", "soon", ""].map(secondsOf)).toEqual([90, 5400, 0.5, 172_800, null, null])
  })
})

describe("a configuration of Gatus", () => {
  const { channels, monitors } = runSteps(gatusInventory({
    alerting: { slack: { "webhook-url": "https://hooks.slack.com/services/a" }, pagerduty: { "integration-key": "${PD_KEY}" } },
    endpoints: [
      {
        name: "front end",
        group: "core",
        url: "https://acme.example/",
        interval: "5m",
        conditions: ["[STATUS] == 200"],
        alerts: [{ type: "slack", "failure-threshold": 5 }]
      },
      { name: "db", url: "tcp://db.acme.example:5432", conditions: ["[CONNECTED] == true"] },
      {
        name: "names",
        url: "8.8.8.8",
        dns: { "query-name": "acme.example", "query-type": "MX" },
        conditions: ["[DNS_RCODE] == NOERROR"]
      },
      { name: "router", url: "icmp://10.0.0.1", conditions: ["[CONNECTED] == true"] },
      { name: "mail", url: "starttls://mail.acme.example:25" },
      { name: "api", url: "https://acme.example/api", headers: { authorization: "Bearer ${TOKEN}" } }
    ],
    "external-endpoints": [{ name: "backup", heartbeat: { interval: "24h" } }]
  }))

  it("gives monitors of each kind, named by group and name", () => {
    expect(monitors.map(({ ref }) => ref)).toEqual([
      "monitor:core_front-end",
      "monitor:_db",
      "monitor:_names",
      "monitor:_router",
      "monitor:_mail",
      "monitor:_api",
      "monitor:_backup"
    ])
    expect(monitors[0]).toMatchObject({
      input: { kind: "http", intervalSec: 300, expectedStatus: "200", failureThreshold: 5, tags: ["core"] },
      channelRefs: ["channel:slack"]
    })
    expect(monitors[1]?.input).toMatchObject({ kind: "tcp", host: "db.acme.example", port: 5432 })
    expect(monitors[2]?.input).toMatchObject({ kind: "dns", host: "acme.example", recordType: "MX", resolvers: ["8.8.8.8"] })
    expect(monitors[3]).toMatchObject({ input: { kind: "ping", host: "10.0.0.1" }, notes: [] })
    expect(monitors[6]?.input).toMatchObject({ kind: "heartbeat", periodSec: 86_400 })
  })

  it("lists what needs another protocol or the environment, with the reason", () => {
    expect(monitors[4]).toMatchObject({ input: null, notes: ["STARTTLS monitors are not supported"] })
    expect(monitors[5]).toMatchObject({
      input: null,
      notes: ["It uses environment variables; put their values into the document"]
    })
    expect(channels.map(({ input, ref }) => [ref, input === null])).toEqual([["channel:slack", false], [
      "channel:pagerduty",
      true
    ]])
  })
})

describe("a cron schedule", () => {
  it("becomes its longest gap", () => {
    const hour = 3600
    const expected: ReadonlyArray<readonly [string, number | null]> = [
      ["*/5 * * * *", 300],
      ["0 * * * *", hour],
      ["0 */6 * * *", 6 * hour],
      ["30 3 * * *", 24 * hour],
      ["0 9,17 * * *", 16 * hour],
      ["0 0 * * 1", 7 * 24 * hour],
      ["0 0 1 * *", 31 * 24 * hour],
      ["0 0 * * mon", 7 * 24 * hour],
      ["0 9 * * MON-FRI", 3 * 24 * hour],
      ["0 9 * * 1,3,7", 4 * 24 * hour],
      ["0 9 * * 1-7", 24 * hour],
      ["0 3 */1 * *", 24 * hour],
      ["0 3 1-31 * *", 24 * hour],
      ["0 3 ? * ?", 24 * hour],
      ["0 3 */2 * *", 2 * 24 * hour],
      ["0 3 1,15 * *", 17 * 24 * hour],
      ["0 3 1-7 * *", 25 * 24 * hour],
      ["0 3 L * *", 31 * 24 * hour],
      ["0 3 * * */2", 2 * 24 * hour],
      ["0 3 * * FRI-SUN", 5 * 24 * hour],
      ["0 3 * * 5#2", null],
      ["0 3 1 * MON", 7 * 24 * hour],
      ["0 3 * jan-dec *", 24 * hour],
      ["0 3,4 * * 1", 7 * 24 * hour],
      ["30 0 3 * * *", 24 * hour],
      ["5-59/10 8-18 * * *", 13 * hour + 600],
      ["0 0 1 1 *", null],
      ["0 0 31 * *", null],
      ["0 0 30 2 *", null],
      ["0 0 1 W *", null],
      ["@daily", null]
    ]
    expect(expected.map(([schedule]) => [schedule, cronPeriod(schedule)])).toEqual(expected)
  })

  it("is the gap between its runs, whatever lists, ranges and steps say", () => {
    const field = (least: number, most: number) =>
      fc.oneof(
        fc.constant("*"),
        fc.integer({ min: 1, max: most - least }).map((step) => `*/${step}`),
        fc.array(fc.integer({ min: least, max: most }), { minLength: 1, maxLength: 3 }).map((values) => values.join(",")),
        fc.tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most })).map((ends) =>
          [...ends].sort((one, other) => one - other).join("-")
        )
      )
    const fields = fc.tuple(field(0, 59), field(0, 23), field(1, 28), fc.constant("*"), field(0, 6))
    fc.assert(
      fc.property(fields, (given) => {
        const [minute = "", hour = "", date = "", , day = ""] = given
        const isIn = (text: string, least: number, value: number) =>
          text.split(",").some((part) => {
            const [range = "", step = "1"] = part.split("/")
            const [from, to] = range === "*" ? [least, 99] : range.split("-").map(Number)
            return value >= Number(from) && value <= Number(to ?? from) && (value - Number(from)) % Number(step) === 0
          })
        const minutes = Array.from({ length: 1440 }, (_, past) => past)
          .filter((past) => isIn(minute, 0, past % 60) && isIn(hour, 0, Math.floor(past / 60)))
        const isStar = date.startsWith("*") || day.startsWith("*")
        const days = Array.from({ length: 8 * 366 }, (_, index) => new Date(Date.UTC(2024, 0, 1 + index))).flatMap(
          (at, index) => {
            const [onDate, onDay] = [isIn(date, 1, at.getUTCDate()), isIn(day, 0, at.getUTCDay())]
            return (isStar ? onDate && onDay : onDate || onDay) ? [index] : []
          }
        )
        const longest = (values: ReadonlyArray<number>) =>
          values.slice(1).reduce((gap, value, index) => Math.max(gap, value - (values[index] ?? value)), 0)
        const gap = longest(days)
        const expected = gap > 1 ? gap * 86_400 : 60 * longest([...minutes, (minutes[0] ?? 0) + 1440])
        expect([given, cronPeriod(given.join(" "))]).toEqual([given, expected > 31 * 86_400 ? null : expected])
      }),
      { numRuns: 40 }
    )
  })
})

describe("checks of Healthchecks", () => {
  it("become heartbeats; integrations are listed with the reason", () => {
    const { channels, monitors } = runSteps(healthchecksInventory([
      { name: "Backup", uuid: "u-1", unique_key: "k-1", tags: "prod db", timeout: 3600, grace: 600, status: "up" },
      { name: "Nightly", uuid: "u-2", schedule: "0 2 * * *", tz: "UTC", grace: 60, status: "paused" },
      { name: "Odd", uuid: "u-3", schedule: "Mon *-*-* 00:00", grace: 60 }
    ], [{ id: "c-1", name: "Ops", kind: "slack" }]))
    expect(monitors.map(({ ref }) => ref)).toEqual(["monitor:k-1", "monitor:Nightly", "monitor:Odd"])
    expect(monitors[0]?.input).toMatchObject({ kind: "heartbeat", periodSec: 3600, graceSec: 600, tags: ["prod", "db"] })
    expect(monitors[1]?.input).toMatchObject({ periodSec: 86_400, paused: true })
    // Any period would be a guess.
    expect(monitors[2]).toMatchObject({
      input: { periodSec: 86_400, paused: true },
      notes: [expect.stringContaining("Mon *-*-*"), expect.anything(), expect.stringContaining("starts paused")]
    })
    expect(channels[0]?.input).toBeNull()
  })
})

describe("a backup of Uptime Kuma", () => {
  it("gives monitors with their notifications and tags", () => {
    const { channels, monitors } = runSteps(kumaInventory(
      kumaBackup({
        version: "1.23.0",
        notificationList: [{
          id: 1,
          name: "Ops",
          active: true,
          isDefault: true,
          config: "{\"type\":\"webhook\",\"webhookURL\":\"https://h.example/\"}"
        }],
        monitorList: [{
          id: 7,
          name: "Shop",
          type: "http",
          url: "https://shop.example/",
          method: "GET",
          interval: 60,
          maxretries: 3,
          timeout: 48,
          active: true,
          expiryNotification: true,
          accepted_statuscodes: ["200-299"],
          notificationIDList: { 1: true },
          tags: [{ name: "env", value: "prod" }, { name: "eu", value: "" }],
          headers: "{\"x-a\": \"b\"}"
        }]
      }),
      now
    ))
    expect(channels[0]?.input).toMatchObject({ type: "webhook", url: "https://h.example/", isDefault: true })
    expect(monitors[0]).toMatchObject({
      ref: "monitor:7",
      channelRefs: ["channel:1"],
      input: {
        kind: "http",
        expectedStatus: "200-299",
        failureThreshold: 4,
        confirmAfterSec: 0,
        timeoutMs: 48_000,
        sslExpiryDays: 21,
        headers: { "x-a": "b" },
        tags: ["env:prod", "eu"]
      }
    })
  })
})

describe("a document of any shape", () => {
  it("may use the names that every object has", () => {
    const words = ["valueOf", "constructor", "toString", "__proto__"]
    for (const type of words) {
      expect(runSteps(gatusInventory(JSON.parse(`{"alerting":{"${type}":{}}}`))).channels).toMatchObject([{
        ref: `channel:${type}`,
        input: null
      }])
      const { channels, monitors } = runSteps(kumaInventory(
        kumaBackup({
          notificationList: [{ id: 1, config: JSON.stringify({ type }) }],
          monitorList: [{ id: 1, type }]
        }),
        now
      ))
      expect([channels[0]?.input, monitors[0]?.input]).toEqual([null, null])
    }
  })

  it("gives an inventory and never an error", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("endpoints", "alerting", "monitorList", "notificationList"), fc.jsonValue()),
        (value) => {
          runSteps(gatusInventory(value))
          runSteps(kumaInventory(kumaBackup(value), now))
        }
      ),
      { numRuns: 200 }
    )
  })
})
