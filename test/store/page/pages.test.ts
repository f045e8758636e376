import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Clock, DateTime, Effect, Option } from "effect"
import { Conflict, NotFound, ValidationFailed } from "../../../schema/Errors.ts"
import { ComponentId, GroupId, MonitorId, PageId } from "../../../schema/Ids.ts"
import type { Span } from "../../../src/domain/monitor/Uptime.ts"
import { Components } from "../../../src/store/component/Components.ts"
import { PageIncidents } from "../../../src/store/incident/PageIncidents.ts"
import { mint } from "../../../src/store/Mint.ts"
import { Spans } from "../../../src/store/monitor/Spans.ts"
import { Pages } from "../../../src/store/page/Pages.ts"
import { ground, newIncident, newMonitor, newWorkspace } from "../../pages/Fixtures.ts"

const pathsOf = (error: unknown) =>
  error instanceof ValidationFailed && Array.isArray(error.details) ? error.details.map(({ path }) => path) : error

layer(ground)("Status pages", (it) => {
  it.effect("are found by id and by slug, in their own workspace only", () =>
    Effect.gen(function*() {
      const pages = yield* Pages
      const [mine, other] = [yield* newWorkspace(), yield* newWorkspace()]
      const page = yield* pages.create(mine, { name: "Found Inc" })
      expect(page.slug).toBe("found-inc")
      expect(Option.getOrNull(yield* pages.find(mine, page.id))).toEqual(page)
      expect(Option.getOrNull(yield* pages.find(mine, "found-inc"))).toEqual(page)
      expect(Option.getOrNull(yield* pages.findByName(mine, "FOUND inc"))).toEqual(page)
      expect(Option.isNone(yield* pages.find(other, page.id))).toBe(true)
      expect(Option.isNone(yield* pages.find(other, "found-inc"))).toBe(true)
      expect(yield* pages.list(other)).toEqual([])
    }))

  it.effect("carry every setting at its effective value", () =>
    Effect.gen(function*() {
      const pages = yield* Pages
      const workspaceId = yield* newWorkspace("Europe/Berlin")
      const page = yield* pages.create(workspaceId, {
        name: "Settled",
        theme: { preset: "grid" },
        settings: { uptimeDays: 30, subscriptions: { rss: false } }
      })
      expect(page.theme).toEqual({ preset: "grid", tokens: {}, radius: 3, customCss: "" })
      expect(page.settings).toMatchObject({ uptimeDays: 30, language: "auto", timezone: "Europe/Berlin" })
      expect(page.settings.subscriptions).toEqual({ email: true, webhook: true, slack: true, rss: false })
      expect(page.visibility).toBe("public")
    }))

  it.effect("number a slug made from the name, and refuse one that was given and is taken", () =>
    Effect.gen(function*() {
      const pages = yield* Pages
      const workspaceId = yield* newWorkspace()
      const slugs = yield* Effect.forEach([1, 2, 3], () => pages.create(workspaceId, { name: "Twin" }))
      expect(slugs.map(({ slug }) => slug)).toEqual(["twin", "twin-2", "twin-3"])
      const refused = yield* Effect.flip(pages.create(workspaceId, { name: "Other", slug: "twin" }))
      expect(refused).toBeInstanceOf(Conflict)
    }))

  it.effect("that are made at once get slugs of their own", () =>
    Effect.gen(function*() {
      const pages = yield* Pages
      const workspaceId = yield* newWorkspace()
      const made = yield* Effect.all(Array.from({ length: 4 }, () => pages.create(workspaceId, { name: "Rush" })), {
        concurrency: "unbounded"
      })
      expect(new Set(made.map(({ slug }) => slug)).size).toBe(4)
    }))

  it.effect("refuse a domain that belongs to another", () =>
    Effect.gen(function*() {
      const pages = yield* Pages
      const workspaceId = yield* newWorkspace()
      yield* pages.create(workspaceId, { name: "First", customDomain: "status.acme.test" })
      const refused = yield* Effect.flip(pages.create(workspaceId, { name: "Second", customDomain: "status.acme.test" }))
      expect(refused).toBeInstanceOf(Conflict)
      expect(refused.message).toContain("status.acme.test")
    }))

  it.effect("refuse a reserved slug and looks that are none", () =>
    Effect.gen(function*() {
      const pages = yield* Pages
      const workspaceId = yield* newWorkspace()
      expect(pathsOf(yield* Effect.flip(pages.create(workspaceId, { name: "A", slug: "docs", theme: { preset: "neon" } }))))
        .toEqual(["slug", "theme.preset"])
    }))

  it.effect("are not visible while private", () =>
    Effect.gen(function*() {
      const pages = yield* Pages
      const workspaceId = yield* newWorkspace()
      yield* pages.create(workspaceId, { name: "Hidden", slug: "hidden-page", visibility: "private" })
      expect(Option.isNone(yield* pages.findVisible("hidden-page"))).toBe(true)
    }))
})

layer(ground)("Components", (it) => {
  const newPage = (name: string) =>
    Effect.gen(function*() {
      const workspaceId = yield* newWorkspace()
      const page = yield* Effect.flatMap(Pages, (pages) => pages.create(workspaceId, { name }))
      return { workspaceId, page, components: yield* Components }
    })

  it.effect("take their key from the name, numbered within the page", () =>
    Effect.gen(function*() {
      const { components, page, workspaceId } = yield* newPage("Keys")
      const names = ["REST API", "Rest Api", "日本"]
      const made = yield* Effect.forEach(names, (name) => components.create(workspaceId, page.id, { name }))
      expect(made.map(({ key, order }) => [key, order])).toEqual([["rest-api", 0], ["rest-api-2", 1], ["component", 2]])
      const taken = yield* Effect.flip(components.create(workspaceId, page.id, { name: "X", key: "rest-api" }))
      expect(taken).toBeInstanceOf(Conflict)
    }))

  it.effect("make the group that they name once, and find it by name or id", () =>
    Effect.gen(function*() {
      const { components, page, workspaceId } = yield* newPage("Groups")
      const first = yield* components.create(workspaceId, page.id, { name: "A", group: "Core" })
      const second = yield* components.create(workspaceId, page.id, { name: "B", group: "core" })
      const third = yield* components.create(workspaceId, page.id, { name: "C", group: first.group ?? "" })
      expect(new Set([first.group, second.group, third.group]).size).toBe(1)
      expect((yield* components.groupsOf(workspaceId, [page.id])).map(({ name }) => name)).toEqual(["Core"])
      const unknown = yield* Effect.flip(
        components.create(workspaceId, page.id, { name: "D", group: yield* mint("grp", GroupId) })
      )
      expect(pathsOf(unknown)).toEqual(["group"])
    }))

  it.effect("follow monitors of their own workspace only", () =>
    Effect.gen(function*() {
      const { components, page, workspaceId } = yield* newPage("Monitors")
      const mine = yield* newMonitor(workspaceId, "mine", [{ state: "down", hoursAgo: 1 }])
      const foreign = yield* newMonitor(yield* newWorkspace(), "foreign")
      const refused = yield* Effect.flip(components.create(workspaceId, page.id, { name: "A", monitorIds: [mine, foreign] }))
      expect(pathsOf(refused)).toEqual(["monitorIds.1"])
      const made = yield* components.create(workspaceId, page.id, { name: "A", monitorIds: [mine] })
      expect(made).toMatchObject({ status: "major_outage", manual: false, monitorIds: [mine] })
    }))

  it.effect("refuse in plain words what is to come later", () =>
    Effect.gen(function*() {
      const { components, page, workspaceId } = yield* newPage("Later")
      const refused = yield* Effect.flip(components.create(workspaceId, page.id, {
        name: "A",
        manifest: { monitorId: MonitorId.make("mon_1"), key: "k" }
      }))
      expect(pathsOf(refused)).toEqual(["manifest"])
      expect(refused.message).toContain("not available yet")
    }))

  it.effect("that are pushed have an address of their own, sealed at rest and found by what is in it alone", () =>
    Effect.gen(function*() {
      const { components, page, workspaceId } = yield* newPage("Pushed")
      const made = yield* components.create(workspaceId, page.id, {
        name: "Queue",
        push: true,
        pushTtlSec: 300,
        confirmations: 3
      })
      expect(made).toMatchObject({
        push: true,
        pushTtlSec: 300,
        confirmations: 3,
        manual: false,
        status: "unknown",
        statusMessage: null
      })
      const token = /^https:\/\/belltower\.test\/api\/v1\/push\/([0-9A-Za-z]{40})$/.exec(made.pushUrl ?? "")?.[1] ?? ""
      expect(Option.getOrNull(yield* components.pushedBy(token))).toEqual({ workspaceId, id: made.id })
      expect(Option.isNone(yield* components.pushedBy(token.slice(1)))).toBe(true)
      const sql = yield* SqlClient.SqlClient
      expect(JSON.stringify(yield* sql`select * from components where id = ${made.id}`)).not.toContain(token)
      expect((yield* components.records(workspaceId, [page.id])).map(({ pushUrl }) => pushUrl)).toEqual([made.pushUrl])
      expect(JSON.stringify(yield* components.ofPages(workspaceId, [page.id]))).not.toContain(token)
      expect((yield* components.create(workspaceId, page.id, { name: "By hand" })).pushUrl).toBeNull()
    }))

  it.effect("belong to a page of the workspace", () =>
    Effect.gen(function*() {
      const { components, page } = yield* newPage("Mine")
      const stranger = yield* newWorkspace()
      expect(yield* Effect.flip(components.create(stranger, page.id, { name: "A" }))).toBeInstanceOf(NotFound)
      expect(yield* Effect.flip(components.create(stranger, PageId.make("pg_no"), { name: "A" }))).toBeInstanceOf(NotFound)
      expect(yield* components.ofPages(stranger, [page.id])).toEqual([])
    }))

  it.effect("show what public open incidents say of them, and nothing of internal ones", () =>
    Effect.gen(function*() {
      const { components, page, workspaceId } = yield* newPage("Told")
      const made = yield* components.create(workspaceId, page.id, { name: "A" })
      expect(made.status).toBe("operational")
      const about = { pageIds: [page.id], components: [{ componentId: made.id, status: "degraded" }] }
      yield* newIncident(workspaceId, { ...about, title: "Internal", public: false })
      yield* newIncident(workspaceId, { ...about, title: "Over", resolved: true })
      const status = Effect.map(components.ofPages(workspaceId, [page.id]), ([one]) => one?.status)
      expect(yield* status).toBe("operational")
      yield* newIncident(workspaceId, { ...about, title: "Open" })
      expect(yield* status).toBe("degraded")
    }))

  it.effect("made at once have keys and places of their own", () =>
    Effect.gen(function*() {
      const { components, page, workspaceId } = yield* newPage("Crowd")
      const made = yield* Effect.all(
        Array.from({ length: 4 }, () => components.create(workspaceId, page.id, { name: "Same", group: "One" })),
        { concurrency: "unbounded" }
      )
      expect(new Set(made.map(({ key }) => key)).size).toBe(4)
      expect(new Set(made.map(({ order }) => order)).size).toBe(4)
      expect(new Set(made.map(({ group }) => group)).size).toBe(1)
    }))
})

layer(ground)("The past of a page", (it) => {
  it.effect("has the spans of many monitors from one query, from where they reach past a time", () =>
    Effect.gen(function*() {
      const spans = yield* Spans
      const workspaceId = yield* newWorkspace()
      const one = yield* newMonitor(workspaceId, "one", [
        { state: "up", hoursAgo: 90 },
        { state: "down", hoursAgo: 30 },
        { state: "up", hoursAgo: 2 }
      ])
      const two = yield* newMonitor(workspaceId, "two", [{ state: "pending", hoursAgo: 1 }])
      const from = DateTime.unsafeMake(Date.now() - 24 * 3_600_000)
      const read = yield* spans.since(workspaceId, [one, two], from)
      expect(read.get(one)?.map(({ state }) => state)).toEqual(["down", "up"])
      expect(read.get(one)?.at(-1)?.endedAt).toBeNull()
      expect(read.get(two)?.map(({ state }) => state)).toEqual(["pending"])
      expect((yield* spans.since(yield* newWorkspace(), [one, two], from)).size).toBe(0)
    }))

  it.effect("ends where a monitor was last heard of", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const spans = yield* Spans
      const workspaceId = yield* newWorkspace()
      const id = yield* newMonitor(workspaceId, "silent", [{ state: "up", hoursAgo: 5 }])
      const now = Date.now()
      const heard = now - 3 * 3_600_000
      const endOf = (read: ReadonlyMap<MonitorId, ReadonlyArray<Span>>) => read.get(id)?.at(-1)?.endedAt
      const from = DateTime.unsafeMake(0)
      expect(endOf(yield* spans.observed(workspaceId, [id], from, now))).toBeNull()
      yield* sql`update monitor_states set machine = jsonb_build_object('lastRoundAt', ${heard}::float8) where monitor_id = ${id}`
      expect(endOf(yield* spans.observed(workspaceId, [id], from, now))).toBe(heard + 60_000)
    }))

  it.effect("a component claims nothing once its monitor has gone silent", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const components = yield* Components
      const workspaceId = yield* newWorkspace()
      const id = yield* newMonitor(workspaceId, "quiet", [{ state: "up", hoursAgo: 5 }])
      const page = yield* Effect.flatMap(Pages, (pages) => pages.create(workspaceId, { name: "Quiet" }))
      const heardOf = (ago: number) =>
        sql`
        update monitor_states set machine = jsonb_build_object('lastRoundAt', ${
          Date.now() - ago
        }::float8) where monitor_id = ${id}`
      yield* heardOf(30_000)
      const made = yield* components.create(workspaceId, page.id, { name: "API", monitorIds: [id] })
      expect(made.status).toBe("operational")
      yield* heardOf(600_000)
      const shown = yield* Effect.withClock(components.ofPages(workspaceId, [page.id]), Clock.make())
      expect(shown.map(({ status }) => status)).toEqual(["unknown"])
    }))

  it.effect("has the page's public incidents with their public updates alone", () =>
    Effect.gen(function*() {
      const incidents = yield* PageIncidents
      const workspaceId = yield* newWorkspace()
      const page = yield* Effect.flatMap(Pages, (pages) => pages.create(workspaceId, { name: "Past" }))
      const about = { pageIds: [page.id], components: [{ componentId: ComponentId.make("cmp_x"), status: "major_outage" }] }
      yield* newIncident(workspaceId, {
        ...about,
        title: "Told",
        updates: [{ body: "We look into it.", public: true }, { body: "root@db-1 is full", public: false }]
      })
      yield* newIncident(workspaceId, { ...about, title: "Internal", public: false })
      yield* newIncident(workspaceId, { title: "Elsewhere", pageIds: [PageId.make("pg_other")] })
      const long = DateTime.unsafeMake(0)
      const read = yield* incidents.since(workspaceId, page.id, long)
      expect(read.map(({ title }) => title)).toEqual(["Told"])
      expect(read[0]?.updates.map(({ body }) => body)).toEqual(["We look into it."])
      expect(yield* incidents.since(yield* newWorkspace(), page.id, long)).toEqual([])
    }))
})
