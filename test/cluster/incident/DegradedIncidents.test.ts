/** Automatic incidents of components that follow the worst of their monitors, on pages that want incidents from degraded on. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import type { ComponentInput } from "../../../schema/component/Component.ts"
import type { MonitorId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import type { PageSettings } from "../../../schema/page/Page.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { TakePush } from "../../../src/operations/component/TakePush.ts"
import { UpdateIncident } from "../../../src/operations/incident/UpdateIncident.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { ManagePolicies } from "../../../src/operations/oncall/ManagePolicies.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { monitorRow, newWorkspace, resultOf, TestRunner } from "../../support/program/TestRunner.ts"
import type { Json } from "../../support/program/TestServer.ts"
import { until } from "../../support/time/Until.ts"

const operations = Layer.mergeAll(
  TakePush.Default,
  UpdateIncident.Default,
  ManageChannels.Default,
  ManagePolicies.Default
)

type Outcome = "up" | "degraded" | "down"

const recordedIn = (workspaceId: WorkspaceId, types: Parameters<EventLog["after"]>[2]) =>
  Effect.flatMap(
    EventLog,
    (log) =>
      Effect.map(log.after(workspaceId, "", types, 500), (events): ReadonlyArray<Json> =>
        events.map(({ data, type }) => ({ type, ...data })))
  )

const newPage = (workspaceId: WorkspaceId, settings: PageSettings) =>
  Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name: "Acme", settings }))

const newComponent = (workspaceId: WorkspaceId, pageId: PageId, input: ComponentInput) =>
  Effect.flatMap(ManageComponents, (components) => components.create(workspaceId, pageId, input))

/** A monitor, and its reports in order, each of which is waited for. */
const newMonitor = Effect.fnUntraced(function*(workspaceId: WorkspaceId, name: string) {
  const manage = yield* ManageMonitors
  const bus = yield* Bus
  const { id } = yield* manage.create(workspaceId, { name, url: "https://shop.test/", failureThreshold: 1 })
  const row = yield* monitorRow(workspaceId, id)
  const now = yield* Clock.currentTimeMillis
  let round = 0
  /** Does not wait. */
  const send = (outcome: Outcome) =>
    Effect.suspend(() => {
      round++
      return bus.report([resultOf(row, Math.floor(now / 60_000) + round, { outcome, at: now + round * 1000 })])
    })
  const report = (outcome: Outcome) =>
    Effect.zipRight(send(outcome), until(monitorRow(workspaceId, id), ({ state }) => state === outcome))
  return { id, report, send }
})

/** A page on which `API` follows a monitor that is up. */
const setUp = Effect.fnUntraced(function*(settings: PageSettings, more: Partial<ComponentInput> = {}) {
  const { id: workspaceId } = yield* newWorkspace
  const page = yield* newPage(workspaceId, settings)
  const monitor = yield* newMonitor(workspaceId, "api-1")
  const api = yield* newComponent(workspaceId, page.id, { name: "API", monitorIds: [monitor.id], ...more })
  yield* monitor.report("up")
  const recorded = recordedIn(workspaceId, ["incident.created", "incident.updated", "incident.resolved"])
  /** The news for visitors and subscribers, in order. */
  const announced = Effect.map(recorded, (all) => all.filter(({ incident }) => incident.public))
  return { workspaceId, page, monitor, api, recorded, announced }
})

const said = (events: ReadonlyArray<Json>) => events.map(({ incident: { impact }, type, update }) => [type, impact, update.body])

/** The open incidents that visitors see. */
const openOnPages = (workspaceId: WorkspaceId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql<{ readonly title: string; readonly monitorId: MonitorId | null; readonly pages: ReadonlyArray<PageId> }>`
      select title, monitor_id as "monitorId", page_ids as pages from incidents
      where workspace_id = ${workspaceId} and public and resolved_at is null order by id`
  )

/** Waits until no component has to look at its sources. */
const settled = (workspaceId: WorkspaceId) =>
  until(
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql`select 1 from alarms where workspace_id = ${workspaceId} and kind = 'component'`),
    (rows) =>
      rows.length === 0
  )

const degraded = { incidentMinStatus: "degraded" } as const

layer(Layer.provideMerge(operations, TestRunner), { excludeTestServices: true, timeout: "60 seconds" })((it) => {
  describe("a page with incidents from degraded on", () => {
    it.effect("tells one story of a monitor that is degraded, goes down and recovers", () =>
      Effect.gen(function*() {
        const { api, monitor, recorded, announced, workspaceId } = yield* setUp(degraded)
        yield* monitor.report("degraded")
        const [opened] = yield* until(announced, (all) => all.length === 1)
        expect(opened).toMatchObject({
          type: "incident.created",
          incident: {
            title: "API is degraded",
            impact: "minor",
            monitorId: null,
            components: [{ componentId: api.id, status: "degraded" }]
          }
        })
        yield* monitor.report("down")
        yield* until(announced, (all) => all.length === 2)
        // The monitor's own incident is for the team: its alerts and pages are about it.
        const own = (yield* recorded).filter(({ incident }) => !incident.public)
        expect(own).toMatchObject([{ type: "incident.created", incident: { monitorId: monitor.id, pageIds: [] } }])
        expect(yield* openOnPages(workspaceId)).toHaveLength(1)
        yield* monitor.report("degraded")
        yield* until(announced, (all) => all.length === 3)
        yield* monitor.report("up")
        const all = yield* until(announced, (found) => found.length === 4)
        expect(said(all)).toEqual([
          ["incident.created", "minor", "We are investigating a problem with API."],
          ["incident.updated", "major", "API is down."],
          ["incident.updated", "minor", "API is degraded."],
          ["incident.resolved", "minor", expect.stringMatching(/^API recovered after /)]
        ])
        expect(new Set(all.map(({ incident }) => incident.id)).size).toBe(1)
        expect(yield* openOnPages(workspaceId)).toEqual([])
      }))

    it.effect("has the incident of the monitor while that is down, if it was not degraded before or a person ended that story", () =>
      Effect.gen(function*() {
        const { monitor, announced, workspaceId } = yield* setUp(degraded)
        yield* monitor.report("down")
        yield* settled(workspaceId)
        expect(yield* openOnPages(workspaceId)).toMatchObject([{ title: "api-1 is down", monitorId: monitor.id }])
        yield* monitor.report("up")
        yield* monitor.report("degraded")
        const [, , opened] = yield* until(announced, (all) => all.length === 3)
        yield* Effect.flatMap(UpdateIncident, (incidents) => incidents.resolve(workspaceId, opened.incident.id, {}))
        yield* monitor.report("down")
        yield* settled(workspaceId)
        expect(yield* openOnPages(workspaceId)).toMatchObject([{ title: "api-1 is down", monitorId: monitor.id }])
      }))

    it.effect("is the only one with it; another page has the incident of the monitor", () =>
      Effect.gen(function*() {
        const { monitor, page, announced, workspaceId } = yield* setUp(degraded)
        const other = yield* newPage(workspaceId, {})
        yield* newComponent(workspaceId, other.id, { name: "Shop", monitorIds: [monitor.id] })
        yield* monitor.report("degraded")
        yield* until(announced, (all) => all.length === 1)
        yield* monitor.report("down")
        yield* settled(workspaceId)
        expect(yield* openOnPages(workspaceId)).toEqual([
          { title: "API is degraded", monitorId: null, pages: [page.id] },
          { title: "api-1 is down", monitorId: monitor.id, pages: [other.id] }
        ])
      }))

    it.effect("has one incident for all components that are degraded, which ends when monitoring is paused", () =>
      Effect.gen(function*() {
        const { monitor, page, announced, workspaceId } = yield* setUp(degraded)
        const second = yield* newMonitor(workspaceId, "mail-1")
        yield* newComponent(workspaceId, page.id, { name: "Mail", monitorIds: [second.id] })
        yield* monitor.report("degraded")
        yield* until(announced, (all) => all.length === 1)
        yield* second.report("degraded")
        yield* until(announced, (all) => all.length === 2)
        yield* monitor.report("down")
        yield* until(announced, (all) => all.length === 3)
        const manage = yield* ManageMonitors
        yield* manage.update(workspaceId, monitor.id, { paused: true })
        yield* until(announced, (all) => all.length === 4)
        yield* manage.update(workspaceId, second.id, { paused: true })
        const all = yield* until(announced, (found) => found.length === 5)
        expect(said(all)).toEqual([
          ["incident.created", "minor", "We are investigating a problem with API."],
          ["incident.updated", "minor", "Mail is affected too."],
          ["incident.updated", "major", "API is down."],
          ["incident.updated", "minor", expect.stringMatching(/^API: monitoring was paused after /)],
          ["incident.resolved", "minor", expect.stringMatching(/^API, Mail: monitoring was paused after /)]
        ])
        expect(new Set(all.map(({ incident }) => incident.id)).size).toBe(1)
      }))

    it.effect("pages people once, when the monitor goes down, by the policy of the page, or when another component fails by itself", () =>
      Effect.gen(function*() {
        const { monitor, page, announced, workspaceId } = yield* setUp(degraded)
        const pushed = yield* newComponent(workspaceId, page.id, { name: "Queue", push: true, confirmations: 1 })
        const sql = yield* SqlClient.SqlClient
        const { id } = yield* Effect.flatMap(
          ManageChannels,
          (channels) => channels.create(workspaceId, { name: "Ops", type: "webhook", url: "http://127.0.0.1:9/" })
        )
        yield* Effect.flatMap(ManagePolicies, (policies) =>
          policies.create(workspaceId, {
            name: "Of the page",
            isDefault: false,
            pageIds: [page.id],
            levels: [{ afterMinutes: 0, targets: [{ type: "channel", id }] }]
          }))
        const paged = Effect.map(
          recordedIn(workspaceId, ["incident.escalated"]),
          (all) => all.map(({ incident, level }) => [incident.title, level])
        )
        yield* monitor.report("degraded")
        yield* until(announced, (all) => all.length === 1)
        expect(yield* sql`select 1 from incident_alerting where workspace_id = ${workspaceId}`).toEqual([])
        yield* monitor.report("down")
        expect(yield* until(paged, (all) => all.length > 0)).toEqual([["api-1 is down", 1]])
        yield* Effect.flatMap(
          TakePush,
          (pushes) => pushes.take(pushed.pushUrl?.split("/").at(-1) ?? "", { status: "major_outage" })
        )
        expect(yield* until(paged, (all) => all.length > 1)).toEqual([["api-1 is down", 1], ["API is degraded", 1]])
      }))

    it.effect("never has two open incidents about a component, however fast its monitor changes", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const page = yield* newPage(workspaceId, degraded)
        const monitors = yield* Effect.forEach(Array.from({ length: 8 }, (_, index) => `api-${index}`), (name) =>
          Effect.gen(function*() {
            const monitor = yield* newMonitor(workspaceId, name)
            const component = yield* newComponent(workspaceId, page.id, { name, monitorIds: [monitor.id] })
            yield* monitor.report("up")
            return { ...monitor, component }
          }))
        const sql = yield* SqlClient.SqlClient
        const statusOf = (id: string) =>
          sql<{ readonly status: string }>`select status from component_states where component_id = ${id}`
        const doubled = sql`
          select affected->>'componentId' as id from incidents i cross join jsonb_array_elements(i.components) affected
          where i.workspace_id = ${workspaceId} and i.public and i.resolved_at is null and affected->>'status' <> 'operational'
          group by 1 having count(*) > 1`
        for (let round = 0; round < 6; round++) {
          // Some go down before their component has looked at them, some while it does, some after.
          yield* Effect.forEach(monitors, ({ component, report, send }, index) =>
            Effect.gen(function*() {
              yield* index % 3 === 0 ? send("degraded") : report("degraded")
              if (index % 3 === 2) {
                yield* until(statusOf(component.id), ([row]) =>
                  row?.status === "degraded")
              }
              yield* report("down")
            }), { concurrency: "unbounded", discard: true })
          yield* settled(workspaceId)
          expect([round, yield* doubled]).toEqual([round, []])
          yield* Effect.forEach(monitors, ({ report }) =>
            report("up"), { concurrency: "unbounded", discard: true })
          yield* settled(workspaceId)
          expect(yield* openOnPages(workspaceId)).toEqual([])
        }
      }))
  })

  describe("a page with other settings", () => {
    it.effect.each<PageSettings>([{}, { incidentMinStatus: "major_outage" }, { ...degraded, autoIncidents: false }])(
      "tells nothing of a monitor that is degraded: %j",
      (settings) =>
        Effect.gen(function*() {
          const { monitor, announced, workspaceId } = yield* setUp(settings)
          yield* monitor.report("degraded")
          yield* settled(workspaceId)
          expect(yield* announced).toEqual([])
          yield* monitor.report("down")
          yield* settled(workspaceId)
          const down = { title: "api-1 is down", monitorId: monitor.id }
          expect(yield* openOnPages(workspaceId)).toMatchObject(settings.autoIncidents === false ? [] : [down])
        })
    )

    it.effect("tells nothing of a hidden component that is degraded", () =>
      Effect.gen(function*() {
        const { monitor, announced, workspaceId } = yield* setUp(degraded, { hidden: true })
        yield* monitor.report("degraded")
        yield* settled(workspaceId)
        expect(yield* announced).toEqual([])
      }))
  })
})
