/** Imports of files: Uptime Kuma's database, Gatus' YAML, a Healthchecks on loopback, and files that nobody should have sent. */
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { clientOf } from "../../flows/support/Client.ts"
import { programOf } from "../../support/program/Program.ts"
import { type Json, newKey } from "../../support/program/TestServer.ts"
import { kumaFile, kumaMaintenanceFile } from "../../support/services/KumaFile.ts"
import { localSource, managedStatuspage } from "../../support/services/LocalSources.ts"
import { until } from "../../support/time/Until.ts"

type Source = Effect.Effect.Success<ReturnType<typeof localSource>>

class Sources extends Context.Tag("test/FileSources")<Sources, { readonly checks: Source; readonly page: Source }>() {}

const healthchecks: Parameters<typeof localSource>[0] = ({ pathname }) =>
  pathname === "/api/v3/checks/"
    ? { body: { checks: [{ name: "Backup", uuid: "u-1", tags: "prod", timeout: 3600, grace: 600, status: "up" }] } }
    : pathname === "/api/v3/channels/"
    ? { status: 403, body: { error: "read-only key" } }
    : undefined

const program = Layer.unwrapScoped(Effect.gen(function*() {
  const checks = yield* localSource(healthchecks)
  const page = yield* localSource(managedStatuspage)
  return Layer.merge(
    Layer.succeed(Sources, { checks, page }),
    programOf({
      BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8",
      BELLTOWER_HEALTHCHECKS_URL: checks.url,
      BELLTOWER_STATUSPAGE_URL: `${page.url}/v1`
    })
  )
}))

const newClient = Effect.gen(function*() {
  const { host, port } = yield* ServerAddress
  return clientOf(`http://${host}:${port}`, (yield* newKey()).secret)
})

type Client = Effect.Effect.Success<typeof newClient>

const imported = Effect.fn("imported")(function*(client: Client, input: object) {
  const started = yield* client.post("/import", input)
  expect(started).toMatchObject({ status: 202 })
  const { body } = yield* until(client.get(`/import/jobs/${started.body.id}`), (answer) => answer.body.finishedAt !== null)
  const job: Json = body
  return job
})

const byName = (items: ReadonlyArray<Json>, name: string): Json => items.find((item) => item.name === name)

layer(program, { excludeTestServices: true, timeout: "90 seconds" })("an import of a file", (it) => {
  it.effect("makes what is in the database of an Uptime Kuma, and the rest has its reason", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const input = { source: "uptimekuma", document: kumaFile.toString("base64") }
      const preview = (yield* client.post("/import/preview", input)).body
      expect(preview.monitors).toHaveLength(67)
      // A private address, on a machine that may not ping it either.
      const router = byName(preview.monitors, "Router")
      expect(router).toMatchObject({ action: "unsupported", notes: expect.arrayContaining([expect.any(String)]) })
      expect(byName(preview.monitors, "Shop")).toMatchObject({
        action: "unsupported",
        notes: ["A group becomes a tag of its monitors"]
      })
      expect(byName(preview.monitors, "Gone").action).toBe("unsupported")
      expect(preview.channels.map(({ action, name }: Json) => [name, action])).toEqual([["Ops", "create"], [
        "Pager",
        "unsupported"
      ]])
      const job = yield* imported(client, input)
      expect(job).toMatchObject({ status: "succeeded", failed: [] })
      expect(byName(job.skipped, "Router")).toMatchObject({ ref: router.ref, reason: router.notes.join(". ") })
      expect(job.created.map(({ name }: Json) => name)).toEqual(expect.arrayContaining(["Ops", "Überwachung ✓", "Acme"]))
      const monitors = (yield* client.get("/monitors?limit=100")).body.data
      expect(byName(monitors, "Überwachung ✓")).toMatchObject({
        keyword: "Buy",
        intervalSec: 30,
        timeoutMs: 25_000,
        expectedStatus: "200-299,301",
        sslExpiryDays: 21,
        paused: true
      })
      expect(byName(monitors, "Database")).toMatchObject({
        kind: "tcp",
        host: "db.acme.example",
        port: 5432,
        tags: ["Shop", "env:prod"],
        channelIds: [job.created[0].id]
      })
      expect(byName(monitors, "Names")).toMatchObject({ kind: "dns", recordType: "MX", resolvers: ["1.1.1.1", "8.8.8.8"] })
      expect(byName(monitors, "Backup")).toMatchObject({ kind: "heartbeat", periodSec: 86_400 })
      const [page] = (yield* client.get("/pages")).body.data
      expect(page).toMatchObject({ name: "Acme", description: "All of it", groups: [{ name: "Core" }] })
      expect(page.components.map(({ name }: Json) => name)).toEqual(["Site 1", "Database"])
      expect((yield* imported(client, input)).created).toEqual([])
    }))

  it.effect("makes the maintenance of an Uptime Kuma on its pages, tells nobody, and lets a series go on by itself", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const input = { source: "uptimekuma", document: kumaMaintenanceFile.toString("base64") }
      const preview = (yield* client.post("/import/preview", input)).body
      expect(preview.incidents).toHaveLength(6)
      expect(preview.warnings).toEqual(expect.arrayContaining([expect.stringContaining("\"By hand\" (manual) is not carried")]))
      expect(yield* imported(client, input)).toMatchObject({ status: "succeeded", failed: [] })
      const pages: ReadonlyArray<Json> = (yield* client.get("/pages")).body.data
      const windows: ReadonlyArray<Json> = (yield* client.get("/incidents?kind=maintenance&limit=50")).body.data
      const [acme, team] = [byName(pages, "Acme"), byName(pages, "Team")]
      const window = (title: string): Json => windows.find((one) => one.title === title)
      expect(new Set(windows.map(({ title }) => title))).toEqual(
        new Set(["Backup", "Billing run", "Database upgrade", "Last year", "Patch day", "Weekend reboot"])
      )
      expect([window("Database upgrade").status, window("Last year").status]).toEqual(["scheduled", "completed"])
      expect(window("Database upgrade")).toMatchObject({
        scheduledStart: "2098-07-01T00:00:00.000Z",
        scheduledEnd: "2098-07-01T02:30:00.000Z",
        public: true,
        pageIds: [acme.id],
        components: [{ status: "maintenance" }, { status: "maintenance" }]
      })
      const reboot = (yield* client.get(`/incidents/${window("Weekend reboot").id}`)).body
      expect(reboot).toMatchObject({
        recurrence: { rule: "FREQ=WEEKLY;BYDAY=SA,SU", timezone: "UTC" },
        pageIds: [acme.id, team.id],
        updates: [{ body: "Weekend reboot" }]
      })
      // One that ends goes on with the next, which keeps its clock time.
      const backup = window("Backup").id
      yield* client.post(`/incidents/${backup}/updates`, { message: "Done early", status: "completed" })
      const series = (yield* client.get("/incidents?kind=maintenance&limit=50")).body.data.filter(({ title }: Json) =>
        title === "Backup"
      )
      expect(series.map(({ status }: Json) => status).sort()).toEqual(["completed", "scheduled"])
      const [one, other] = series.map(({ scheduledStart }: Json) => new Date(scheduledStart).getTime())
      expect(Math.round(Math.abs(one - other) / 86_400_000)).toBe(3)
      const events: ReadonlyArray<Json> = (yield* client.get("/events?types=maintenance.scheduled&limit=50")).body.data
      expect(events.filter(({ data }) => data.incident.title === "Database upgrade")).toEqual([])
      expect((yield* imported(client, input)).created).toEqual([])
    }))

  it.effect("makes what is in the YAML of a Gatus", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const document = [
        "x-defaults: &defaults {interval: 2m, conditions: [\"[STATUS] == 200\"]}",
        "alerting: {slack: {webhook-url: \"https://hooks.slack.com/services/a\"}}",
        "endpoints:",
        "  - {<<: *defaults, name: shop, group: core, url: \"https://acme.example/\", alerts: [{type: slack}]}",
        "  - {<<: *defaults, name: router, url: \"icmp://10.0.0.1\"}"
      ].join("\n")
      const job = yield* imported(client, { source: "gatus", document })
      expect(job).toMatchObject({ status: "succeeded", failed: [], skipped: [{ ref: "monitor:_router" }] })
      const monitors = (yield* client.get("/monitors")).body.data
      expect(byName(monitors, "shop")).toMatchObject({ intervalSec: 120, expectedStatus: "200", tags: ["core"] })
    }))

  it.effect("reads the YAML of Cronitor, with the schedules of its jobs", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const document = "jobs:\n  nightly:\n    schedule: \"30 2 * * *\"\n    timezone: Europe/Berlin\n"
      const job = yield* imported(client, { source: "cronitor", document })
      expect(job).toMatchObject({ status: "succeeded", failed: [], skipped: [] })
      expect(byName((yield* client.get("/monitors")).body.data, "nightly")).toMatchObject({
        periodSec: null,
        schedule: "30 2 * * *",
        timezone: "Europe/Berlin",
        nextExpectedAt: expect.stringMatching(/T0[01]:30:00.000Z$/)
      })
    }))

  it.effect("reads a Healthchecks whose key may not list integrations", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const job = yield* imported(client, { source: "healthchecks", apiKey: "hc-read-only" })
      expect(job).toMatchObject({ status: "succeeded", failed: [], skipped: [] })
      expect(byName((yield* client.get("/monitors")).body.data, "Backup")).toMatchObject({
        periodSec: 3600,
        graceSec: 600,
        tags: ["prod"]
      })
    }))

  it.effect("reads the pages of a Statuspage key, page by page", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const { page } = yield* Sources
      const job = yield* imported(client, { source: "statuspage", apiKey: "sp-key", pageId: "p1" })
      expect(job).toMatchObject({ status: "succeeded", failed: [] })
      expect(job.warnings).toEqual([
        "Subscribers are not carried: they agreed to hear from the old page. Invite them to subscribe again",
        "Incident templates and postmortems are not carried"
      ])
      expect(page.asked.every(({ authorization }) => authorization === "OAuth sp-key")).toBe(true)
      expect(page.asked.map(({ path }) => path)).toContain("/v1/pages/p1/incidents?limit=100&page=1")
      const [made] = (yield* client.get("/pages")).body.data
      expect(made.groups.map(({ name }: Json) => name)).toEqual(["Core"])
      expect(made.components.map(({ name }: Json) => name)).toEqual(["API"])
    }), 60_000)

  it.effect("refuses what is no file of its source, and ends on hostile ones", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const circle = Buffer.from(kumaFile)
      for (let page = 1; page < circle.length / 1024; page++) {
        circle[page * 1024] = 0x05
        circle.writeUInt32BE(2, page * 1024 + 8)
      }
      const aliases = Array.from({ length: 9 }, (_, at) =>
        `l${at + 1}: &l${at + 1} [${Array.from({ length: 10 }, () => `*l${at}`).join(",")}]`)
      const hostile: ReadonlyArray<readonly [string, unknown]> = [
        ["uptimekuma", "not a file"],
        ["uptimekuma", { version: "1" }],
        ["uptimekuma", kumaFile.subarray(0, 5000).toString("base64")],
        ["uptimekuma", circle.toString("base64")],
        ["gatus", `l0: &l0 [x]\n${aliases.join("\n")}\n`],
        ["gatus", `endpoints: ${"[".repeat(100_000)}`],
        ["gatus", "endpoints: ["],
        ["belltower", { monitors: [{ key: "a" }] }]
      ]
      for (const [source, document] of hostile) {
        const answer = yield* client.post("/import/preview", { source, document })
        expect([source, answer.status]).toEqual([source, 422])
      }
      const none = yield* client.post("/import/preview", { source: "gatus" })
      expect(none.body.error.message).toContain("Give document")
    }))

  it.effect("leaves out what is above a cap, as its preview says", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const many = <A>(count: number, one: (at: number) => A) => Array.from({ length: count }, (_, at) => one(at))
      const document = {
        channels: [{ key: "ops", name: "Ops", type: "webhook", url: "http://127.0.0.1:9/" }],
        policies: many(101, (at) => ({
          key: `p${at}`,
          name: `Policy ${at}`,
          levels: [{ afterMinutes: 0, targets: [{ channel: "ops" }] }]
        })),
        templates: many(201, (at) => ({ key: `t${at}`, name: `Template ${at}`, title: "Down", body: "We look into it." })),
        pages: [{
          key: "page",
          name: "Page",
          groups: many(101, (at) => ({ name: `Group ${at}` })),
          components: [{ key: "api", name: "API", group: "Group 100", manual: true }]
        }]
      }
      const { incidents, onCall, pages } = (yield* client.post("/import/preview", { source: "belltower", document })).body
      const above = (items: ReadonlyArray<Json>) =>
        items.filter(({ action }) => action !== "create").map(({ name, notes }) => [name, notes])
      expect(above(incidents)).toEqual([["Template 200", ["A workspace can have at most 200 incident templates"]]])
      expect(above(onCall)).toEqual([["Policy 100", ["A workspace can have at most 100 escalation policies"]]])
      const left = ["group Group 100 is left out: A page can have at most 100 component groups"]
      expect(pages.map((item: Json) => [item.action, item.notes])).toEqual([["create", left], ["create", left]])
      const job = yield* imported(client, { source: "belltower", document })
      expect([job.failed, job.created.length]).toEqual([[], 1 + 100 + 200 + 2])
    }))
})
