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

  it.effect("has the newest updates of each incident, up to a megabyte of text; an incident by itself has all of them", () =>
    Effect.gen(function*() {
      const incidents = yield* PageIncidents
      const sql = yield* SqlClient.SqlClient
      const workspaceId = yield* newWorkspace()
      const page = yield* Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name: "Verbose" }))
      const post = (length: number, count: number) =>
        Effect.flatMap(newIncident(workspaceId, { title: "Long", pageIds: [page.id] }), (id) =>
          Effect.as(
            sql`
            insert into incident_updates (id, workspace_id, incident_id, status, body, at, public)
            select ${id} || lpad(n::text, 4, '0'), ${workspaceId}, ${id}, 'investigating', rpad(n || ' ', ${length}, 'x'),
              now() + n * interval '1 second', true
            from generate_series(1, ${count}) n`,
            id
          ))
      const numbersOf = (incident: { readonly updates: ReadonlyArray<{ readonly body: string }> } | undefined) =>
        incident?.updates.map(({ body }) => Number.parseInt(body))
      const upTo = (last: number, count: number) => Array.from({ length: count }, (_, index) => last - count + 1 + index)
      const few = yield* post(10, 500)
      const short = (yield* incidents.since(workspaceId, page.id, DateTime.unsafeMake(0)))[0]
      expect([numbersOf(short), short?.isCut]).toEqual([upTo(500, 20), true])
      const whole = yield* Effect.flatten(incidents.one({ workspaceId, pageId: page.id, id: few }))
      expect([numbersOf(whole), whole.isCut]).toEqual([upTo(500, 500), false])
      // A hundred texts of 10,000 bytes fit, and no more.
      const ids = yield* Effect.forEach(Array.from({ length: 10 }), () => post(10_000, 30))
      const read = yield* incidents.between({
        workspaceId,
        pageId: page.id,
        from: DateTime.unsafeMake(0),
        before: DateTime.unsafeMake("9999-01-01"),
        limit: 100
      })
      const long = read.filter(({ id }) => ids.includes(id))
      expect(long.map(numbersOf)).toEqual(long.map(({ updates }) => upTo(30, updates.length)))
      const counts = long.map(({ updates }) => updates.length)
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(104)
      // Each keeps as many as the others.
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
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
