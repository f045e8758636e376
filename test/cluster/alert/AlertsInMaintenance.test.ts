/** Outages that begin in a maintenance window, on a runner: nobody is alerted before it is over, and customers see no incident. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import type { EventType } from "../../../schema/event/Event.ts"
import type { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"
import type { MaintenanceInput } from "../../../schema/incident/IncidentInput.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { TakePush } from "../../../src/operations/component/TakePush.ts"
import { OpenIncident } from "../../../src/operations/incident/OpenIncident.ts"
import { UpdateIncident } from "../../../src/operations/incident/UpdateIncident.ts"
import { ManagePolicies } from "../../../src/operations/oncall/ManagePolicies.ts"
import { ChangePage } from "../../../src/operations/page/ChangePage.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import { TestRunner } from "../../support/program/TestRunner.ts"
import type { Json } from "../../support/program/TestServer.ts"
import { until } from "../../support/time/Until.ts"
import { setUp, slotNow } from "./AlertedWorkspace.ts"
import { graceIsOver, heard as heardOf } from "./Heard.ts"

const operations = Layer.mergeAll(
  ManageChannels.Default,
  ManagePolicies.Default,
  OpenIncident.Default,
  UpdateIncident.Default,
  ChangePage.Default,
  TakePush.Default
)

/** The messages to channels, beside the maintenance itself. */
const heard = (workspaceId: WorkspaceId) =>
  Effect.map(heardOf(workspaceId), (all) => all.filter((text) => !text.startsWith(" maintenance.")))

/** A maintenance window of components, or of whole pages, that is running; `end` completes it. */
const running = (workspaceId: WorkspaceId, scope: Pick<MaintenanceInput, "componentIds" | "pageIds">) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const now = yield* Effect.flatMap(DatabaseClock, (clock) => clock.now)
    const { id, mutes } = yield* Effect.flatMap(OpenIncident, ({ schedule }) =>
      schedule(workspaceId, {
        title: "Upgrade",
        message: "We upgrade the database.",
        scheduledStart: DateTime.subtract(now, { minutes: 5 }),
        scheduledEnd: DateTime.add(now, { minutes: 60 }),
        ...scope
      }))
    yield* until(sql`select from incidents where id = ${id} and status = 'in_progress'`, (rows) => rows.length === 1)
    const { post } = yield* UpdateIncident
    return { id, mutes, end: post(workspaceId, id, { message: "Done.", status: "completed" }) }
  })

/** A policy that pages a channel about every incident. */
const paging = (workspaceId: WorkspaceId, channelId: ChannelId) =>
  Effect.flatMap(ManagePolicies, ({ create }) =>
    create(workspaceId, {
      name: "Platform",
      isDefault: true,
      levels: [{ afterMinutes: 0, targets: [{ type: "channel", id: channelId }] }],
      repeat: 1,
      repeatAfterMinutes: 60
    }))

const planned = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { channel, monitor, workspaceId } = yield* setUp("webhook")
  const page = yield* Effect.flatMap(ManagePages, ({ create }) => create(workspaceId, { name: "Acme" }))
  const shop = yield* monitor("Shop")
  const { create } = yield* ManageComponents
  const component = yield* create(workspaceId, page.id, { name: "Checkout", monitorIds: [shop.id] })
  const log = yield* EventLog
  const dataOf = (types: ReadonlyArray<EventType>) =>
    Effect.map(
      log.after(workspaceId, "", [...types], 100),
      (events): ReadonlyArray<Json> => events.map(({ data, type }) => ({ type, ...data }))
    )
  /** The events of the automatic incident. */
  const story = Effect.map(
    dataOf(["incident.created", "incident.updated", "incident.resolved"]),
    (all) => all.map(({ incident, type, update }) => [type, incident.public, update.body])
  )
  /** The incident's actor looks at its hidden outage now. */
  const showTimeIsOver = Effect.gen(function*() {
    yield* sql`update outages_in_maintenance set show_at = now() where workspace_id = ${workspaceId}`
    yield* sql`
      insert into alarms (kind, id, workspace_id, due_at)
      select 'incident', incident_id, workspace_id, now() from outages_in_maintenance where workspace_id = ${workspaceId}
      on conflict (kind, id) do update set due_at = now()`
    yield* sql`select pg_notify('belltower_alarms', '')`
  })
  const hidden = sql<{ readonly showAt: Date }>`
    select show_at as "showAt" from outages_in_maintenance where workspace_id = ${workspaceId}`
  return { sql, workspaceId, channel, monitor, page, shop, component, create, dataOf, story, showTimeIsOver, hidden }
})

layer(Layer.provideMerge(operations, TestRunner), { excludeTestServices: true })((it) => {
  describe("an outage that begins in a maintenance window", () => {
    it.effect("alerts nobody and is not shown, and neither is its end", () =>
      Effect.gen(function*() {
        const { component, hidden, shop, showTimeIsOver, story, dataOf, workspaceId } = yield* planned
        const window = yield* running(workspaceId, { componentIds: [component.id] })
        yield* shop.reach(1, "down")
        expect(yield* heard(workspaceId)).toEqual([])
        // States, incidents and events are not affected.
        expect(yield* dataOf(["monitor.down"])).toHaveLength(1)
        expect(yield* story).toEqual([["incident.created", false, "Shop is failing its checks."]])
        yield* graceIsOver(workspaceId)
        yield* showTimeIsOver
        yield* until(hidden, ([row]) => (row?.showAt.getTime() ?? 0) > Date.now() + 60_000)
        expect(yield* heard(workspaceId)).toEqual([])
        yield* shop.reach(2, "up")
        yield* window.end
        yield* graceIsOver(workspaceId)
        expect(yield* heard(workspaceId)).toEqual([])
        expect((yield* story).map(([type, isPublic]) => [type, isPublic])).toEqual([
          ["incident.created", false],
          ["incident.resolved", false]
        ])
      }))

    it.effect("is announced and shown if it is still there after the window and the time to recover, and then its end", () =>
      Effect.gen(function*() {
        const { component, hidden, page, shop, showTimeIsOver, sql, story, dataOf, workspaceId } = yield* planned
        const window = yield* running(workspaceId, { componentIds: [component.id] })
        yield* shop.reach(1, "down")
        expect(yield* heard(workspaceId)).toEqual([])
        yield* window.end
        // One round and its timeout.
        yield* until(hidden, ([row]) => {
          const wait = (row?.showAt.getTime() ?? 0) - Date.now()
          return wait > 40_000 && wait < 90_000
        })
        const review = sql`
          select from dependent_troubles where workspace_id = ${workspaceId}
            and due_at between now() + interval '40 seconds' and now() + interval '90 seconds'`
        yield* until(review, (rows) => rows.length === 1)
        expect(yield* heard(workspaceId)).toEqual([])
        yield* graceIsOver(workspaceId)
        expect(yield* heard(workspaceId)).toEqual(["Shop monitor.down"])
        yield* showTimeIsOver
        yield* until(story, (all) => all.length === 2)
        expect((yield* story)[1]).toEqual(["incident.updated", true, "We are investigating a problem with Checkout."])
        expect((yield* dataOf(["incident.updated"]))[0].incident).toMatchObject({
          components: [{ componentId: component.id, status: "major_outage" }]
        })
        const [row] = yield* sql`select page_ids from incidents where workspace_id = ${workspaceId} and automatic`
        expect(row).toEqual({ page_ids: [page.id] })
        expect(yield* hidden).toEqual([])
        yield* shop.reach(2, "up")
        expect(yield* heard(workspaceId)).toEqual(["Shop monitor.down", "Shop monitor.up"])
        expect((yield* story).at(-1)?.[0]).toBe("incident.resolved")
      }))

    it.effect("pages nobody before the window is over", () =>
      Effect.gen(function*() {
        const { channel, component, shop, sql, dataOf, workspaceId } = yield* planned
        yield* paging(workspaceId, channel.id)
        const window = yield* running(workspaceId, { componentIds: [component.id] })
        yield* shop.reach(1, "down")
        const alarm = sql`
          select from alarms where kind = 'incident' and workspace_id = ${workspaceId} and due_at > now() + interval '30 seconds'
            and id in (select id from incidents where automatic)`
        yield* until(alarm, (rows) => rows.length === 1)
        // Kept back before the window ends: afterwards it would be sent, and its pages would wait for the alarm above.
        expect(yield* heard(workspaceId)).toEqual([])
        expect(yield* dataOf(["incident.escalated"])).toEqual([])
        yield* window.end
        yield* heard(workspaceId)
        yield* graceIsOver(workspaceId)
        yield* until(dataOf(["incident.escalated"]), (all) => all.length === 1)
      }))

    it.effect("alerts nobody and is not shown if its results come after the window, as that of its end", () =>
      Effect.gen(function*() {
        const { component, shop, story, workspaceId } = yield* planned
        const window = yield* running(workspaceId, { componentIds: [component.id] })
        const slot = yield* slotNow
        yield* window.end
        yield* shop.reach(slot - 1, "down")
        expect(yield* heard(workspaceId)).toEqual([])
        yield* shop.reach(slot, "up")
        yield* graceIsOver(workspaceId)
        expect(yield* heard(workspaceId)).toEqual([])
        expect((yield* story).map(([type, isPublic]) => [type, isPublic])).toEqual([
          ["incident.created", false],
          ["incident.resolved", false]
        ])
      }))

    it.effect("is announced, pages and is shown after the time to recover if its results come after the window and it lasts", () =>
      Effect.gen(function*() {
        const { channel, component, hidden, shop, showTimeIsOver, story, dataOf, workspaceId } = yield* planned
        yield* paging(workspaceId, channel.id)
        const window = yield* running(workspaceId, { componentIds: [component.id] })
        yield* window.end
        yield* shop.reach(yield* slotNow, "down")
        expect(yield* heard(workspaceId)).toEqual([])
        yield* until(hidden, ([row]) => {
          const wait = (row?.showAt.getTime() ?? 0) - Date.now()
          return wait > 60_000 && wait < 130_000
        })
        expect(yield* dataOf(["incident.escalated"])).toEqual([])
        yield* graceIsOver(workspaceId)
        yield* until(heard(workspaceId), (all) => all.includes("Shop monitor.down"))
        yield* showTimeIsOver
        yield* until(story, (all) => all.length === 2)
        yield* until(dataOf(["incident.escalated"]), (all) => all.length === 1)
      }))

    it.effect("is shown immediately by a component that is not in maintenance, and by the other one afterwards", () =>
      Effect.gen(function*() {
        const { component, create, page, shop, showTimeIsOver, story, dataOf, workspaceId } = yield* planned
        const other = yield* create(workspaceId, page.id, { name: "Orders", monitorIds: [shop.id] })
        const window = yield* running(workspaceId, { componentIds: [component.id] })
        yield* shop.reach(1, "down")
        yield* until(story, (all) => all.length === 1)
        expect(yield* story).toEqual([["incident.created", true, "We are investigating a problem with Orders."]])
        yield* window.end
        yield* heard(workspaceId)
        yield* showTimeIsOver
        yield* until(story, (all) => all.length === 2)
        expect((yield* dataOf(["incident.updated"]))[0].incident.components).toEqual([
          { componentId: other.id, status: "major_outage" },
          { componentId: component.id, status: "major_outage" }
        ])
      }))
  })

  describe("an outage in a window that no longer covers it", () => {
    type Planned = Effect.Effect.Success<typeof planned>

    const components = Effect.all([ManageComponents, ManagePages, ChangePage])
    const changes = {
      "the component no longer follows the monitor": ({ component, workspaceId }: Planned) =>
        Effect.flatMap(components, ([{ update }]) => update(workspaceId, component.id, { manual: true })),
      "the component is deleted": ({ component, workspaceId }: Planned) =>
        Effect.flatMap(components, ([{ remove }]) => remove(workspaceId, component.id)),
      "its page is deleted": ({ page, workspaceId }: Planned) =>
        Effect.flatMap(components, ([, , { remove }]) => remove(workspaceId, page.id))
    }

    for (const [name, change] of Object.entries(changes)) {
      it.effect(`is alerted when ${name}`, () =>
        Effect.gen(function*() {
          const all = yield* planned
          const { component, shop, workspaceId } = all
          yield* running(workspaceId, { componentIds: [component.id] })
          yield* shop.reach(1, "down")
          expect(yield* heard(workspaceId)).toEqual([])
          yield* change(all)
          yield* until(heard(workspaceId), (texts) => texts.length > 0)
          expect(yield* heard(workspaceId)).toEqual(["Shop monitor.down"])
        }))
    }

    it.effect("is alerted and shown after its time to recover when the window hands the component back, and no other is", () =>
      Effect.gen(function*() {
        const { component, create, hidden, monitor, page, shop, showTimeIsOver, sql, story, workspaceId } = yield* planned
        const cart = yield* monitor("Cart")
        yield* create(workspaceId, page.id, { name: "Carts", monitorIds: [cart.id] })
        const { id } = yield* running(workspaceId, { pageIds: [page.id] })
        for (const one of [shop, cart]) yield* one.reach(1, "down")
        expect(yield* heard(workspaceId)).toEqual([])
        const { post } = yield* UpdateIncident
        yield* post(workspaceId, id, {
          message: "Checkout is done.",
          components: [{ componentId: component.id, status: "operational" }]
        })
        const soon = sql`
          select from dependent_troubles where monitor_id = ${shop.id} and due_at < now() + interval '90 seconds'`
        yield* until(soon, (rows) => rows.length === 1)
        yield* until(hidden, (rows) => rows.some(({ showAt }) => showAt.getTime() < Date.now() + 90_000))
        yield* graceIsOver(workspaceId)
        yield* showTimeIsOver
        yield* until(story, (all) => all.some(([, isPublic]) => isPublic))
        expect(yield* heard(workspaceId)).toEqual(["Shop monitor.down"])
        expect((yield* story).filter(([, isPublic]) => isPublic)).toEqual([
          ["incident.updated", true, "We are investigating a problem with Checkout."]
        ])
      }))
  })

  describe("maintenance of a whole page", () => {
    it.effect("keeps back the alerts and incidents of all monitors behind it, and no others", () =>
      Effect.gen(function*() {
        const { create, hidden, monitor, page, shop, story, workspaceId } = yield* planned
        const [other, later] = [yield* monitor("Other"), yield* monitor("Later")]
        const { end, mutes } = yield* running(workspaceId, { pageIds: [page.slug] })
        expect(mutes).toEqual({ count: 1, monitors: [{ id: shop.id, name: "Shop" }] })
        // The page gets it while its maintenance runs.
        yield* create(workspaceId, page.id, { name: "Carts", monitorIds: [later.id] })
        for (const one of [shop, other, later]) yield* one.reach(1, "down")
        expect(yield* heard(workspaceId)).toEqual(["Other monitor.down"])
        expect((yield* story).map(([, isPublic]) => isPublic)).toEqual([false, false, false])
        expect(yield* hidden).toHaveLength(2)
        yield* end
        yield* heard(workspaceId)
        yield* graceIsOver(workspaceId)
        expect((yield* heard(workspaceId)).toSorted()).toEqual(["Later monitor.down", "Other monitor.down", "Shop monitor.down"])
      }))

    it.effect("covers components that report by a majority of monitors, and lets people rest", () =>
      Effect.gen(function*() {
        const { channel, component, create, monitor, page, shop, story, dataOf, workspaceId } = yield* planned
        yield* Effect.flatMap(ManageComponents, ({ remove }) => remove(workspaceId, component.id))
        const cart = yield* monitor("Cart")
        yield* create(workspaceId, page.id, { name: "Checkout", monitorIds: [shop.id, cart.id], aggregate: "majority" })
        yield* Effect.flatMap(ManagePolicies, ({ create }) =>
          create(workspaceId, {
            name: "Platform",
            pageIds: [page.id],
            levels: [{ afterMinutes: 0, targets: [{ type: "channel", id: channel.id }] }]
          }))
        const { end } = yield* running(workspaceId, { pageIds: [page.id] })
        yield* until(dataOf(["component.status_changed"]), (all) => all.some(({ to }) => to === "maintenance"))
        for (const one of [shop, cart]) yield* one.reach(yield* slotNow, "down")
        expect(yield* heard(workspaceId)).toEqual([])
        expect((yield* story).filter(([, isPublic]) => isPublic)).toEqual([])
        expect(yield* dataOf(["incident.escalated"])).toEqual([])
        yield* end
        yield* until(story, (all) => all.some(([, isPublic]) => isPublic))
      }))

    it.effect("leaves out a component that an update hands back", () =>
      Effect.gen(function*() {
        const { component, create, monitor, page, shop, workspaceId } = yield* planned
        const cart = yield* monitor("Cart")
        yield* create(workspaceId, page.id, { name: "Carts", monitorIds: [cart.id] })
        const { id } = yield* running(workspaceId, { pageIds: [page.id] })
        const { post } = yield* UpdateIncident
        const { mutes } = yield* post(workspaceId, id, {
          message: "Checkout is done.",
          components: [{ componentId: component.id, status: "operational" }]
        })
        expect(mutes).toEqual({ count: 1, monitors: [{ id: cart.id, name: "Cart" }] })
        for (const one of [shop, cart]) yield* one.reach(1, "down")
        expect(yield* heard(workspaceId)).toEqual(["Shop monitor.down"])
      }))
  })

  describe("maintenance", () => {
    it.effect("keeps back that a monitor is degraded, as by a certificate that ends soon", () =>
      Effect.gen(function*() {
        const { page, shop, workspaceId } = yield* planned
        yield* running(workspaceId, { pageIds: [page.id] })
        yield* shop.reach(1, "degraded")
        yield* shop.reach(2, "up")
        expect(yield* heard(workspaceId)).toEqual([])
      }))

    it.effect("keeps nothing back of an outage that began before it", () =>
      Effect.gen(function*() {
        const { component, shop, sql, workspaceId } = yield* planned
        yield* shop.reach(1, "down")
        expect(yield* heard(workspaceId)).toEqual(["Shop monitor.down"])
        const { id } = yield* running(workspaceId, { componentIds: [component.id] })
        yield* sql`update incidents set started_at = now() where id = ${id}`
        yield* sql`update monitors set reminder_minutes = '{5}' where workspace_id = ${workspaceId}`
        const [incident] = yield* sql<{ readonly id: string }>`
          update incidents set started_at = now() - interval '6 minutes' where workspace_id = ${workspaceId} and automatic
          returning id`
        yield* sql`
          insert into incident_alerting (incident_id, workspace_id, unacknowledged_since, reminded_minutes)
          values (${incident!.id}, ${workspaceId}, now() - interval '6 minutes', 0)`
        yield* sql`
          insert into alarms (kind, id, workspace_id, due_at) values ('incident', ${incident!.id}, ${workspaceId}, now())
          on conflict (kind, id) do update set due_at = now()`
        yield* sql`select pg_notify('belltower_alarms', '')`
        yield* until(heard(workspaceId), (all) => all.length === 2)
        yield* shop.reach(2, "up")
        expect(yield* heard(workspaceId)).toEqual(["Shop monitor.down", "Shop monitor.reminder", "Shop monitor.up"])
      }))

    it.effect("that nobody has completed keeps nothing back once it should be over", () =>
      Effect.gen(function*() {
        const { component, shop, sql, story, workspaceId } = yield* planned
        const { id } = yield* running(workspaceId, { componentIds: [component.id] })
        yield* sql`delete from alarms where kind = 'incident' and id = ${id}`
        yield* sql`update incidents set scheduled_end = now() - interval '31 seconds' where id = ${id}`
        yield* shop.reach(1, "down")
        expect(yield* heard(workspaceId)).toEqual(["Shop monitor.down"])
        expect((yield* story)[0]?.[1]).toBe(true)
      }))

    it.effect("of another workspace or component keeps nothing back", () =>
      Effect.gen(function*() {
        const [here, there] = [yield* planned, yield* planned]
        const other = yield* here.create(here.workspaceId, here.page.id, { name: "Other" })
        yield* running(here.workspaceId, { componentIds: [other.id] })
        yield* running(there.workspaceId, { componentIds: [there.component.id] })
        yield* here.shop.reach(1, "down")
        expect(yield* heard(here.workspaceId)).toEqual(["Shop monitor.down"])
      }))

    it.effect("lets a component whose own reports say that it fails open no incident before it is over", () =>
      Effect.gen(function*() {
        const { create, page, story, dataOf, workspaceId } = yield* planned
        const queue = yield* create(workspaceId, page.id, { name: "Queue", push: true, confirmations: 1 })
        const window = yield* running(workspaceId, { componentIds: [queue.id] })
        const token = queue.pushUrl!.split("/").at(-1)!
        yield* Effect.flatMap(TakePush, ({ take }) => take(token, { status: "major_outage", confirmed: true }))
        yield* until(dataOf(["component.status_changed"]), (all) => all.length > 0)
        expect(yield* story).toEqual([])
        yield* window.end
        yield* until(story, (all) => all.length === 1)
        expect((yield* story)[0]?.[0]).toBe("incident.created")
      }))
  })
})
