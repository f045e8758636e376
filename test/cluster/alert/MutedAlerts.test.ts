/** Mutes on a runner: the alerts about muted monitors, and their times. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import type { EventType } from "../../../schema/event/Event.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { MuteInput } from "../../../schema/mute/Mute.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { AcknowledgeIncident } from "../../../src/operations/incident/AcknowledgeIncident.ts"
import { PassOnIncident } from "../../../src/operations/incident/PassOnIncident.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { ManageMutes } from "../../../src/operations/mute/ManageMutes.ts"
import { ManagePolicies } from "../../../src/operations/oncall/ManagePolicies.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { ReadPagings } from "../../../src/operations/paging/ReadPagings.ts"
import { waitingAlertsSignal } from "../../../src/store/alert/WaitingAlertsSignal.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { callerOf } from "../../support/program/KeyCaller.ts"
import { TestRunner } from "../../support/program/TestRunner.ts"
import type { Json } from "../../support/program/TestServer.ts"
import { until } from "../../support/time/Until.ts"
import { setUp, slotNow } from "./AlertedWorkspace.ts"
import { graceIsOver, heard as heardOf } from "./Heard.ts"

const operations = Layer.mergeAll(
  AcknowledgeIncident.Default,
  ManageChannels.Default,
  ManageMutes.Default,
  ManagePolicies.Default,
  PassOnIncident.Default,
  ReadPagings.Default
)

const hour = { durationSec: 3600 }

const workspace = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { channel, monitor, workspaceId } = yield* setUp("webhook")
  const { create, end, get } = yield* ManageMutes
  const log = yield* EventLog
  const heard = heardOf(workspaceId)
  const events = (types: ReadonlyArray<EventType>) =>
    Effect.map(
      log.after(workspaceId, "", [...types], 100),
      (found): ReadonlyArray<Json> => found.map(({ data, type }) => ({ type, ...data }))
    )
  const mute = (input: MuteInput) => create(callerOf(workspaceId), input)
  /** The time of a mute passes while the runner works. */
  const passed = (id: string) =>
    Effect.gen(function*() {
      yield* sql`update mutes set until = now() where id = ${id}`
      yield* sql`select pg_notify(${waitingAlertsSignal}, '')`
      yield* until(events(["mute.ended"]), (all) => all.some((one) => one.mute.id === id))
    })
  /** The actors of incidents take the steps that their alarms would take later. */
  const incidentsWake = Effect.gen(function*() {
    yield* sql`update alarms set due_at = now() where kind = 'incident' and workspace_id = ${workspaceId}`
    yield* sql`select pg_notify('belltower_alarms', '')`
    // One that a turn holds is due again 30 seconds later.
    const due = sql`
      select from alarms where kind = 'incident' and workspace_id = ${workspaceId} and due_at <= now() + interval '40 seconds'`
    yield* until(due, (rows) => rows.length === 0)
  })
  return { sql, workspaceId, channel, monitor, mute, end, get, heard, events, passed, incidentsWake }
})

/** A policy that pages the channel, and again an hour later. */
const policy = (workspaceId: WorkspaceId, channelId: Parameters<typeof String>[0], more: Json = {}) =>
  Effect.flatMap(ManagePolicies, ({ create }) =>
    create(workspaceId, {
      name: "Platform",
      isDefault: true,
      levels: [{ afterMinutes: 0, targets: [{ type: "channel", id: String(channelId) }] }],
      repeat: 1,
      repeatAfterMinutes: 60,
      ...more
    }))

layer(Layer.provideMerge(operations, TestRunner), { excludeTestServices: true })((it) => {
  describe("a muted monitor", () => {
    it.effect("has its states, incidents and events, and nobody is alerted of an outage that ends in the mute", () =>
      Effect.gen(function*() {
        const { events, heard, monitor, mute } = yield* workspace
        const shop = yield* monitor("Shop")
        yield* mute({ monitorIds: [shop.id], ...hour })
        yield* shop.reach(1, "degraded")
        yield* shop.reach(2, "down")
        yield* shop.reach(3, "up")
        expect(yield* heard).toEqual([])
        const types = (yield* events(["monitor.degraded", "monitor.down", "monitor.up", "incident.created", "incident.resolved"]))
          .map(({ type }) => type)
        expect(types.toSorted()).toEqual(
          ["incident.created", "incident.resolved", "monitor.degraded", "monitor.down", "monitor.up"]
        )
      }))

    it.effect("that is still down after the mute alerts once it has had its time to recover, and then tells its end", () =>
      Effect.gen(function*() {
        const { heard, monitor, mute, passed, sql, workspaceId } = yield* workspace
        const shop = yield* monitor("Shop")
        const { id } = yield* mute({ all: true, ...hour })
        yield* shop.reach(1, "down")
        yield* graceIsOver(workspaceId)
        expect(yield* heard).toEqual([])
        yield* passed(id)
        // One round and its timeout.
        const review = sql`
          select from dependent_troubles where workspace_id = ${workspaceId}
            and due_at between now() + interval '40 seconds' and now() + interval '90 seconds'`
        yield* until(review, (rows) => rows.length === 1)
        expect(yield* heard).toEqual([])
        yield* graceIsOver(workspaceId)
        expect(yield* heard).toEqual(["Shop monitor.down"])
        yield* shop.reach(2, "up")
        expect(yield* heard).toEqual(["Shop monitor.down", "Shop monitor.up"])
      }))

    it.effect("alerts after a mute that somebody ended early, unless another one covers it", () =>
      Effect.gen(function*() {
        const { end, heard, monitor, mute, workspaceId } = yield* workspace
        const shop = yield* monitor("Shop", { tags: ["shop"] })
        const one = yield* mute({ monitorIds: [shop.id], ...hour })
        const other = yield* mute({ tags: ["shop"], ...hour })
        yield* shop.reach(1, "down")
        yield* end(workspaceId, one.id)
        yield* heard
        yield* graceIsOver(workspaceId)
        expect(yield* heard).toEqual([])
        expect((yield* end(workspaceId, other.id)).endedAt).not.toBeNull()
        yield* heard
        yield* graceIsOver(workspaceId)
        expect(yield* heard).toEqual(["Shop monitor.down"])
      }))

    it.effect("tells those who were alerted before the mute that the outage has ended", () =>
      Effect.gen(function*() {
        const { heard, monitor, mute } = yield* workspace
        const shop = yield* monitor("Shop")
        yield* shop.reach(1, "degraded")
        expect(yield* heard).toEqual(["Shop monitor.degraded"])
        yield* mute({ monitorIds: [shop.id], ...hour })
        yield* shop.reach(2, "down")
        expect(yield* heard).toEqual(["Shop monitor.degraded"])
        yield* shop.reach(3, "up")
        expect(yield* heard).toEqual(["Shop monitor.degraded", "Shop monitor.up"])
      }))

    it.effect("is any that has a tag of the mute, also one that gets it later", () =>
      Effect.gen(function*() {
        const { get, heard, monitor, mute, workspaceId } = yield* workspace
        const [shop, other] = [yield* monitor("Shop"), yield* monitor("Other")]
        const { id, mutes, warnings } = yield* mute({ tags: ["deploying"], ...hour })
        expect([mutes?.count, warnings]).toEqual([0, [expect.stringContaining("none has one of its tags now")]])
        yield* Effect.flatMap(ManageMonitors, ({ update }) => update(workspaceId, shop.id, { tags: ["deploying"] }))
        expect((yield* get(workspaceId, id)).mutes).toEqual({ count: 1, monitors: [{ id: shop.id, name: "Shop" }] })
        yield* shop.reach(1, "down")
        yield* other.reach(1, "down")
        expect(yield* heard).toEqual(["Other monitor.down"])
      }))

    it.effect("that loses the tag alerts then", () =>
      Effect.gen(function*() {
        const { heard, monitor, mute, sql, workspaceId } = yield* workspace
        const shop = yield* monitor("Shop", { tags: ["deploying", "web"] })
        yield* mute({ tags: ["deploying"], ...hour })
        yield* shop.reach(1, "down")
        expect(yield* heard).toEqual([])
        yield* Effect.flatMap(ManageMonitors, ({ update }) => update(workspaceId, shop.id, { tags: ["web"] }))
        yield* until(
          sql`select from dependent_troubles where monitor_id = ${shop.id} and due_at is not null`,
          (waiting) => waiting.length === 0
        )
        expect(yield* heard).toEqual(["Shop monitor.down"])
      }))

    it.effect("of another workspace is no other's", () =>
      Effect.gen(function*() {
        const [here, there] = [yield* workspace, yield* workspace]
        yield* there.mute({ all: true, ...hour })
        const shop = yield* here.monitor("Shop")
        yield* shop.reach(1, "down")
        expect(yield* here.heard).toEqual(["Shop monitor.down"])
      }))
  })

  describe("people", () => {
    it.effect("are not paged about a muted monitor before the mute is over", () =>
      Effect.gen(function*() {
        const { channel, end, events, heard, incidentsWake, monitor, mute, workspaceId } = yield* workspace
        yield* policy(workspaceId, channel.id)
        const shop = yield* monitor("Shop")
        const { id } = yield* mute({ monitorIds: [shop.id], ...hour })
        yield* shop.reach(1, "down")
        yield* incidentsWake
        expect(yield* events(["incident.escalated"])).toEqual([])
        yield* end(workspaceId, id)
        yield* heard
        yield* graceIsOver(workspaceId)
        yield* until(events(["incident.escalated"]), (all) => all.length === 1)
      }))

    it.effect("are not said to be paged by an escalation or a hand-over while pages wait, and the acknowledgement stays", () =>
      Effect.gen(function*() {
        const { channel, end, heard, monitor, mute, workspaceId } = yield* workspace
        yield* policy(workspaceId, channel.id)
        const shop = yield* monitor("Shop")
        yield* shop.reach(1, "down")
        const caller = callerOf(workspaceId)
        const { acknowledge } = yield* AcknowledgeIncident
        const { escalate } = yield* PassOnIncident
        const { get: pagingsOf } = yield* ReadPagings
        const wait = Effect.map(Effect.suspend(() => pagingsOf(workspaceId, id)), ({ pagesWait }) => pagesWait)
        const { id } = yield* acknowledge(caller, shop.id)
        expect(yield* wait).toBe(false)
        const { id: muteId } = yield* mute({ all: true, ...hour })
        expect(yield* wait).toBe(true)
        expect(yield* Effect.flip(escalate(caller, id, {}))).toMatchObject({
          _tag: "conflict",
          message: expect.stringContaining("Pages about this incident wait")
        })
        expect((yield* acknowledge(caller, id)).acknowledgement).not.toBeNull()
        yield* end(workspaceId, muteId)
        yield* heard
        expect(yield* wait).toBe(false)
        expect((yield* escalate(caller, id, {})).acknowledgement).toBeNull()
      }))

    it.effect("are neither reminded nor paged further about an outage from before the mute, until it is over", () =>
      Effect.gen(function*() {
        const { channel, end, events, heard, incidentsWake, monitor, mute, sql, workspaceId } = yield* workspace
        yield* policy(workspaceId, channel.id)
        const shop = yield* monitor("Shop", { reminderMinutes: [1] })
        yield* shop.reach(1, "down")
        yield* until(events(["incident.escalated"]), (all) => all.length === 1)
        // Before the mute: an alert that waits when a mute begins is kept back for another minute after its end.
        expect((yield* heard).toSorted()).toEqual(["Shop incident.escalated", "Shop monitor.down"])
        const { id } = yield* mute({ monitorIds: [shop.id], ...hour })
        const later = DateTime.toDateUtc(DateTime.subtract(yield* DateTime.now, { minutes: 90 }))
        // Locked, as by each step of the actor: one that has begun would overwrite these times.
        yield* sql.withTransaction(Effect.all([
          sql`select from incidents where workspace_id = ${workspaceId} for update`,
          sql`
            update incident_alerting set next_at = ${later}, unacknowledged_since = ${later}, reminded_minutes = 0
            where workspace_id = ${workspaceId}`,
          sql`update incidents set started_at = ${later} where workspace_id = ${workspaceId}`
        ]))
        yield* incidentsWake
        expect(yield* events(["incident.escalated"])).toHaveLength(1)
        expect(yield* events(["monitor.reminder"])).toEqual([])
        yield* end(workspaceId, id)
        yield* heard
        // One round and its timeout later, however long the mute would have lasted.
        const steps = sql<{ readonly isSoon: boolean }>`
          select due_at <= now() + interval '80 seconds' as "isSoon" from alarms
          where workspace_id = ${workspaceId} and kind = 'incident'`
        expect(yield* steps).toEqual([{ isSoon: true }])
        // The step from before may still set its next alarm, later than the one that wakes the actor here.
        yield* until(Effect.zipRight(incidentsWake, events(["incident.escalated"])), (all) => all.length === 2)
        expect(yield* events(["monitor.reminder"])).toHaveLength(1)
      }))

    it.effect("are not paged about a component whose monitors are all muted, and its page shows the outage", () =>
      Effect.gen(function*() {
        const { channel, end, events, incidentsWake, monitor, mute, sql, workspaceId } = yield* workspace
        const page = yield* Effect.flatMap(ManagePages, ({ create }) => create(workspaceId, { name: "Acme" }))
        yield* policy(workspaceId, channel.id, { pageIds: [page.id], isDefault: false })
        const monitors = [yield* monitor("Shop"), yield* monitor("Cart")]
        yield* Effect.flatMap(
          ManageComponents,
          ({ create }) =>
            create(workspaceId, page.id, { name: "Checkout", monitorIds: monitors.map(({ id }) => id), aggregate: "majority" })
        )
        const { id } = yield* mute({ all: true, ...hour })
        for (const one of monitors) yield* one.reach(yield* slotNow, "down")
        const shown = sql`
          select from incidents where workspace_id = ${workspaceId} and public and monitor_id is null and resolved_at is null`
        yield* until(shown, (rows) => rows.length === 1)
        yield* incidentsWake
        expect(yield* events(["incident.escalated"])).toEqual([])
        yield* end(workspaceId, id)
        yield* until(events(["incident.escalated"]), (all) => all.some(({ incident }) => incident.monitorId === null))
      }))
  })
})
