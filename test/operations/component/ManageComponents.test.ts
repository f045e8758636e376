import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Conflict, NotFound, ValidationFailed } from "../../../schema/Errors.ts"
import { GroupId, MonitorId, PageId } from "../../../schema/Ids.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { Components } from "../../../src/store/component/Components.ts"
import { mint } from "../../../src/store/Mint.ts"
import { ground, newIncident, newMonitor, newWorkspace } from "../../pages/Fixtures.ts"

const pathsOf = (error: unknown) =>
  error instanceof ValidationFailed && Array.isArray(error.details) ? error.details.map(({ path }) => path) : error

layer(ground)("Components", (it) => {
  const newPage = (name: string) =>
    Effect.gen(function*() {
      const workspaceId = yield* newWorkspace()
      const page = yield* Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name }))
      return { workspaceId, page, components: yield* ManageComponents, stored: yield* Components }
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

  it.effect("create the named group once, and find it by name or id", () =>
    Effect.gen(function*() {
      const { components, page, stored, workspaceId } = yield* newPage("Groups")
      const first = yield* components.create(workspaceId, page.id, { name: "A", group: "Core" })
      const second = yield* components.create(workspaceId, page.id, { name: "B", group: "core" })
      const third = yield* components.create(workspaceId, page.id, { name: "C", group: first.group ?? "" })
      expect(new Set([first.group, second.group, third.group]).size).toBe(1)
      expect((yield* stored.groupsOf(workspaceId, [page.id])).map(({ name }) => name)).toEqual(["Core"])
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

  it.effect("follow a key of a manifest monitor of their own workspace only", () =>
    Effect.gen(function*() {
      const { components, page, workspaceId } = yield* newPage("Manifests")
      const refused = yield* Effect.flip(components.create(workspaceId, page.id, {
        name: "A",
        manifest: { monitorId: MonitorId.make("mon_1"), key: "k" }
      }))
      expect(pathsOf(refused)).toEqual(["manifest.monitorId"])
      const http = yield* newMonitor(workspaceId, "mine", [{ state: "up", hoursAgo: 1 }])
      const wrong = yield* Effect.flip(
        components.create(workspaceId, page.id, { name: "A", manifest: { monitorId: http, key: "k" } })
      )
      expect(wrong.message).toContain("of kind http, not manifest")
      const sql = yield* SqlClient.SqlClient
      yield* sql`update monitors set kind = 'manifest' where id = ${http}`
      const made = yield* components.create(workspaceId, page.id, {
        name: "A",
        manifest: { monitorId: http, key: "k" },
        confirmations: 3
      })
      expect(made).toMatchObject({ status: "unknown", manual: false, manifest: { monitorId: http, key: "k" }, confirmations: 3 })
    }))

  it.effect("that are pushed have their own URL, sealed at rest and found by its content alone", () =>
    Effect.gen(function*() {
      const { components, page, stored, workspaceId } = yield* newPage("Pushed")
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
      expect(Option.getOrNull(yield* stored.pushedBy(token))).toEqual({ workspaceId, id: made.id })
      expect(Option.isNone(yield* stored.pushedBy(token.slice(1)))).toBe(true)
      const record = Effect.flatMap(ManagePages, (pages) => pages.record(workspaceId, page.id))
      const sql = yield* SqlClient.SqlClient
      expect(JSON.stringify(yield* sql`select * from components where id = ${made.id}`)).not.toContain(token)
      expect((yield* record).components.map(({ pushUrl }) => pushUrl)).toEqual([made.pushUrl])
      expect(JSON.stringify(yield* stored.ofPages(workspaceId, [page.id]))).not.toContain(token)
      expect((yield* components.create(workspaceId, page.id, { name: "By hand" })).pushUrl).toBeNull()
    }))

  it.effect("belong to a page of the workspace", () =>
    Effect.gen(function*() {
      const { components, page, stored } = yield* newPage("Mine")
      const stranger = yield* newWorkspace()
      expect(yield* Effect.flip(components.create(stranger, page.id, { name: "A" }))).toBeInstanceOf(NotFound)
      expect(yield* Effect.flip(components.create(stranger, PageId.make("pg_no"), { name: "A" }))).toBeInstanceOf(NotFound)
      expect(yield* stored.ofPages(stranger, [page.id])).toEqual([])
    }))

  it.effect("show the status of public open incidents, and nothing of internal ones", () =>
    Effect.gen(function*() {
      const { components, page, stored, workspaceId } = yield* newPage("Told")
      const made = yield* components.create(workspaceId, page.id, { name: "A" })
      expect(made.status).toBe("operational")
      const about = { pageIds: [page.id], components: [{ componentId: made.id, status: "degraded" }] }
      yield* newIncident(workspaceId, { ...about, title: "Internal", public: false })
      yield* newIncident(workspaceId, { ...about, title: "Over", resolved: true })
      const status = Effect.map(stored.ofPages(workspaceId, [page.id]), ([one]) => one?.status)
      expect(yield* status).toBe("operational")
      yield* newIncident(workspaceId, { ...about, title: "Open" })
      expect(yield* status).toBe("degraded")
    }))

  it.effect("created at the same time have their own keys and positions", () =>
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
