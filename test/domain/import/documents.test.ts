/** Configurations of other programs, as their documentation shows them, in our terms. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import * as fc from "fast-check"
import { betterHeartbeat } from "../../../src/domain/import/betterstack/BetterMonitor.ts"
import { makeNotes } from "../../../src/domain/import/Carry.ts"
import { cronitorInventory } from "../../../src/domain/import/cronitor/CronitorInventory.ts"
import { gatusConditions, secondsOf } from "../../../src/domain/import/gatus/GatusConditions.ts"
import { gatusInventory } from "../../../src/domain/import/gatus/GatusInventory.ts"
import { healthchecksInventory } from "../../../src/domain/import/healthchecks/HealthchecksInventory.ts"
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
    expect(conditions("[CERTIFICATE_EXPIRATION] > 48h", "[CERTIFICATE_EXPIRATION] >= 240h")).toEqual({
      sslExpiryDays: 10,
      notes: []
    })
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

describe("checks of Healthchecks", () => {
  it("become heartbeats; integrations are listed with the reason", () => {
    const { channels, monitors } = runSteps(healthchecksInventory([
      { name: "Backup", uuid: "u-1", unique_key: "k-1", tags: "prod db", timeout: 3600, grace: 600, status: "up" },
      { name: "Nightly", uuid: "u-2", schedule: "0 2 * * *", tz: "UTC", grace: 60, status: "paused" },
      { name: "Odd", uuid: "u-3", schedule: "Mon *-*-* 00:00", tz: "America/New_York", grace: 60 },
      { name: "Two", uuid: "u-4", schedule: "Mon 10:00\nSat 12:00", tz: "UTC", grace: 60 },
      { name: "Never", uuid: "u-5", schedule: "0 0 31 2 *", tz: "Mars/Base", grace: 60 }
    ], [{ id: "c-1", name: "Ops", kind: "slack" }]))
    expect(monitors.map(({ ref }) => ref)).toEqual([
      "monitor:k-1",
      "monitor:Nightly",
      "monitor:Odd",
      "monitor:Two",
      "monitor:Never"
    ])
    expect(monitors[0]?.input).toMatchObject({ kind: "heartbeat", periodSec: 3600, graceSec: 600, tags: ["prod", "db"] })
    expect(monitors[1]?.input).toMatchObject({ schedule: "0 2 * * *", timezone: "UTC", graceSec: 60, paused: true })
    expect(monitors[2]?.input).toMatchObject({ schedule: "Mon *-*-* 00:00", timezone: "America/New_York", graceSec: 60 })
    expect(monitors[2]?.input?.paused).toBeUndefined()
    expect(monitors.slice(3).map(({ input }) => [input?.periodSec, input?.paused])).toEqual([[86_400, true], [86_400, true]])
    expect(monitors[4]?.notes).toEqual(expect.arrayContaining([
      "The schedule \"0 0 31 2 *\" is not carried: The times of this schedule never come",
      "Its time zone \"Mars/Base\" is not known, and becomes UTC"
    ]))
    expect(channels[0]?.input).toBeNull()
  })
})

describe("monitors of Cronitor", () => {
  const config = {
    jobs: {
      "nightly-backup": { name: "Nightly", schedule: "30 2 * * *", timezone: "Europe/Berlin", grace_seconds: 300, tags: ["db"] },
      "twice-daily": { schedules: ["0 6 * * *", "0 18 * * *"], notify: ["ops"], assertions: ["metric.duration < 5 min"] }
    },
    heartbeats: { worker: { schedule: "every 5 minutes", paused: true } },
    checks: {
      shop: { request: { url: "https://shop.example/", method: "GET" }, schedule: "every 60 seconds", failure_tolerance: 1 }
    },
    sites: { front: {} }
  }

  it("carry cron lines with their zones, intervals as periods, and checks of URLs", () => {
    const { monitors } = runSteps(cronitorInventory(config))
    expect(monitors.map(({ input, ref }) => [ref, input])).toMatchObject([
      ["monitor:nightly-backup", {
        name: "Nightly",
        schedule: "30 2 * * *",
        timezone: "Europe/Berlin",
        graceSec: 300,
        tags: ["db"]
      }],
      ["monitor:twice-daily", { kind: "heartbeat", schedule: "0 6 * * *", timezone: "UTC" }],
      ["monitor:worker", { kind: "heartbeat", periodSec: 300, paused: true }],
      ["monitor:shop", { kind: "http", url: "https://shop.example/", intervalSec: 60, failureThreshold: 2 }],
      ["monitor:front", null]
    ])
    expect(monitors[1]?.notes).toEqual(expect.arrayContaining([
      "Of its schedules only \"0 6 * * *\" is carried: make a heartbeat for 0 18 * * *",
      "Its assertions are not carried: metric.duration < 5 min",
      "Whom it notifies is not carried; attach channels"
    ]))
  })

  it("are the same things in the JSON of its interface", () => {
    const [monitor] = runSteps(cronitorInventory({
      monitors: [{ key: "nightly-backup", type: "job", schedule: "30 2 * * *", timezone: "America/New_York" }]
    })).monitors
    expect(monitor).toMatchObject({
      ref: "monitor:nightly-backup",
      input: { schedule: "30 2 * * *", timezone: "America/New_York" }
    })
  })
})

describe("a heartbeat of Better Stack", () => {
  it("keeps a line of cron with its zone, and otherwise its period", () => {
    const carried = (attributes: object) =>
      betterHeartbeat({ id: "1", attributes: { name: "Job", grace: 60, ...attributes } }, new Map(), 0).input
    expect(carried({ period: 86_400, cron_expression: "30 2 * * *", timezone: "Berlin" })).toMatchObject({
      schedule: "30 2 * * *",
      timezone: "Europe/Berlin",
      graceSec: 60
    })
    expect(carried({ period: 86_400 })).toMatchObject({ periodSec: 86_400, graceSec: 60 })
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
