/** Imports from services that run on loopback: previews, jobs, second runs and who is notified of what. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { ImportJobs } from "../../../src/store/import/ImportJobs.ts"
import { clientOf } from "../../flows/support/Client.ts"
import { programOf } from "../../support/program/Program.ts"
import { type Json, newKey } from "../../support/program/TestServer.ts"
import {
  betterAccount,
  localSource,
  publicStatuspage,
  robotAccount,
  robotAccountV2
} from "../../support/services/LocalSources.ts"
import { until } from "../../support/time/Until.ts"

type Source = Effect.Effect.Success<ReturnType<typeof localSource>>

class Sources extends Context.Tag("test/Sources")<Sources, {
  readonly robot: Source
  readonly old: Source
  readonly better: Source
  readonly page: Source
  readonly busy: Source
}>() {}

/** The third request of a source is told to wait. */
const waiting: Parameters<typeof localSource>[0] = (url, form, asked) =>
  asked.length === 3 ? { status: 429, headers: { "retry-after": "1" }, body: {} } : betterAccount(url, form, asked)

const program = Layer.unwrapScoped(Effect.gen(function*() {
  const robot = yield* localSource(robotAccount)
  const old = yield* localSource(robotAccountV2(120))
  const better = yield* localSource(waiting)
  const page = yield* localSource(publicStatuspage)
  const busy = yield* localSource(() => ({ status: 429, headers: { "retry-after": "1000" }, body: {} }))
  return Layer.merge(
    Layer.succeed(Sources, { robot, old, better, page, busy }),
    programOf({
      BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8",
      BELLTOWER_UPTIMEROBOT_URL: robot.url,
      BELLTOWER_UPTIMEROBOT_V2_URL: `${old.url}/v2/`,
      BELLTOWER_BETTERSTACK_URL: better.url,
      BELLTOWER_STATUSPAGE_URL: page.url
    })
  )
}))

const newClient = Effect.gen(function*() {
  const { host, port } = yield* ServerAddress
  return clientOf(`http://${host}:${port}`, (yield* newKey()).secret)
})

type Client = Effect.Effect.Success<typeof newClient>

/** Runs an import to its end. */
const imported = Effect.fn("imported")(function*(client: Client, input: object) {
  const started = yield* client.post("/import", input)
  expect(started.status).toBe(202)
  const job = yield* until(client.get(`/import/jobs/${started.body.id}`), ({ body }) => body.finishedAt !== null)
  const result: Json = job.body
  return result
})

const refs = (items: ReadonlyArray<Json>): ReadonlyArray<string> => items.map(({ ref }) => ref)
const byName = (items: ReadonlyArray<Json>, name: string): Json => items.find((item) => item.name === name)

layer(program, { excludeTestServices: true, timeout: "90 seconds" })("an import", (it) => {
  describe("from UptimeRobot", () => {
    it.effect("previews every item with what cannot be carried, then makes them once", () =>
      Effect.gen(function*() {
        const client = yield* newClient
        const { robot } = yield* Sources
        const input = { source: "uptimerobot", apiKey: "ur-secret-key" }
        const preview = (yield* client.post("/import/preview", input)).body
        expect(refs(preview.monitors)).toEqual(["monitor:1", "monitor:2", "monitor:3", "monitor:4", "monitor:5"])
        expect(byName(preview.monitors, "Router")).toMatchObject({
          action: "unsupported",
          notes: ["Ping monitors are not supported"]
        })
        expect(byName(preview.channels, "Ada's phone")).toMatchObject({ action: "unsupported" })
        const unclaimed = "Email channels are unavailable until the workspace is claimed, because they send email"
        expect(byName(preview.channels, "Ada's mail")).toMatchObject({ action: "unsupported", notes: [unclaimed] })
        expect(byName(preview.pages, "Acme & Co").notes).toContain("Its password is not carried; the page is private")
        expect(preview.warnings).toEqual([
          "The maintenance window Sunday night is not carried; schedule it again",
          "Announcements and past incidents of UptimeRobot's pages are not carried"
        ])
        expect(robot.asked.every(({ authorization }) => authorization === "Bearer ur-secret-key")).toBe(true)

        const job = yield* imported(client, { ...input, exclude: ["monitor:3"] })
        expect(job).toMatchObject({ status: "succeeded", failed: [] })
        expect(byName(job.skipped, "Ada's mail")).toMatchObject({ ref: "channel:903", reason: unclaimed })
        expect(refs(job.created)).toEqual([
          "channel:901",
          "monitor:1",
          "monitor:2",
          "monitor:4",
          "page:71",
          "component:71:1",
          "component:71:4"
        ])
        expect(job.progress.done).toBe(job.progress.total)
        const monitors = (yield* client.get("/monitors")).body.data
        const channelId = job.created[0].id
        expect(byName(monitors, "Shop & checkout")).toMatchObject({
          kind: "http",
          keywordAbsent: "out of order",
          expectedStatus: "200-299,301",
          sslExpiryDays: 14,
          intervalSec: 300,
          timeoutMs: 30_000,
          channelIds: [channelId],
          tags: ["prod", "Shop"],
          paused: true
        })
        expect(byName(monitors, "Nightly backup")).toMatchObject({ kind: "heartbeat", periodSec: 86_400, graceSec: 600 })

        // A rename here does not hide what was made.
        yield* client.patch(`/monitors/${byName(monitors, "Database").id}`, { name: "Postgres" })
        const second = yield* imported(client, input)
        expect(refs(second.created)).toEqual(["monitor:3"])
        expect((yield* client.get("/monitors")).body.data).toHaveLength(4)
        expect((yield* client.get("/pages")).body.data).toHaveLength(1)

        const { workspace } = (yield* client.get("/agent/whoami")).body
        yield* Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`update workspaces set claimed_at = now() where id = ${workspace.id}`
        )
        const claimed = (yield* client.post("/import/preview", input)).body
        expect(byName(claimed.channels, "Ada's mail")).toMatchObject({ action: "create" })
        expect(refs((yield* imported(client, input)).created)).toEqual(["channel:903"])
      }))

    it.effect("lets no monitor fall silent whose contacts are not carried, and says whom it alerts instead", () =>
      Effect.gen(function*() {
        const client = yield* newClient
        const team =
          (yield* client.post("/channels", { name: "Team", type: "webhook", url: "https://hooks.example.com/team" })).body
        const input = { source: "uptimerobot", apiKey: "ur-secret-key" }
        const partly = "1 of its 2 alert channels are not carried"
        const none = "None of its alert channels is carried; it alerts the default channels of the workspace"
        const nobody = "It has no alert channel, as at the source. Set its channelIds to be alerted"
        const said = (items: ReadonlyArray<Json>) =>
          items.filter(({ action, kind }) => kind === "monitor" && action !== "unsupported")
            .map(({ name, note, notes }) => [name, note ?? notes?.find((one: string) => one.includes("alert"))])
        const preview = (yield* client.post("/import/preview", input)).body
        expect(said(preview.monitors)).toEqual([
          ["Shop & checkout", partly],
          ["Database", nobody],
          ["Mail record", none],
          ["Nightly backup", none]
        ])
        const without = (yield* client.post("/import/preview", { ...input, channels: false })).body
        expect(said(without.monitors).map(([, note]) => note)).toEqual([none, nobody, none, none])

        const job = yield* imported(client, { ...input, exclude: ["channel:901"] })
        expect(job.failed).toEqual([])
        expect(said(job.created)).toEqual([
          ["Shop & checkout", none],
          ["Database", nobody],
          ["Mail record", none],
          ["Nightly backup", none]
        ])
        const monitors = (yield* client.get("/monitors")).body.data
        const channelsOf = (name: string) => byName(monitors, name).channelIds
        expect(channelsOf("Database")).toEqual([])
        expect(["Shop & checkout", "Mail record", "Nightly backup"].map(channelsOf)).toEqual([[team.id], [team.id], [team.id]])
      }))

    it.effect("asks only the newer API where it takes the key, and stores no key", () =>
      Effect.gen(function*() {
        const client = yield* newClient
        const { old } = yield* Sources
        const sql = yield* SqlClient.SqlClient
        const robotRefuses = yield* client.post("/import/preview", { source: "uptimerobot", apiKey: "wrong", channels: false })
        // The double of v3 takes every key, so the preview is the account of v3.
        expect(robotRefuses.status).toBe(200)
        expect(old.asked).toEqual([])
        const rows = yield* sql<{ text: string }>`select row_to_json(import_jobs)::text as text from import_jobs`
        expect(rows.every(({ text }) => !text.includes("ur-secret-key"))).toBe(true)
      }))
  })

  it.effect("takes the one status page that pageId names, of any source that has pages", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const pagesOf = (input: object) => Effect.map(client.post("/import/preview", input), ({ body }) => body)
      const robot = { source: "uptimerobot", apiKey: "ur-secret-key" }
      expect(refs((yield* pagesOf({ ...robot, pageId: "71" })).pages)).toEqual(refs((yield* pagesOf(robot)).pages))
      const other = (yield* pagesOf({ source: "betterstack", apiKey: "bs-token", pageId: "99" })).error
      expect(other.details).toEqual([{ path: "pageId", message: "The source has no status page 99" }])
      const without = { source: "betterstack", apiKey: "bs-token", pageId: "99", pages: false }
      expect((yield* pagesOf(without)).pages).toEqual([])
    }))

  it.effect("from Better Stack waits as the service asks, and its key stays with the service", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const { better } = yield* Sources
      const job = yield* imported(client, { source: "betterstack", apiKey: "bs-token" })
      expect(job).toMatchObject({ status: "succeeded", failed: [] })
      expect(refs(job.created)).toEqual(["monitor:11", "monitor:12", "heartbeat:21", "page:31", "component:51", "component:52"])
      expect(job.warnings).toEqual([
        "Better Stack alerts people by its on-call calendars and policies; they are not carried",
        "Status reports, the past incidents and maintenance windows of Better Stack's pages, are not carried"
      ])
      expect(better.asked.map(({ path }) => path)).toContain("/api/v2/monitors?page=2")
      const monitors = (yield* client.get("/monitors")).body.data
      expect(byName(monitors, "Shop")).toMatchObject({
        keyword: "Add to cart",
        intervalSec: 30,
        failureThreshold: 3,
        confirmAfterSec: null,
        tags: ["Front"]
      })
      expect(byName(monitors, "DNS")).toMatchObject({ kind: "dns", host: "acme.example", resolvers: ["8.8.8.8"] })
      const page = (yield* client.get(`/pages/${job.created[3].id}`)).body
      expect(page).toMatchObject({ name: "Acme", settings: { timezone: "Europe/Berlin" }, groups: [{ name: "Website" }] })
      expect(byName(page.components, "Web shop").monitorIds).toEqual([byName(monitors, "Shop").id])
    }))

  it.effect("from a public status page carries its history at its own time and tells no one", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const { page: source } = yield* Sources
      const job = yield* imported(client, { source: "statuspage", url: source.url })
      expect(job).toMatchObject({ status: "succeeded", failed: [] })
      const pageId = job.created[0].id
      const page = (yield* client.get(`/pages/${pageId}`)).body
      expect(page.groups.map(({ name }: Json) => name)).toEqual(["Core"])
      expect(page.components.map(({ name }: Json) => name)).toEqual(["API", "Website"])
      const incidents = (yield* client.get("/incidents?kind=incident")).body.data
      expect(incidents.map(({ startedAt, status, title }: Json) => ({ startedAt, status, title }))).toEqual([
        { title: "API errors", status: "identified", startedAt: "2026-11-20T10:00:00.000Z" },
        { title: "Slow website", status: "resolved", startedAt: "2026-03-01T08:00:00.000Z" }
      ])
      expect(incidents[1].resolvedAt).toBe("2026-03-01T09:30:00.000Z")
      const whole = (yield* client.get(`/incidents/${incidents[1].id}`)).body
      expect(whole.updates.map(({ body }: Json) => body)).toEqual(["It is slow.", "Fast again."])
      const events = (yield* client.get("/events")).body.data
      expect(events.filter(({ type }: Json) => /^(?:incident|maintenance)\./.test(type))).toEqual([])
    }))

  it.effect("makes a deleted page again with its history, and without its deletion nothing twice", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const { page: source } = yield* Sources
      const input = { source: "statuspage", url: source.url }
      const [{ id: first }] = (yield* imported(client, input)).created
      expect((yield* imported(client, input)).created).toEqual([])
      const titles = (pageId: string) =>
        Effect.map(client.get(`/incidents?pageId=${pageId}`), ({ body }) => body.data.map(({ title }: Json) => title))
      const before = yield* titles(first)
      yield* client.delete(`/pages/${first}`)
      const { body: preview } = yield* client.post("/import/preview", input)
      expect(preview.incidents.map(({ action }: Json) => action)).toEqual(["create", "create", "create"])
      const again = yield* imported(client, input)
      expect(again.failed).toEqual([])
      expect(yield* titles(again.created[0].id)).toEqual(before)
    }))

  it.effect("of an open incident pages and reminds nobody, and gives each update its own status", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const sql = yield* SqlClient.SqlClient
      const { page: source } = yield* Sources
      const channel = { name: "Pager", type: "webhook", url: "https://hooks.example.com/pager", isDefault: false }
      const { id } = (yield* client.post("/channels", channel)).body
      const levels = [{ afterMinutes: 0, targets: [{ type: "channel", id }] }]
      expect(yield* client.post("/escalation-policies", { name: "All", isDefault: true, levels })).toMatchObject({ status: 201 })
      expect(yield* imported(client, { source: "statuspage", url: source.url })).toMatchObject({ failed: [] })
      const [open] = (yield* client.get("/incidents?kind=incident")).body.data
      const { updates } = (yield* client.get(`/incidents/${open.id}`)).body
      expect(updates.map(({ body, status }: Json) => [body, status])).toEqual([
        ["We see errors.", "investigating"],
        ["A bad deploy.", "identified"]
      ])
      // Neither the policy nor the incident's actor has anything to do, now or later.
      expect(yield* sql`select 1 from incident_alerting where incident_id = ${open.id}`).toEqual([])
      expect(yield* sql`select 1 from alarms where kind = 'incident' and id = ${open.id}`).toEqual([])
    }))

  it.effect("of a window whose time has passed completes it without telling anybody", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const sql = yield* SqlClient.SqlClient
      const { page: source } = yield* Sources
      expect(yield* imported(client, { source: "statuspage", url: source.url })).toMatchObject({ failed: [] })
      const [window] = (yield* client.get("/incidents?kind=maintenance")).body.data
      const whole = (yield* client.get(`/incidents/${window.id}`)).body
      expect(whole).toMatchObject({ title: "Disk exchange", status: "completed", resolvedAt: "2026-02-01T02:00:00.000Z" })
      expect(whole.updates.map(({ at, status }: Json) => [status, at])).toEqual([
        ["scheduled", "2026-01-30T10:00:00.000Z"],
        ["in_progress", "2026-02-01T01:00:00.000Z"],
        ["completed", "2026-02-01T02:00:00.000Z"]
      ])
      expect(yield* sql`select 1 from alarms where kind = 'incident' and id = ${window.id}`).toEqual([])
    }))

  it.effect("mirrors a public status page into an existing page by a manifest monitor", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const { page: source } = yield* Sources
      const existing = (yield* client.post("/pages", { name: "Ours" })).body
      const input = { source: "statuspage", url: source.url, mirror: true, incidents: false, targetPageId: existing.id }
      const job = yield* imported(client, input)
      expect(job).toMatchObject({ status: "succeeded", failed: [] })
      expect(refs(job.created)).toEqual(["monitor:mirror:p1", "component:c1", "component:c2"])
      // The components may have come after the first check, and a bad status needs two reports; the next is due in a minute.
      const check = client.post(`/monitors/${job.created[0].id}/check`, { apply: true })
      yield* check
      yield* check
      const page = yield* until(client.get(`/pages/${existing.id}`), ({ body }) =>
        byName(body.components, "API").status !== "unknown")
      expect(byName(page.body.components, "Website").manifest).toEqual({ monitorId: job.created[0].id, key: "c2" })
    }))

  it.effect("leaves the components of an open incident to the mirror, which sees when they recover", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const { page: source } = yield* Sources
      expect(yield* imported(client, { source: "statuspage", url: source.url, mirror: true })).toMatchObject({ failed: [] })
      const incidents = (yield* client.get("/incidents?kind=incident")).body.data
      expect(incidents.map(({ components, title }: Json) => [title, components.map(({ status }: Json) => status)])).toEqual([
        ["API errors", ["operational"]],
        ["Slow website", ["degraded"]]
      ])
    }))

  it.effect("goes on while the sources of many other workspaces make their imports wait", () =>
    Effect.gen(function*() {
      const { busy, page: source } = yield* Sources
      for (let at = 0; at < 5; at++) {
        const client = yield* newClient
        expect((yield* client.post("/import", { source: "statuspage", url: busy.url })).status).toBe(202)
      }
      const client = yield* newClient
      expect(yield* imported(client, { source: "statuspage", url: source.url })).toMatchObject({ status: "succeeded" })
    }))

  it.effect("whose job has ended without it begins to make nothing", () =>
    Effect.gen(function*() {
      const jobs = yield* ImportJobs
      const sql = yield* SqlClient.SqlClient
      const { workspaceId } = yield* newKey()
      const id = Option.getOrThrow(yield* jobs.begin(workspaceId, "gatus"))
      expect(yield* jobs.renew(workspaceId, id)).toBe(true)
      yield* sql`update import_jobs set held_until = now() - interval '1 second' where id = ${id}`
      const next = Option.getOrThrow(yield* jobs.begin(workspaceId, "gatus"))
      expect([yield* jobs.start(workspaceId, id, 1, []), yield* jobs.renew(workspaceId, id)]).toEqual([false, false])
      expect(Option.getOrThrow(yield* jobs.find(workspaceId, id)).status).toBe("cancelled")
      expect(yield* jobs.start(workspaceId, next, 1, [])).toBe(true)
    }).pipe(Effect.provide(ImportJobs.Default)))

  it.effect("is refused without what the source needs, and one at a time", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const { page: source } = yield* Sources
      const withoutKey = yield* client.post("/import/preview", { source: "betterstack" })
      expect(withoutKey.status).toBe(422)
      expect(withoutKey.body.error.message).toContain("Give apiKey")
      const unread = [
        [{ source: "uptimerobot", apiKey: "ur-secret-key", url: source.url }, "url"],
        [{ source: "healthchecks", apiKey: "hc-secret-key", pageId: "1" }, "pageId"],
        [{ source: "healthchecks", apiKey: "hc-secret-key", mirror: true }, "mirror"],
        [{ source: "gatus", document: "endpoints: []", apiKey: "no-key-needed" }, "apiKey"],
        [{ source: "statuspage", url: source.url, document: "endpoints: []" }, "document"],
        [{ source: "statuspage", url: source.url, pageId: "1" }, "pageId"]
      ] as const
      for (const [input, path] of unread) {
        const { body, status } = yield* client.post("/import/preview", input)
        expect([input, status, body.error.details?.[0].path]).toEqual([input, 422, path])
      }
      const unknownPage = yield* client.post("/import", { source: "statuspage", url: source.url, targetPageId: "pg_nope" })
      expect(unknownPage.status).toBe(422)
      const noJson = yield* client.post("/import/preview", { source: "statuspage", url: `${source.url}:1` })
      expect(noJson.status).toBeGreaterThanOrEqual(422)
      const answers = yield* Effect.all(
        [1, 2, 3].map(() => client.post("/import", { source: "uptimerobot", apiKey: "ur-secret-key" })),
        { concurrency: 3 }
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409])
    }))
})
