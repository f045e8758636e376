import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Clock, DateTime, Effect } from "effect"
import { ComponentId, type MonitorId, PageId } from "../../../schema/Ids.ts"
import type { Span } from "../../../src/domain/monitor/Uptime.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { Components } from "../../../src/store/component/Components.ts"
import { PageIncidents } from "../../../src/store/incident/PageIncidents.ts"
import { Spans } from "../../../src/store/monitor/Spans.ts"
import { ground, newIncident, newMonitor, newWorkspace } from "../../pages/Fixtures.ts"

layer(ground)("The past of a page", (it) => {
  it.effect("has the spans of many monitors from one query, including those that reach past a time", () =>
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

  it.effect("ends when a monitor was last observed", () =>
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

  it.effect("has no status for a component once its monitor has gone silent", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const components = yield* Components
      const managing = yield* ManageComponents
      const workspaceId = yield* newWorkspace()
      const id = yield* newMonitor(workspaceId, "quiet", [{ state: "up", hoursAgo: 5 }])
      const page = yield* Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name: "Quiet" }))
      const heardOf = (ago: number) =>
        sql`
        update monitor_states set machine = jsonb_build_object('lastRoundAt', ${
          Date.now() - ago
        }::float8) where monitor_id = ${id}`
      yield* heardOf(30_000)
      const made = yield* managing.create(workspaceId, page.id, { name: "API", monitorIds: [id] })
      expect(made.status).toBe("operational")
      yield* heardOf(600_000)
      const shown = yield* Effect.withClock(components.ofPages(workspaceId, [page.id]), Clock.make())
      expect(shown.map(({ status }) => status)).toEqual(["unknown"])
    }))

  it.effect("has the page's public incidents with their public updates only", () =>
    Effect.gen(function*() {
      const incidents = yield* PageIncidents
      const workspaceId = yield* newWorkspace()
      const page = yield* Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name: "Past" }))
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

  it.effect("has the maintenance windows that ran, also the one that is running; planned and cancelled ones took no time", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const incidents = yield* PageIncidents
      const workspaceId = yield* newWorkspace()
      const page = yield* Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name: "Planned" }))
      const component = yield* Effect.flatMap(
        ManageComponents,
        (components) => components.create(workspaceId, page.id, { name: "API" })
      )
      const window = (status: string, begins: number, ends: number | null) =>
        Effect.flatMap(
          newIncident(workspaceId, {
            title: status,
            pageIds: [page.id],
            components: [{ componentId: component.id, status: "maintenance" }]
          }),
          (id) =>
            sql`
            update incidents set kind = 'maintenance', status = ${status}, started_at = ${new Date(begins)},
              resolved_at = ${ends === null ? null : new Date(ends)}
            where id = ${id}`
        )
      const now = DateTime.unsafeMake("2026-11-20T10:00:00Z")
      const at = (hours: number) => now.epochMillis + hours * 3_600_000
      yield* window("completed", at(-48), at(-47))
      yield* window("in_progress", at(-1), null)
      yield* window("scheduled", at(5), null)
      yield* window("completed", at(-2000), at(-1999))
      const read = yield* incidents.windows(workspaceId, page.id, DateTime.unsafeMake(at(-72)), now)
      expect(read.get(component.id)).toEqual([{ from: at(-1), to: at(0) }, { from: at(-48), to: at(-47) }])
      expect((yield* incidents.windows(yield* newWorkspace(), page.id, DateTime.unsafeMake(0), now)).size).toBe(0)
    }))
})
