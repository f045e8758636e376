/** Monitors that depend on others, on a runner: a parent that is down keeps the alerts of its children back. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Option } from "effect"
import { type ChannelId, IncidentId, type MonitorId, type WorkspaceId } from "../../../schema/Ids.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { AcknowledgeIncident } from "../../../src/operations/incident/AcknowledgeIncident.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { ManagePolicies } from "../../../src/operations/oncall/ManagePolicies.ts"
import { KeptBackTroubles } from "../../../src/store/alert/KeptBackTroubles.ts"
import { waitingAlertsSignal } from "../../../src/store/alert/WaitingAlertsSignal.ts"
import { Monitors } from "../../../src/store/monitor/Monitors.ts"
import { holding } from "../../support/database/LockedWorkspace.ts"
import { newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"
import { acknowledge, setUp } from "./AlertedWorkspace.ts"
import { graceIsOver, heard } from "./Heard.ts"

layer(
  Layer.provideMerge(Layer.mergeAll(ManageChannels.Default, ManagePolicies.Default, AcknowledgeIncident.Default), TestRunner),
  { excludeTestServices: true }
)(
  (it) => {
    const family = Effect.gen(function*() {
      const { monitor, workspaceId } = yield* setUp("webhook")
      const parent = yield* monitor("Router")
      const child = yield* monitor("Shop", { dependsOn: [parent.id] })
      return { workspaceId, parent, child, monitor }
    })

    describe("a parent that is down", () => {
      it.effect("keeps back the alerts of its children, not their states and incidents", () =>
        Effect.gen(function*() {
          const { child, parent, workspaceId } = yield* family
          yield* parent.reach(1, "down")
          yield* child.reach(1, "down")
          expect(yield* heard(workspaceId)).toEqual(["Router monitor.down"])
          const found = Option.getOrThrow(yield* Effect.flatMap(Monitors, (monitors) => monitors.find(workspaceId, child.id)))
          expect(found).toMatchObject({ state: "down", dependsOn: [parent.id] })
          expect(found.incidentId).not.toBe(null)
          // Nobody heard of the child's outage, so nobody hears of its end.
          yield* child.reach(2, "up")
          yield* parent.reach(2, "up")
          expect(yield* heard(workspaceId)).toEqual(["Router monitor.down", "Router monitor.up"])
        }))

      it.effect("does not keep back the recovery of a child whose outage was announced before", () =>
        Effect.gen(function*() {
          const { child, parent, workspaceId } = yield* family
          yield* child.reach(1, "down")
          expect(yield* heard(workspaceId)).toEqual(["Shop monitor.down"])
          yield* parent.reach(1, "down")
          yield* child.reach(2, "up")
          expect(yield* heard(workspaceId)).toEqual(["Shop monitor.down", "Router monitor.down", "Shop monitor.up"])
        }))

      it.effect("does not know of a child's outage that was announced before a pause, nor of an alert that waited then", () =>
        Effect.gen(function*() {
          const { child, parent, workspaceId } = yield* family
          const sql = yield* SqlClient.SqlClient
          const { update } = yield* ManageMonitors
          const rest = Effect.gen(function*() {
            yield* update(workspaceId, child.id, { paused: true })
            yield* until(
              sql`select from monitor_states where monitor_id = ${child.id} and state = 'paused'`,
              (rows) => rows.length === 1
            )
            expect(yield* sql`select from dependent_troubles where monitor_id = ${child.id}`).toEqual([])
            yield* update(workspaceId, child.id, { paused: false })
          })
          yield* child.reach(1, "down")
          expect(yield* heard(workspaceId)).toEqual(["Shop monitor.down"])
          yield* rest
          yield* child.reach(2, "up")
          yield* parent.reach(1, "down")
          yield* child.reach(3, "down")
          expect(yield* heard(workspaceId)).toEqual(["Shop monitor.down", "Router monitor.down"])
          yield* rest
          yield* child.reach(4, "down")
          yield* child.reach(5, "up")
          expect(yield* heard(workspaceId)).toEqual(["Shop monitor.down", "Router monitor.down"])
        }))

      it.effect("recovers: children that are still down after their time to recover alert, once, and then their end", () =>
        Effect.gen(function*() {
          const { child, monitor, parent, workspaceId } = yield* family
          const other = yield* monitor("Search", { dependsOn: [parent.id] })
          yield* parent.reach(1, "down")
          yield* child.reach(1, "down")
          yield* other.reach(1, "down")
          expect(yield* heard(workspaceId)).toEqual(["Router monitor.down"])
          // While the parent is down, a look changes nothing.
          yield* graceIsOver(workspaceId)
          expect(yield* heard(workspaceId)).toEqual(["Router monitor.down"])
          yield* parent.reach(2, "up")
          yield* other.reach(2, "up")
          expect(yield* heard(workspaceId)).toEqual(["Router monitor.down", "Router monitor.up"])
          yield* graceIsOver(workspaceId)
          expect(yield* heard(workspaceId)).toEqual(["Router monitor.down", "Router monitor.up", "Shop monitor.down"])
          yield* graceIsOver(workspaceId)
          yield* child.reach(2, "up")
          expect(yield* heard(workspaceId))
            .toEqual(["Router monitor.down", "Router monitor.up", "Shop monitor.down", "Shop monitor.up"])
        }))

      it.effect(
        "recovers: the child of a workspace that somebody has locked delays no child of others, and alerts afterwards",
        () =>
          Effect.gen(function*() {
            const [locked, other] = [yield* family, yield* family]
            for (const { child, parent, workspaceId } of [locked, other]) {
              yield* parent.reach(1, "down")
              yield* child.reach(1, "down")
              yield* heard(workspaceId)
              yield* parent.reach(2, "up")
              yield* heard(workspaceId)
            }
            const release = yield* holding((sql) => sql`select from events where workspace_id = ${locked.workspaceId} for update`)
            const sql = yield* SqlClient.SqlClient
            // The locked one is due first.
            for (const [{ workspaceId }, since] of [[locked, "2 seconds"], [other, "1 second"]] as const) {
              yield* sql`
              update dependent_troubles set due_at = now() - ${since}::interval
              where workspace_id = ${workspaceId} and due_at is not null`
            }
            yield* sql`select pg_notify(${waitingAlertsSignal}, '')`
            const alerted = ({ workspaceId }: typeof locked) =>
              sql`
            select from deliveries d join events e on e.workspace_id = d.workspace_id and e.id = d.event_id
            where d.workspace_id = ${workspaceId} and e.type = 'monitor.down' and e.data -> 'monitor' ->> 'name' = 'Shop'`
            // Well within the ten seconds that a statement waits for a lock.
            yield* until(alerted(other), (rows) => rows.length === 1, "7 seconds")
            expect(yield* alerted(locked)).toEqual([])
            yield* release
            yield* until(alerted(locked), (rows) => rows.length === 1)
          }),
        60_000
      )

      it.effect("recovers: the acknowledgement of a child's outage follows the alert that waited", () =>
        Effect.gen(function*() {
          const { child, parent, workspaceId } = yield* family
          yield* parent.reach(1, "down")
          yield* child.reach(1, "down")
          yield* acknowledge(workspaceId, child.id)
          yield* parent.reach(2, "up")
          expect(yield* heard(workspaceId)).toEqual(["Router monitor.down", "Router monitor.up"])
          yield* graceIsOver(workspaceId)
          const alerted = yield* heard(workspaceId)
          expect(alerted.slice(2).sort()).toEqual([" incident.acknowledged", "Shop monitor.down"])
        }))

      it.effect("recovers: until the child's alert is sent, it keeps back the pages of its own incident, not of a later one", () =>
        Effect.gen(function*() {
          const { child, parent, workspaceId } = yield* family
          yield* parent.reach(1, "down")
          yield* child.reach(1, "down")
          yield* heard(workspaceId)
          yield* parent.reach(2, "up")
          yield* heard(workspaceId)
          const { incidentId } = Option.getOrThrow(yield* Effect.flatMap(Monitors, (all) => all.find(workspaceId, child.id)))
          const now = yield* DateTime.now
          const { keptBack } = yield* KeptBackTroubles
          const isKeptBack = (id: IncidentId) =>
            Effect.map(keptBack(workspaceId, child.id, { id, openedAt: now }, now), Option.isSome)
          expect(yield* isKeptBack(incidentId ?? IncidentId.make("inc_0"))).toBe(true)
          expect(yield* isKeptBack(IncidentId.make("inc_1"))).toBe(false)
        }))

      const ends = {
        recovers: ({ parent }: Effect.Effect.Success<typeof family>) => parent.reach(2, "up"),
        "is deleted": ({ parent, workspaceId }: Effect.Effect.Success<typeof family>) =>
          Effect.flatMap(ManageMonitors, ({ remove }) => remove(workspaceId, parent.id))
      }

      for (const [name, end] of Object.entries(ends)) {
        it.effect(`${name}: the pages about a child's outage from before wait for its time to recover, not longer`, () =>
          Effect.gen(function*() {
            const all = yield* family
            const { child, parent, workspaceId } = all
            const sql = yield* SqlClient.SqlClient
            yield* child.reach(1, "down")
            yield* parent.reach(1, "down")
            yield* heard(workspaceId)
            const { incidentId } = Option.getOrThrow(yield* Effect.flatMap(Monitors, ({ find }) => find(workspaceId, child.id)))
            const inFiveMinutes = DateTime.toDateUtc(DateTime.add(yield* DateTime.now, { minutes: 5 }))
            yield* sql`
              insert into alarms (kind, id, workspace_id, due_at) values ('incident', ${incidentId}, ${workspaceId}, ${inFiveMinutes})
              on conflict (kind, id) do update set due_at = excluded.due_at`
            yield* end(all)
            yield* heard(workspaceId)
            const soon = sql`select from alarms where id = ${incidentId} and due_at <= now() + interval '80 seconds'`
            expect(yield* soon).toHaveLength(1)
          }))
      }

      it.effect("is deleted: its children alert then", () =>
        Effect.gen(function*() {
          const { child, parent, workspaceId } = yield* family
          yield* parent.reach(1, "down")
          yield* child.reach(1, "down")
          expect(yield* heard(workspaceId)).toEqual(["Router monitor.down"])
          yield* Effect.flatMap(ManageMonitors, ({ remove }) => remove(workspaceId, parent.id))
          yield* heard(workspaceId)
          yield* graceIsOver(workspaceId)
          expect((yield* heard(workspaceId)).at(-1)).toBe("Shop monitor.down")
          const found = Option.getOrThrow(yield* Effect.flatMap(Monitors, (monitors) => monitors.find(workspaceId, child.id)))
          expect(found.dependsOn).toEqual([])
        }))

      it.effect("is detached from a child: the child's alert is sent then", () =>
        Effect.gen(function*() {
          const { child, monitor, parent, workspaceId } = yield* family
          const other = yield* monitor("Search", { dependsOn: [parent.id] })
          const { update } = yield* ManageMonitors
          const sql = yield* SqlClient.SqlClient
          yield* parent.reach(1, "down")
          yield* child.reach(1, "down")
          yield* other.reach(1, "down")
          expect(yield* heard(workspaceId)).toEqual(["Router monitor.down"])
          yield* update(workspaceId, other.id, { name: "Search engine" })
          yield* update(workspaceId, child.id, { dependsOn: [] })
          yield* until(
            sql`select from dependent_troubles where monitor_id = ${child.id} and due_at is not null`,
            (waiting) => waiting.length === 0
          )
          expect(yield* heard(workspaceId)).toEqual(["Router monitor.down", "Shop monitor.down"])
        }))

      it.effect("is paused: its children alert once they have had their time to recover", () =>
        Effect.gen(function*() {
          const { child, parent, workspaceId } = yield* family
          const sql = yield* SqlClient.SqlClient
          yield* parent.reach(1, "down")
          yield* child.reach(1, "down")
          expect(yield* heard(workspaceId)).toEqual(["Router monitor.down"])
          yield* Effect.flatMap(ManageMonitors, ({ update }) => update(workspaceId, parent.id, { paused: true }))
          const soon = sql`
            select from dependent_troubles where monitor_id = ${child.id} and due_at < now() + interval '2 minutes'`
          yield* until(soon, (rows) => rows.length === 1)
          yield* graceIsOver(workspaceId)
          expect(yield* heard(workspaceId)).toEqual(["Router monitor.down", "Shop monitor.down"])
        }))
    })

    it.effect("a parent that has failed without confirmation keeps its children's alerts back until its checks decide", () =>
      Effect.gen(function*() {
        const { monitor, workspaceId } = yield* setUp("webhook")
        const sql = yield* SqlClient.SqlClient
        const parent = yield* monitor("Router", { failureThreshold: 2 })
        const child = yield* monitor("Shop", { dependsOn: [parent.id] })
        yield* parent.reach(1, "up")
        yield* parent.fail(2)
        yield* until(
          sql`select from monitor_states where monitor_id = ${parent.id} and (machine ->> 'failures')::int = 1`,
          (rows) => rows.length === 1
        )
        yield* child.reach(1, "down")
        expect(yield* heard(workspaceId)).toEqual([])
        // The parent was not confirmed within its time: the child alerts.
        yield* graceIsOver(workspaceId)
        expect(yield* heard(workspaceId)).toEqual(["Shop monitor.down"])
      }))

    it.effect("a parent that is down keeps the reminders of its children back", () =>
      Effect.gen(function*() {
        const { monitor, workspaceId } = yield* setUp("webhook")
        const sql = yield* SqlClient.SqlClient
        const parent = yield* monitor("Router")
        const child = yield* monitor("Shop", { dependsOn: [parent.id], reminderMinutes: [5] })
        yield* parent.reach(1, "down")
        yield* child.reach(1, "down")
        const incident = sql`select from alarms where kind = 'incident' and due_at > now() + interval '30 seconds'
        and id in (select id from incidents where monitor_id = ${child.id})`
        yield* until(incident, (rows) => rows.length === 1)
        yield* sql`update incidents set started_at = now() - interval '6 minutes' where monitor_id = ${child.id}`
        yield* sql`update incident_alerting set reminded_minutes = 0 where workspace_id = ${workspaceId}`
        yield* sql`
        update alarms set due_at = now() where kind = 'incident'
          and id in (select id from incidents where monitor_id = ${child.id})`
        yield* sql`select pg_notify('belltower_alarms', '')`
        yield* until(incident, (rows) => rows.length === 1)
        expect(yield* heard(workspaceId)).toEqual(["Router monitor.down"])
      }))

    describe("a page about a child whose parent is down", () => {
      /** The titles of the incidents about which somebody was paged. */
      const paged = (workspaceId: WorkspaceId) =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const rows = yield* sql<{ readonly name: string }>`
          select data -> 'monitor' ->> 'name' as name from events
          where workspace_id = ${workspaceId} and type = 'incident.escalated' order by id`
          return rows.map(({ name }) => name)
        })

      /** A second look of the child's incident, as when its next page is due. */
      const looksAgain = (childId: MonitorId) =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const incident = sql`select from alarms where kind = 'incident' and due_at > now() + interval '30 seconds'
          and id in (select id from incidents where monitor_id = ${childId})`
          yield* until(incident, (rows) => rows.length === 1)
          yield* sql`
          update alarms set due_at = now() where kind = 'incident'
            and id in (select id from incidents where monitor_id = ${childId})`
          yield* sql`select pg_notify('belltower_alarms', '')`
          yield* until(incident, (rows) => rows.length === 1)
        })

      const pager = (workspaceId: WorkspaceId, channelId: ChannelId, scope: Partial<Parameters<ManagePolicies["create"]>[1]>) =>
        Effect.flatMap(ManagePolicies, ({ create }) =>
          create(workspaceId, {
            name: "Platform",
            isDefault: false,
            levels: [{ afterMinutes: 0, targets: [{ type: "channel", id: channelId }] }],
            repeat: 1,
            repeatAfterMinutes: 60,
            ...scope
          }))

      it.effect("waits while people are paged about the parent", () =>
        Effect.gen(function*() {
          const { channel, monitor, workspaceId } = yield* setUp("webhook")
          const parent = yield* monitor("Router")
          const child = yield* monitor("Shop", { dependsOn: [parent.id] })
          yield* pager(workspaceId, channel.id, { isDefault: true })
          yield* parent.reach(1, "down")
          yield* until(paged(workspaceId), (found) => found.length === 1)
          yield* child.reach(1, "down")
          yield* looksAgain(child.id)
          expect(yield* paged(workspaceId)).toEqual(["Router"])
          expect(yield* heard(workspaceId)).not.toContain("Shop monitor.down")
        }))

      it.effect("reaches its people if nobody is paged about the parent, and only the alert waits", () =>
        Effect.gen(function*() {
          const { channel, monitor, workspaceId } = yield* setUp("webhook")
          const parent = yield* monitor("Router")
          const child = yield* monitor("Shop", { dependsOn: [parent.id], reminderMinutes: [5] })
          // A default policy would page about the parent, too.
          yield* pager(workspaceId, channel.id, { monitorIds: [child.id] })
          yield* parent.reach(1, "down")
          yield* child.reach(1, "down")
          yield* until(paged(workspaceId), (found) => found.length === 1)
          expect(yield* paged(workspaceId)).toEqual(["Shop"])
          const sql = yield* SqlClient.SqlClient
          yield* sql`update incidents set started_at = now() - interval '6 minutes' where monitor_id = ${child.id}`
          yield* looksAgain(child.id)
          expect((yield* heard(workspaceId)).sort()).toEqual(["Router monitor.down", "Shop incident.escalated"])
        }))
    })

    it.effect("cycles and monitors of others are refused", () =>
      Effect.gen(function*() {
        const { create, update } = yield* ManageMonitors
        const { id: workspaceId } = yield* newWorkspace
        const url = "https://shop.test/"
        const a = yield* create(workspaceId, { name: "A", url })
        const b = yield* create(workspaceId, { name: "B", url, dependsOn: [a.id] })
        const c = yield* create(workspaceId, { name: "C", url, dependsOn: [b.id] })
        for (const parents of [[a.id], [b.id], [c.id]]) {
          const refused = yield* Effect.flip(update(workspaceId, a.id, { dependsOn: parents }))
          expect(refused).toMatchObject({ _tag: "validation_failed", details: [{ path: "dependsOn.0" }] })
        }
        expect((yield* update(workspaceId, c.id, { dependsOn: [a.id, b.id] })).dependsOn).toEqual([a.id, b.id])
        const { id: elsewhere } = yield* newWorkspace
        const refused = yield* Effect.flip(create(elsewhere, { name: "D", url, dependsOn: [a.id] }))
        expect(refused).toMatchObject({ _tag: "validation_failed", details: [{ path: "dependsOn.0" }] })
      }))
  }
)
