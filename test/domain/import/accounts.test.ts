/** Files as people keep them, with all kinds of things in them: each is carried or listed with the reason, none is dropped. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Either } from "effect"
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { parse } from "yaml"
import { gatusInventory } from "../../../src/domain/import/gatus/GatusInventory.ts"
import { healthchecksInventory } from "../../../src/domain/import/healthchecks/HealthchecksInventory.ts"
import { planImport } from "../../../src/domain/import/ImportPlan.ts"
import { emptyInventory, type Inventory } from "../../../src/domain/import/Inventory.ts"
import { kumaBackup, kumaDatabase } from "../../../src/domain/import/kuma/KumaAccount.ts"
import { kumaInventory } from "../../../src/domain/import/kuma/KumaInventory.ts"
import { runSteps } from "../../../src/domain/tools/Steps.ts"

const fileOf = (name: string): Buffer => readFileSync(new URL(`../../support/files/${name}`, import.meta.url))

const now = DateTime.unsafeMake("2026-11-22T12:00:00Z")

const wants = {
  monitors: true,
  channels: true,
  pages: true,
  incidents: true,
  intoPage: false,
  hasDefaultChannel: false,
  claimed: true
}
const steps = (inventory: Inventory, exclude: ReadonlyArray<string> = [], more: Partial<typeof wants> = {}) =>
  runSteps(planImport(inventory, { ...wants, ...more, exclude: new Set(exclude), made: new Map() })).steps

/** The things that would be made, by ref. */
const created = (inventory: Inventory) => steps(inventory).filter(({ action }) => action === "create").map(({ ref }) => ref)

/** Why things are not made, by ref. */
const refused = (inventory: Inventory) =>
  Object.fromEntries(steps(inventory).filter(({ action }) => action === "unsupported").map(({ notes, ref }) => [ref, notes]))

describe("the database of an Uptime Kuma", () => {
  const account = Either.getOrThrow(kumaDatabase(gunzipSync(fileOf("kuma-account.db.gz"))))
  const inventory = runSteps(kumaInventory(account, now))
  const monitor = (id: number) => inventory.monitors.find(({ ref }) => ref === `monitor:${id}`)
  const channel = (id: number) => inventory.channels.find(({ ref }) => ref === `channel:${id}`)

  it("is carried thing by thing", () => {
    expect(account.monitors).toHaveLength(25)
    expect(created(inventory)).toEqual([
      ...[1, 2, 3, 4, 5, 6, 7, 8, 10].map((id) => `channel:${id}`),
      ...[3, 4, 5, 6, 7, 8, 9, 10, 12, 17, 18, 19, 22, 24, 90].map((id) => `monitor:${id}`),
      "page:1",
      ...["1:9", "1:8", "1:3", "1:4"].map((id) => `component:${id}`),
      "page:2",
      "component:2:3"
    ])
  })

  it("says of everything else why it is not", () => {
    expect(refused(inventory)).toEqual({
      "channel:9": ["Notifications of type \"gotify\" are not supported"],
      "monitor:1": ["A group becomes a tag of its monitors"],
      "monitor:2": ["A group becomes a tag of its monitors"],
      "monitor:11": ["Records of type SRV cannot be looked up"],
      "monitor:13": ["docker monitors are not supported"],
      "monitor:14": ["redis monitors are not supported"],
      "monitor:15": ["grpc-keyword monitors are not supported"],
      "monitor:16": ["An upside-down monitor is not supported: ours is down when its target fails"],
      "monitor:20": ["gamedig monitors are not supported"],
      "monitor:21": ["mqtt monitors are not supported"],
      "monitor:23": ["real-browser monitors are not supported"],
      "component:1:13": ["The monitor that it shows is not carried"]
    })
    expect(inventory.warnings).toEqual([
      expect.stringContaining("Stop it before you copy kuma.db"),
      "The maintenance \"Database upgrade\" (single) is not carried: no status page announces it, and a window here belongs to one",
      "The maintenance \"Weekly reboot\" (recurring-weekday) is not carried: no status page announces it, and a window here belongs to one",
      "The maintenance \"Old\" (manual) is not carried: it is switched off",
      "Past checks and incidents of Uptime Kuma are not carried"
    ])
  })

  it("keeps how monitors ask, when they are down, and who hears of it", () => {
    expect(monitor(3)).toMatchObject({
      channelRefs: ["channel:1", "channel:2", "channel:9"],
      input: {
        failureThreshold: 3,
        confirmAfterSec: 20,
        reminderMinutes: [30, 60, 90, 120, 150, 180, 210, 240, 270, 300],
        sslExpiryDays: 21,
        tags: ["Production", "prod", "team:web"],
        description: "The page that customers see first"
      }
    })
    expect(monitor(4)?.input).toMatchObject({
      method: "POST",
      body: "{\"probe\": true}",
      keyword: "\"status\":\"ok\"",
      headers: { "x-probe": "kuma", "content-type": "application/json", authorization: "Basic a3VtYTpnZWhlaW0=" },
      tags: ["Payments", "Production", "team:payments", "prod"]
    })
    expect(monitor(6)?.input?.assertions).toEqual([{ source: "json", path: "queue.depth", op: "lt", value: "100" }])
    expect(monitor(8)?.input).toMatchObject({ kind: "ping", host: "192.0.2.1" })
    expect(monitor(17)?.input).toMatchObject({ paused: true, followRedirects: false, expectedStatus: "200-299,301,400-499" })
    expect(monitor(18)?.input?.headers).toEqual({ "content-type": "application/x-www-form-urlencoded" })
    expect(monitor(19)?.input).toMatchObject({ kind: "websocket", url: "wss://live.acme.example/socket" })
  })

  it("gives rows from before a column was added its default", () => {
    expect(monitor(90)?.input).toMatchObject({ sslExpiryDays: 21, failureThreshold: 1 })
    expect(monitor(90)?.notes).toEqual([])
  })

  it("says what was changed to fit", () => {
    const notes = (id: number) => monitor(id)?.notes
    expect(notes(7)).toEqual(["The JSON query \"$sum(jobs.depth) == 100\" is not carried"])
    expect(notes(9)).toEqual([expect.stringMatching(/^The tag ".*" is cut to 40 characters$/)])
    expect(notes(10)).toEqual(["Its conditions are not carried"])
    expect(notes(17)).toEqual(["Its proxy is not carried"])
    expect(notes(18)).toEqual(["Its credentials (ntlm) are not carried"])
    expect(notes(22)).toEqual(["The name is cut to 120 characters", "The description is cut to 1000 characters"])
    expect(notes(24)).toEqual(["interval 5 becomes 10", "timeout 48 becomes 10", "maxretries + 1 21 becomes 10"])
  })

  it("keeps what notifications need to arrive", () => {
    expect(channel(1)?.input).toMatchObject({
      type: "email",
      emails: ["ops@acme.example", "duty@acme.example", "boss@acme.example"],
      isDefault: true
    })
    expect(channel(5)?.input).toMatchObject({ type: "webhook", headers: { "x-team": "ops" } })
    expect(channel(7)?.input).toMatchObject({ type: "opsgenie", url: "https://api.eu.opsgenie.com" })
    expect(channel(8)?.input).toMatchObject({ type: "ntfy", enabled: false })
    expect(channel(8)?.notes).toEqual(["Its user name and password are not carried: set an access token"])
  })

  it("keeps a page's address, look and visibility, and says what it cannot", () => {
    expect(inventory.pages.map(({ input, notes }) => ({ ...input, notes }))).toMatchObject([
      {
        name: "Acme Status",
        slug: "acme",
        theme: { mode: "dark" },
        branding: { footerText: "Acme Ltd", hidePoweredBy: true },
        seo: { noindex: true },
        notes: [expect.stringContaining("CSS"), expect.stringContaining("icon"), expect.stringContaining("status.acme.example")]
      },
      { name: "Internal", visibility: "private", notes: [] }
    ])
  })

  it("shows no component of a monitor that was left out, unless monitors were not wanted at all", () => {
    const of = (exclude: ReadonlyArray<string>, monitors: boolean) =>
      steps(inventory, exclude, { monitors }).find(({ ref }) => ref === "component:1:9")?.action
    expect([of([], true), of(["monitor:9"], true), of([], false)]).toEqual(["create", "unsupported", "create"])
  })
})

describe("the backup of an Uptime Kuma", () => {
  const inventory = runSteps(kumaInventory(kumaBackup(JSON.parse(fileOf("kuma-backup.json").toString())), now))

  it("gives the same monitors and channels as the database", () => {
    const database = runSteps(kumaInventory(Either.getOrThrow(kumaDatabase(gunzipSync(fileOf("kuma-account.db.gz")))), now))
    for (const { channelRefs, input, notes, ref } of inventory.channels.map((one) => ({ ...one, channelRefs: null }))) {
      const other = database.channels.find((one) => one.ref === ref)
      expect({ ref, channelRefs, input, notes }).toEqual({ ref, channelRefs: null, input: other?.input, notes: other?.notes })
    }
    for (const { input, ref, ...more } of inventory.monitors) {
      const other = database.monitors.find((one) => one.ref === ref)
      // The backup has no groups.
      const own = (other?.input?.tags ?? []).filter((tag) => tag !== "Production" && tag !== "Payments")
      if (ref !== "monitor:6" && ref !== "monitor:10" && ref !== "monitor:9") {
        expect({ ref, ...more, input }).toEqual({
          ...other,
          input: other?.input === null ? null : { ...other?.input, tags: own }
        })
      }
    }
    expect(created(inventory)).toEqual([
      ...[1, 2, 5].map((id) => `channel:${id}`),
      ...[3, 4, 6, 9, 10, 12, 17].map((id) => `monitor:${id}`)
    ])
    expect(inventory.warnings[0]).toContain("no status pages")
  })
})

describe("a configuration of Gatus", () => {
  const inventory = runSteps(gatusInventory(parse(fileOf("gatus.yaml").toString(), { merge: true })))
  const monitor = (ref: string) => inventory.monitors.find((one) => one.ref === `monitor:${ref}`)

  it("is carried thing by thing, and the rest has its reason", () => {
    expect(created(inventory)).toEqual([
      "channel:slack",
      "channel:email",
      ...["core_front-end", "api_orders", "net_dns", "net_gateway", "net_database", "net_mail-certificate", "api_live", "_legacy"]
        .map((ref) => `monitor:${ref}`),
      "monitor:jobs_backup"
    ])
    expect(refused(inventory)).toEqual({
      "channel:pagerduty": ["It uses environment variables; put their values into the document"],
      "channel:matrix": ["Alerting by \"matrix\" is not supported"],
      "monitor:api_users": ["It uses environment variables; put their values into the document"],
      "monitor:net_srv": ["Records of type SRV cannot be looked up"],
      "monitor:net_mail": ["STARTTLS monitors are not supported"],
      "monitor:net_shell": ["SSH monitors are not supported"],
      "monitor:jobs_reports": ["It has no heartbeat interval, so a report that stays out cannot be noticed"]
    })
    expect(inventory.warnings).toEqual(["The maintenance windows are not carried; schedule them again"])
  })

  it("keeps the meaning of conditions, thresholds and requests", () => {
    expect(monitor("core_front-end")).toMatchObject({
      channelRefs: ["channel:slack", "channel:pagerduty"],
      input: {
        intervalSec: 300,
        timeoutMs: 8000,
        expectedStatus: "200",
        keyword: "<h1>Shop</h1>",
        sslExpiryDays: 10,
        failureThreshold: 5,
        confirmAfterSec: 0,
        recoveryThreshold: 3,
        tags: ["core", "environment:production"],
        assertions: [{ source: "latency", op: "lt", value: 700 }]
      },
      notes: ["The condition \"[DOMAIN_EXPIRATION] > 720h\" is not carried", "All of its alerts come after 5 failures"]
    })
    expect(monitor("api_orders")?.input).toMatchObject({
      method: "POST",
      headers: { "content-type": "application/json", "X-Client": "gatus" },
      body: "{\"query\":\"{ orders(first: 1) { id } }\"}",
      assertions: [
        { source: "status", op: "lt", value: 300 },
        { source: "json", path: "data.orders[0].id", op: "neq", value: "null" },
        { source: "json", path: "errors", op: "not_exists" },
        { source: "json", path: "data.orders.length", op: "gt", value: 0 }
      ]
    })
    expect(monitor("net_dns")?.input).toMatchObject({ kind: "dns", expected: ["192.0.2.10"], resolvers: ["8.8.8.8"] })
    expect(monitor("net_gateway")?.input).toMatchObject({ kind: "ping", host: "192.0.2.1" })
    expect(monitor("net_database")?.input).toMatchObject({
      kind: "tcp",
      port: 5432,
      failureThreshold: 2,
      recoveryThreshold: 2,
      assertions: [{ source: "latency", op: "lt", value: 100 }]
    })
    expect(monitor("net_mail-certificate")?.input).toMatchObject({ kind: "tcp", tls: true, sslExpiryDays: 2 })
    expect(monitor("api_live")).toMatchObject({
      input: { kind: "websocket", body: "ping" },
      notes: ["The condition \"[BODY] == pong\" is not carried"]
    })
    expect(monitor("_legacy")).toMatchObject({
      input: { paused: true, followRedirects: false, expectedStatus: "401", tlsVerify: false },
      notes: [
        "Its maintenance windows are not carried; schedule them again",
        "The condition \"[IP] == 192.0.2.11\" is not carried"
      ]
    })
  })
})

describe("a thing that a source lists twice", () => {
  it("is made once, where it comes first", () => {
    const found = (ref: string, name: string) => ({ ref, name, notes: [] })
    const component = { ...found("component:1", "API"), input: { name: "API" }, monitorRefs: [], manifest: null, status: null }
    const page = (ref: string) => ({ ...found(ref, ref), input: { name: ref }, components: [component] })
    const pages = [page("page:1"), page("page:2")]
    const made = steps({ ...emptyInventory, pages })
    expect(made.map(({ ref }) => ref)).toEqual(["page:1", "component:1", "page:2"])
    expect(made[1]).toMatchObject({ making: { pageRef: "page:1" } })
  })
})

describe("checks of Healthchecks", () => {
  const { channels, full, readOnly } = JSON.parse(fileOf("healthchecks.json").toString())
  const inventory = runSteps(healthchecksInventory(full, channels))

  it("become heartbeats with their periods, schedules and zones, and the rest has its reason", () => {
    const rhythm = (input: (typeof inventory.monitors)[number]["input"]) => input?.periodSec ?? [input?.schedule, input?.timezone]
    expect(inventory.monitors.map(({ input, name, notes }) => [name, rhythm(input), notes])).toEqual([
      ["Nightly database backup", ["0 2 * * *", "Europe/Riga"], [expect.stringContaining("ping URL")]],
      ["Office hours sync", ["*/15 9-17 * * MON-FRI", "UTC"], [
        expect.stringContaining("ping URL"),
        "Its keywords for reports are not carried",
        "It takes pings by GET, too"
      ]],
      [expect.stringMatching(/^Check /), 60, [expect.stringContaining("ping URL"), "A ping does not resume it here"]],
      ["Systemd timer", ["Mon..Fri *-*-* 09:00", "UTC"], [expect.stringContaining("ping URL")]]
    ])
    expect(inventory.channels.map(({ input, name }) => [name, input])).toEqual([["Team chat", null], ["email", null]])
  })

  it("are the same things to a key that may only read", () => {
    const other = runSteps(healthchecksInventory(readOnly, null))
    expect(other.monitors[0]?.ref).toBe(inventory.monitors[0]?.ref)
    expect(other.warnings).toEqual(["A read-only key does not show integrations; create channels for them"])
  })
})
