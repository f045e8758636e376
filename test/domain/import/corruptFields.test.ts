/** One field of a source that is missing, of another type, too long or an unknown word takes nothing else with it. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import { betterHeartbeat, betterMonitor } from "../../../src/domain/import/betterstack/BetterMonitor.ts"
import { betterPage } from "../../../src/domain/import/betterstack/BetterPage.ts"
import { makeNotes } from "../../../src/domain/import/Carry.ts"
import { cronitorInventory } from "../../../src/domain/import/cronitor/CronitorInventory.ts"
import { gatusInventory } from "../../../src/domain/import/gatus/GatusInventory.ts"
import { healthchecksInventory } from "../../../src/domain/import/healthchecks/HealthchecksInventory.ts"
import { emptyInventory, type Inventory } from "../../../src/domain/import/Inventory.ts"
import { kumaBackup } from "../../../src/domain/import/kuma/KumaAccount.ts"
import { kumaInventory } from "../../../src/domain/import/kuma/KumaInventory.ts"
import type { Loose } from "../../../src/domain/import/Loose.ts"
import { headersOf } from "../../../src/domain/import/MonitorParts.ts"
import { statuspagePage } from "../../../src/domain/import/statuspage/StatuspageComponents.ts"
import { statuspageIncident } from "../../../src/domain/import/statuspage/StatuspageIncident.ts"
import { robotChannel } from "../../../src/domain/import/uptimerobot/RobotChannel.ts"
import { robotMonitor } from "../../../src/domain/import/uptimerobot/RobotMonitor.ts"
import { robotPage } from "../../../src/domain/import/uptimerobot/RobotPage.ts"
import { runSteps } from "../../../src/domain/tools/Steps.ts"

const now = DateTime.unsafeMake("2026-11-22T12:00:00Z")

/** A source's own data, and what an import finds in it. Without the fields of `needed`, ours has nothing to watch or to call. */
interface Source {
  readonly data: Loose
  readonly inventory: (data: Loose) => Inventory
  readonly needed: ReadonlyArray<string>
}

const record = (data: Loose, name: string): Loose => {
  const value = data[name]
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}
}

const sources: Readonly<Record<string, Source>> = {
  uptimerobot: {
    data: {
      monitor: {
        id: 1,
        friendlyName: "Shop",
        url: "https://shop.example/",
        type: "KEYWORD",
        interval: 300,
        timeout: 30,
        status: "UP",
        httpMethodType: "POST",
        customHttpHeaders: { "x-a": "1" },
        successHttpResponseCodes: ["2xx"],
        keywordType: "ALERT_NOT_EXISTS",
        keywordValue: "Welcome",
        postValueData: "a=b",
        followRedirections: false,
        responseTimeThreshold: 500,
        config: { sslExpirationPeriodDays: [14] },
        assignedAlertContacts: [{ alertContactId: 5 }],
        tags: [{ name: "prod" }],
        groupId: 7
      },
      contact: { id: 5, friendlyName: "Hook", type: "webhook", value: "https://hooks.example/" },
      page: { id: 9, friendlyName: "Status", customDomain: null, isPasswordSet: false, monitorIds: [1] }
    },
    inventory: (data) => {
      const monitors = [robotMonitor(record(data, "monitor"), new Map([["7", "EU"]]), 0)]
      return {
        ...emptyInventory,
        monitors,
        channels: [robotChannel(record(data, "contact"), 0)],
        pages: [robotPage(record(data, "page"), 0, monitors, [])]
      }
    },
    needed: ["monitor.id", "monitor.url", "contact.type", "contact.value", "page.monitorIds", "page.monitorIds.0"]
  },
  betterstack: {
    data: {
      monitor: {
        id: "1",
        attributes: {
          url: "https://shop.example/",
          pronounceable_name: "Shop",
          monitor_type: "keyword",
          required_keyword: "Welcome",
          http_method: "get",
          request_headers: [{ name: "x-a", value: "1" }],
          request_body: "a",
          expected_status_codes: [200],
          check_frequency: 180,
          request_timeout: 15,
          confirmation_period: 0,
          recovery_period: 180,
          ssl_expiration: 14,
          follow_redirects: true,
          monitor_group_id: 3,
          paused_at: null
        }
      },
      heartbeat: { id: "2", attributes: { name: "Backup", period: 3600, grace: 300, heartbeat_group_id: null, paused_at: null } },
      page: {
        id: "4",
        attributes: { company_name: "Acme", company_url: "https://acme.example/", subdomain: "acme", timezone: "Berlin" }
      },
      section: { id: "5", attributes: { name: "Web" } },
      resource: {
        id: "6",
        attributes: {
          resource_type: "Monitor",
          resource_id: 1,
          public_name: "Shop",
          explanation: "It sells",
          status_page_section_id: 5
        }
      }
    },
    inventory: (data) => ({
      ...emptyInventory,
      monitors: [
        betterMonitor(record(data, "monitor"), new Map([["3", "EU"]]), 0),
        betterHeartbeat(record(data, "heartbeat"), new Map(), 0)
      ],
      pages: [
        betterPage(record(data, "page"), 0, { sections: [record(data, "section")], resources: [record(data, "resource")] }, [])
      ]
    }),
    needed: ["monitor.attributes", "monitor.attributes.url", "heartbeat.attributes"]
  },
  statuspage: {
    data: {
      page: { id: "p", name: "Acme", page_description: "All of it", domain: null, time_zone: "Eastern Time (US & Canada)" },
      group: { id: "g", name: "Web" },
      component: { id: "c", name: "API", description: "REST", group_id: "g", status: "operational", position: 1 },
      incident: {
        id: "i",
        name: "Slow",
        status: "monitoring",
        impact: "major",
        started_at: "2026-11-22T10:00:00Z",
        created_at: "2026-11-22T10:00:00Z",
        components: [{ id: "c", status: "major_outage" }],
        incident_updates: [{ body: "We look", status: "monitoring", display_at: "2026-11-22T10:00:00Z" }]
      },
      window: {
        id: "w",
        name: "Move",
        status: "scheduled",
        impact: "maintenance",
        scheduled_for: "2026-11-29T10:00:00Z",
        scheduled_until: "2026-11-29T11:00:00Z",
        created_at: "2026-11-22T10:00:00Z",
        incident_updates: []
      }
    },
    inventory: (data) => {
      const parts = { page: record(data, "page"), components: [record(data, "component")], groups: [record(data, "group")] }
      const page = runSteps(statuspagePage(parts, 0, []))
      return {
        ...emptyInventory,
        pages: [page],
        incidents: ["incident", "window"].map((name, index) => statuspageIncident(record(data, name), page.ref, index, now))
      }
    },
    needed: []
  },
  healthchecks: {
    data: {
      check: {
        name: "Backup",
        slug: "backup",
        unique_key: "k",
        desc: "Nightly",
        tags: "prod db",
        schedule: "0 3 * * *",
        tz: "UTC",
        grace: 600,
        status: "up",
        methods: ""
      }
    },
    inventory: (data) => runSteps(healthchecksInventory([record(data, "check")], [])),
    needed: []
  },
  cronitor: {
    data: {
      jobs: {
        nightly: {
          name: "Nightly",
          schedule: "30 2 * * *",
          timezone: "Europe/Berlin",
          grace_seconds: 300,
          note: "Backs up",
          group: "core",
          tags: ["db"],
          paused: false
        }
      }
    },
    inventory: (data) => runSteps(cronitorInventory(data)),
    needed: ["jobs", "jobs.nightly"]
  },
  gatus: {
    data: {
      alerting: {
        slack: { "webhook-url": "https://hooks.slack.com/services/a" },
        email: { to: "ops@acme.example,not an address" }
      },
      endpoints: [
        {
          name: "front",
          group: "core",
          url: "https://acme.example/",
          interval: "5m",
          method: "GET",
          body: "a",
          headers: { "x-a": "1" },
          client: { timeout: "10s", "ignore-redirect": true },
          conditions: ["[STATUS] == 200", "[BODY] == pat(*Welcome*)"],
          alerts: [{ type: "slack", "failure-threshold": 3 }]
        },
        {
          name: "names",
          url: "8.8.8.8",
          dns: { "query-name": "acme.example", "query-type": "MX" },
          conditions: ["[DNS_RCODE] == NOERROR"]
        }
      ],
      "external-endpoints": [{ name: "job", group: "core", heartbeat: { interval: "24h" } }]
    },
    inventory: (data) => runSteps(gatusInventory(data)),
    needed: [
      "alerting",
      "alerting.slack",
      "alerting.slack.webhook-url",
      "alerting.email",
      "alerting.email.to",
      "endpoints",
      "endpoints.0",
      "endpoints.0.url",
      "endpoints.1",
      "endpoints.1.url",
      "endpoints.1.dns",
      "endpoints.1.dns.query-name",
      "external-endpoints",
      "external-endpoints.0",
      "external-endpoints.0.heartbeat",
      "external-endpoints.0.heartbeat.interval"
    ]
  },
  uptimekuma: {
    data: {
      monitor: {
        id: 7,
        name: "Shop",
        type: "keyword",
        url: "https://shop.example/",
        method: "GET",
        keyword: "Welcome",
        interval: 60,
        maxretries: 2,
        retryInterval: 30,
        timeout: 48,
        active: true,
        accepted_statuscodes: ["200-299"],
        notificationIDList: { 1: true },
        tags: [{ name: "env", value: "prod" }],
        headers: "{\"x-a\": \"b\"}",
        body: "a",
        description: "It sells"
      },
      notification: {
        id: 1,
        name: "Ops",
        active: true,
        isDefault: true,
        config:
          "{\"type\":\"webhook\",\"webhookURL\":\"https://h.example/\",\"webhookAdditionalHeaders\":\"{\\\"x\\\":\\\"y\\\"}\"}"
      }
    },
    inventory: (data) =>
      runSteps(
        kumaInventory(
          kumaBackup({ monitorList: [record(data, "monitor")], notificationList: [record(data, "notification")] }),
          now
        )
      ),
    needed: ["monitor.url", "notification.config"]
  }
}

/** The paths of everything in a value, its lists' entries and the fields of its records. */
const pathsIn = (value: unknown, at: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [[...at, name], ...pathsIn(inner, [...at, name])])
    : []

const replaced = (value: unknown, [name, ...rest]: ReadonlyArray<string>, by: unknown): unknown => {
  if (name === undefined) return by
  if (Array.isArray(value)) return value.map((one, index) => (String(index) === name ? replaced(one, rest, by) : one))
  const fields: Loose = typeof value === "object" && value !== null ? { ...value } : {}
  return { ...fields, [name]: replaced(fields[name], rest, by) }
}

const corrupt: ReadonlyArray<unknown> = [
  null,
  "",
  "constructor",
  "\0\uD800",
  "x".repeat(5000),
  -1,
  0,
  99_999_999_999,
  1.5,
  true,
  false,
  [],
  {},
  ["x", { name: 5 }],
  { a: { b: [] } }
]

const found = (inventory: Inventory) => [
  ...inventory.monitors,
  ...inventory.channels,
  ...inventory.pages,
  ...inventory.pages.flatMap(({ components }) => components),
  ...inventory.incidents
]

describe.each(Object.entries(sources))("a field of %s", (_, { data, inventory, needed }) => {
  const whole = found(inventory(data))
  const isNeeded = (path: string) => needed.includes(path)
  const corruptions = pathsIn(data).filter((path) => path.length > 1).flatMap((path) =>
    corrupt.map((value) => ({
      path: path.join("."),
      value,
      things: found(inventory(Object(replaced(data, path, value))))
    }))
  )

  it("that cannot be used loses no thing, unless there is nothing to watch without it", () => {
    expect(whole.every((thing) => !("input" in thing) || thing.input !== null)).toBe(true)
    for (const { path, things, value } of corruptions) {
      const lost = things.filter((thing) => "input" in thing && thing.input === null)
      if (!isNeeded(path)) expect([path, value, things.length, lost]).toEqual([path, value, whole.length, []])
      for (const { notes } of lost) expect([path, value, notes.length > 0]).toEqual([path, value, true])
    }
  })

  it("that is not carried is not repeated in its note, since it may be a secret", () => {
    for (
      const { path, things } of corruptions.filter(({ path, value }) => /header|body/i.test(path) && value === "x".repeat(5000))
    ) {
      expect([path, things.flatMap(({ notes }) => notes).filter((note) => note.includes("x".repeat(150)))]).toEqual([path, []])
    }
  })

  it("that is not carried is noted, unless it is empty", () => {
    const inputs = (things: ReturnType<typeof found>) =>
      JSON.stringify(things.map(({ name: _, notes: __, ref: ___, ...rest }) => rest))
    const notes = (things: ReturnType<typeof found>) => new Set(things.flatMap((thing) => thing.notes))
    const before = notes(whole)
    const silent = corruptions.filter(({ path, things, value }) => {
      // A record without the fields that are read is as empty as none.
      const isEmpty = value === null || value === "" || ["[]", "{}", "{\"a\":{\"b\":[]}}"].includes(JSON.stringify(value))
      const carried = typeof value === "string"
        ? value.replaceAll(/\0|\uD800/g, "\uFFFD")
        : JSON.stringify(Array.isArray(value) ? value[0] : value) ?? ""
      // Fractions are rounded.
      const isCarried = inputs(things).includes(carried.slice(0, 35)) || value === 1.5
      const isNoted = [...notes(things)].some((note) => !before.has(note))
      // An id names the thing, anything in these says that it is paused, and -1 is a time zone.
      const isOther = /(?:^|\.)(?:id|paused_at|active)$/.test(path) || (path.endsWith("timezone") && value === -1) ||
        value === false
      return !isEmpty && !isCarried && !isNoted && !isOther && !isNeeded(path) && inputs(things) !== inputs(whole)
    })
    expect(silent.map(({ path, value }) => [path, value])).toEqual([])
  })
})

it("a header that a monitor has twice is carried once, with a note", () => {
  const notes = makeNotes()
  const given = [{ name: "X-A", value: "1" }, { name: "x-a", value: "2" }, { name: "x-b", value: "3" }]
  expect(headersOf(notes, given)).toEqual({ "x-a": "2", "x-b": "3" })
  expect(notes.all).toEqual(["Of a header that it has twice, the last value is carried"])
})

it("a window of Statuspage that ended before it began has no negative length", () => {
  const times = { scheduled_for: "2026-02-02T00:00:00Z", scheduled_until: "2026-02-01T00:00:00Z" }
  const window = { id: "m", name: "Upgrade", status: "completed", ...times, resolved_at: "2026-01-30T08:00:00Z" }
  const { notes, resolvedAt, scheduledEnd, scheduledStart, startedAt } = statuspageIncident(window, "page:p", 0, now)
  expect([startedAt, resolvedAt]).toEqual([
    DateTime.unsafeMake("2026-01-30T08:00:00Z"),
    DateTime.unsafeMake("2026-01-30T08:00:00Z")
  ])
  expect(scheduledEnd).toEqual(scheduledStart)
  expect(notes).toEqual(["Its scheduled_until is before its scheduled_for, and becomes the same"])
})

it("a field beyond our limits is left out with a note that names the limit, not the value", () => {
  const attributes = { url: "https://a.test", monitor_type: "keyword", required_keyword: "k".repeat(501) }
  const { notes } = betterMonitor({ id: "1", attributes }, new Map(), 0)
  expect(notes).toContain("keyword is left out: At most 500 characters")
})
