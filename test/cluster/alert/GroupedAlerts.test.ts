/** Storms and reminders on a runner: many failures become one message, and what stays down is reported again. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { QuietHoursInput } from "../../../schema/alert/QuietHours.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { AcknowledgeIncident } from "../../../src/operations/incident/AcknowledgeIncident.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { waitingAlertsSignal } from "../../../src/store/alert/WaitingAlertsSignal.ts"
import { holding, lockWorkspace } from "../../support/database/LockedWorkspace.ts"
import { callerOf } from "../../support/program/KeyCaller.ts"
import { TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"
import { acknowledge, setUp } from "./AlertedWorkspace.ts"
import { graceIsOver } from "./Heard.ts"

layer(Layer.provideMerge(Layer.merge(ManageChannels.Default, AcknowledgeIncident.Default), TestRunner), {
  excludeTestServices: true
})((it) => {
  describe("a storm", () => {
    it.effect("is the first alert immediately, then one message with the list, without what has ended meanwhile", () =>
      Effect.gen(function*() {
        const { channel, minutePasses, monitor, sent, waiting, workspaceId } = yield* setUp("slack")
        const first = yield* monitor("Gateway")
        yield* first.reach(1, "down")
        yield* until(sent, (rows) => rows.length === 1)
        const down = [yield* monitor("Shop"), yield* monitor("Search")] as const
        const short = yield* monitor("Blog")
        for (const one of [...down, short]) yield* one.reach(1, "down")
        yield* short.reach(2, "up")
        yield* until(waiting, (count) => count === 4)
        yield* minutePasses
        const [alone, message, ...others] = yield* until(sent, (rows) => rows.length > 1)
        expect(others).toEqual([])
        expect(alone).toMatchObject({ type: "monitor.down", data: { monitor: { _id: first.id } } })
        expect(alone?.body).toMatch(/http:\/\/belltower\.test\/ack\/[A-Za-z0-9_-]{82}/)
        expect(message).toMatchObject({
          type: "monitor.summary",
          data: {
            channel: { id: channel.id, name: "Team chat" },
            url: `http://belltower.test/app/monitors?workspace=${workspaceId}&state=down`,
            down: { count: 2, monitors: [{ _id: down[0].id }, { _id: down[1].id }] },
            up: { count: 0, monitors: [] },
            degraded: { count: 0, monitors: [] }
          }
        })
        expect(message?.body).toContain("2 monitors are down")
        expect(yield* waiting).toBe(0)
      }))

    it.effect("of one more monitor is that monitor's own alert, with the button that acknowledges it", () =>
      Effect.gen(function*() {
        const { groupsOpen, minutePasses, monitor, sent, waiting } = yield* setUp("slack")
        yield* groupsOpen
        yield* (yield* monitor("Shop")).reach(1, "down")
        yield* until(waiting, (count) => count === 1)
        expect(yield* sent).toEqual([])
        yield* minutePasses
        const rows = yield* until(sent, (found) => found.length > 0)
        expect(rows.map(({ type }) => type)).toEqual(["monitor.down"])
        expect(rows[0]?.body).toMatch(/http:\/\/belltower\.test\/ack\/[A-Za-z0-9_-]{82}/)
      }))

    it.effect("is one message if it comes at the same moment, and nothing if all that follows has ended", () =>
      Effect.gen(function*() {
        const { fannedOut, minutePasses, monitor, sent, waiting, workspaceId } = yield* setUp("slack")
        const release = yield* holding((sql) =>
          sql`select pg_advisory_xact_lock(hashtext('belltower_fan_out'), hashtext(${workspaceId}))`
        )
        for (const name of ["Shop", "Search"]) yield* (yield* monitor(name)).reach(1, "down")
        yield* release
        const [message] = yield* until(sent, (rows) => rows.length === 1)
        expect(message).toMatchObject({ type: "monitor.summary", data: { down: { count: 2 } } })
        const late = yield* monitor("Blog")
        yield* late.reach(1, "down")
        yield* late.reach(2, "up")
        yield* until(waiting, (count) => count === 2)
        yield* minutePasses
        yield* until(waiting, (count) => count === 0)
        yield* until(fannedOut, (all) => all)
        expect((yield* sent).length).toBe(1)
      }))

    it.effect("lets what becomes of the first alert leave promptly, and a new failure of that monitor wait", () =>
      Effect.gen(function*() {
        const { fannedOut, minutePasses, monitor, sent, waiting } = yield* setUp("slack")
        const [shop, blog] = [yield* monitor("Shop"), yield* monitor("Blog")]
        const typesOf = (rows: ReadonlyArray<{ readonly type: string }>) => rows.map(({ type }) => type)
        yield* shop.reach(1, "down")
        yield* until(sent, (rows) => rows.length === 1)
        yield* blog.reach(1, "down")
        yield* until(waiting, (count) => count === 1)
        yield* shop.reach(2, "up")
        expect(typesOf(yield* until(sent, (rows) => rows.length > 1))).toEqual(["monitor.down", "monitor.up"])
        expect(yield* waiting).toBe(1)
        yield* shop.reach(3, "down")
        yield* until(fannedOut, (all) => all)
        expect([yield* waiting, (yield* sent).length]).toEqual([2, 2])
        yield* minutePasses
        const [, , summary] = yield* until(sent, (rows) => rows.length > 2)
        expect(summary).toMatchObject({ type: "monitor.summary", data: { down: { count: 2 } } })
      }))

    it.effect("is over after its minute: the next alert leaves immediately, and a recovery of what was sent is sent", () =>
      Effect.gen(function*() {
        const { groupsOpen, minutePasses, monitor, sent, waiting } = yield* setUp("slack")
        yield* groupsOpen
        const shop = yield* monitor("Shop")
        yield* shop.reach(1, "down")
        yield* until(waiting, (count) => count === 1)
        yield* minutePasses
        yield* until(sent, (rows) => rows.length === 1)
        yield* shop.reach(2, "up")
        const rows = yield* until(sent, (found) => found.length > 1)
        expect(rows.map(({ type }) => type)).toEqual(["monitor.down", "monitor.up"])
      }))

    it.effect("of a workspace that somebody has locked holds up no summary of others, and is sent afterwards", () =>
      Effect.gen(function*() {
        const [locked, other] = [yield* setUp("slack"), yield* setUp("slack")]
        for (const { groupsOpen, monitor, waiting } of [locked, other]) {
          yield* groupsOpen
          for (const name of ["Shop", "Search"]) yield* (yield* monitor(name)).reach(1, "down")
          yield* until(waiting, (count) => count === 2)
        }
        const release = yield* lockWorkspace(locked.workspaceId)
        yield* locked.minutePasses
        yield* other.minutePasses
        const typesOf = (rows: ReadonlyArray<{ readonly type: string }>) => rows.map(({ type }) => type)
        // Well within the ten seconds that a statement waits for a lock.
        expect(typesOf(yield* until(other.sent, (rows) => rows.length > 0, "7 seconds"))).toEqual(["monitor.summary"])
        expect(yield* locked.sent).toEqual([])
        yield* release
        expect(typesOf(yield* until(locked.sent, (rows) => rows.length > 0))).toEqual(["monitor.summary"])
      }))

    it.effect("reaches a webhook, and a channel that does not group, one by one", () =>
      Effect.gen(function*() {
        for (const { sent, monitor, waiting } of [yield* setUp("webhook"), yield* setUp("slack", { groupAlerts: false })]) {
          for (const name of ["Shop", "Search"]) yield* (yield* monitor(name)).reach(1, "down")
          const rows = yield* until(sent, (found) => found.length === 2)
          expect(rows.map(({ type }) => type)).toEqual(["monitor.down", "monitor.down"])
          expect(yield* waiting).toBe(0)
        }
      }))
  })

  describe("an acknowledgement", () => {
    const typesOf = (rows: ReadonlyArray<{ readonly type: string }>) => rows.map(({ type }) => type)

    it.effect("that comes while its alert waits for others follows that alert, once", () =>
      Effect.gen(function*() {
        const { fannedOut, groupsOpen, minutePasses, monitor, sent, waiting, workspaceId } = yield* setUp("slack")
        yield* groupsOpen
        const { id, reach } = yield* monitor("Shop")
        yield* reach(1, "down")
        yield* until(waiting, (count) => count === 1)
        yield* acknowledge(workspaceId, id)
        yield* until(fannedOut, (all) => all)
        expect(yield* sent).toEqual([])
        yield* minutePasses
        const rows = yield* until(sent, (found) => found.length > 0)
        expect(typesOf(rows)).toEqual(["monitor.down", "incident.acknowledged"])
        expect(rows[1]?.body).toContain("acknowledged by")
      }))

    it.effect("that comes while a storm waits follows the summary", () =>
      Effect.gen(function*() {
        const { fannedOut, groupsOpen, minutePasses, monitor, sent, waiting, workspaceId } = yield* setUp("slack")
        yield* groupsOpen
        const [one, other] = [yield* monitor("Shop"), yield* monitor("Search")] as const
        for (const { reach } of [one, other]) yield* reach(1, "down")
        yield* until(waiting, (count) => count === 2)
        yield* acknowledge(workspaceId, one.id)
        yield* until(fannedOut, (all) => all)
        yield* minutePasses
        const rows = yield* until(sent, (found) => found.length === 2)
        expect(typesOf(rows).sort()).toEqual(["incident.acknowledged", "monitor.summary"])
        const sql = yield* SqlClient.SqlClient
        const late = yield* sql`
          select e.type from deliveries d join events e on e.workspace_id = d.workspace_id and e.id = d.event_id
          where d.workspace_id = ${workspaceId} and d.attempts = 0 and d.due_at > d.created_at`
        expect(late).toEqual([{ type: "incident.acknowledged" }])
      }))

    it.effect("that was taken back meanwhile is not sent, nor one of an outage that is over", () =>
      Effect.gen(function*() {
        const { fannedOut, groupsOpen, minutePasses, monitor, sent, waiting, workspaceId } = yield* setUp("slack")
        yield* groupsOpen
        const [one, other] = [yield* monitor("Shop"), yield* monitor("Search")] as const
        for (const { id, reach } of [one, other]) {
          yield* reach(1, "down")
          yield* acknowledge(workspaceId, id)
        }
        yield* Effect.flatMap(AcknowledgeIncident, ({ unacknowledge }) => unacknowledge(callerOf(workspaceId), one.id))
        yield* other.reach(2, "up")
        yield* until(waiting, (count) => count === 3)
        yield* until(fannedOut, (all) => all)
        yield* minutePasses
        yield* until(sent, (found) => found.length > 0)
        expect(typesOf(yield* sent)).toEqual(["monitor.down"])
      }))
  })

  describe("a monitor that flaps", () => {
    it.effect("is reported as flapping once, then not at all, and once when it is stable again", () =>
      Effect.gen(function*() {
        const { channel, groupsOpen, minutePasses, monitor, sent, waiting, workspaceId } = yield* setUp("slack")
        yield* groupsOpen
        const sql = yield* SqlClient.SqlClient
        const { id, reach } = yield* monitor("Shop")
        for (const slot of [1, 3, 5]) {
          yield* reach(slot, "down")
          yield* reach(slot + 1, "up")
        }
        // The alert for the third outage stands for the flapping; the recovery after it is not sent.
        yield* until(waiting, (count) => count === 5)
        yield* minutePasses
        expect(yield* until(sent, (rows) => rows.length > 0)).toMatchObject([
          { type: "monitor.flapping", data: { channel: { id: channel.id }, monitor: { _id: id, state: "down" }, flapping: true } }
        ])
        yield* reach(7, "down")
        yield* reach(8, "up")
        const seen = sql`select from alert_streaks where channel_id = ${channel.id} and flapping and not troubled`
        const fannedOut = sql`select from events where workspace_id = ${workspaceId} and not fanned_out`
        yield* until(fannedOut, (rows) => rows.length === 0)
        expect((yield* seen).length).toBe(1)
        expect(yield* waiting).toBe(0)
        yield* sql`update alert_streaks set ends_at = now() where channel_id = ${channel.id}`
        yield* sql`select pg_notify(${waitingAlertsSignal}, '')`
        const [, end, ...others] = yield* until(sent, (rows) => rows.length > 1)
        expect(others).toEqual([])
        expect(end).toMatchObject({
          type: "monitor.flapping",
          data: { monitor: { _id: id, state: "up" }, flapping: false, incident: null }
        })
        expect(end?.body).toContain("no longer flaps; it is up")
      }))

    it.effect("is not reported as stable and up while its next outage waits for a parent that is down", () =>
      Effect.gen(function*() {
        const { channel, fannedOut, groupsOpen, minutePasses, monitor, sent, waiting, workspaceId } = yield* setUp("slack")
        yield* groupsOpen
        const sql = yield* SqlClient.SqlClient
        const parent = yield* monitor("Router")
        const { id, reach } = yield* monitor("Shop", { dependsOn: [parent.id] })
        for (const slot of [1, 2, 3, 4, 5, 6]) yield* reach(slot, slot % 2 === 1 ? "down" : "up")
        yield* until(waiting, (count) => count === 5)
        yield* minutePasses
        yield* until(sent, (rows) => rows.length === 1)
        yield* parent.reach(1, "down")
        yield* until(sent, (rows) => rows.length === 2)
        yield* reach(7, "down")
        const kept = sql`select from dependent_troubles where monitor_id = ${id} and due_at is not null`
        yield* until(kept, (rows) => rows.length === 1)
        const ends = sql`
          update alert_streaks set ends_at = now() where channel_id = ${channel.id} and monitor_id = ${id}`
        const moved = sql`
          select from alert_streaks where monitor_id = ${id} and ends_at between now() + interval '14 minutes' and now() + interval '16 minutes'`
        yield* ends
        yield* sql`select pg_notify(${waitingAlertsSignal}, '')`
        yield* until(moved, (rows) => rows.length === 1)
        expect((yield* sent).map(({ type }) => type)).toEqual(["monitor.flapping", "monitor.down"])
        yield* parent.reach(2, "up")
        yield* until(fannedOut, (all) => all)
        yield* graceIsOver(workspaceId)
        yield* until(fannedOut, (all) => all)
        yield* ends
        yield* sql`select pg_notify(${waitingAlertsSignal}, '')`
        const rows = yield* until(sent, (all) => all.filter(({ type }) => type === "monitor.flapping").length === 2)
        expect(rows.at(-1)?.body).toContain("Shop no longer flaps; it is down")
      }))

    it.effect("is not reported as stable, in the state that it had then, once it was paused or deleted", () =>
      Effect.gen(function*() {
        const { fannedOut, groupsOpen, monitor, waiting, workspaceId } = yield* setUp("slack")
        yield* groupsOpen
        const sql = yield* SqlClient.SqlClient
        const { remove, update } = yield* ManageMonitors
        const [shop, search] = [yield* monitor("Shop"), yield* monitor("Search")]
        for (const { reach } of [shop, search]) {
          for (const slot of [1, 2, 3, 4, 5]) yield* reach(slot, slot % 2 === 1 ? "down" : "up")
        }
        yield* until(waiting, (count) => count === 10)
        const flapping = sql`select from alert_streaks where workspace_id = ${workspaceId} and flapping and troubled`
        expect((yield* flapping).length).toBe(2)
        yield* update(workspaceId, shop.id, { paused: true })
        yield* remove(workspaceId, search.id)
        yield* until(flapping, (rows) => rows.length === 0)
        yield* until(fannedOut, (all) => all)
      }))

    it.effect("is not reported as stable if it was paused or deleted before its last alert was fanned out", () =>
      Effect.gen(function*() {
        const { channel, fannedOut, groupsOpen, monitor, waiting, workspaceId } = yield* setUp("slack")
        yield* groupsOpen
        const sql = yield* SqlClient.SqlClient
        const { remove, update } = yield* ManageMonitors
        const [shop, search] = [yield* monitor("Shop"), yield* monitor("Search")]
        for (const { reach } of [shop, search]) yield* reach(1, "down")
        yield* until(waiting, (count) => count === 2)
        const streaks = sql`select from alert_streaks where channel_id = ${channel.id}`
        yield* sql`create table former_streaks as select * from alert_streaks where channel_id = ${channel.id}`
        yield* update(workspaceId, shop.id, { paused: true })
        yield* remove(workspaceId, search.id)
        yield* until(streaks, (rows) => rows.length === 0)
        yield* sql`insert into alert_streaks select * from former_streaks`
        yield* sql`drop table former_streaks`
        yield* sql`update alert_streaks set flapping = true, ends_at = now() where channel_id = ${channel.id}`
        yield* sql`select pg_notify(${waitingAlertsSignal}, '')`
        yield* until(streaks, (rows) => rows.length === 0)
        yield* until(fannedOut, (all) => all)
        expect(
          yield* sql`select from events where workspace_id = ${workspaceId} and type in ('monitor.flapping', 'monitor.summary')`
        )
          .toEqual([])
      }))
  })

  describe("quiet hours", () => {
    /** Hours that contain the present, whatever the time of day. */
    const now = (extra: Partial<QuietHoursInput> = {}) =>
      Effect.map(Effect.clockWith((clock) => clock.currentTimeMillis), (millis) => {
        const clock = (minutes: number) => new Date(millis + minutes * 60_000).toISOString().slice(11, 16)
        return { quietHours: { timezone: "UTC", from: clock(-60), to: clock(60), ...extra } }
      })
    const held = (workspaceId: WorkspaceId) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql<{ readonly title: string }>`
          select title from quiet_alerts where workspace_id = ${workspaceId} order by event_id`)
    const morning = (workspaceId: WorkspaceId) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.zipRight(
          sql`update quiet_groups set due_at = now() where workspace_id = ${workspaceId}`,
          sql`select pg_notify(${waitingAlertsSignal}, '')`
        ))

    it.effect("keep alerts until they end, when one message lists the last about each monitor", () =>
      Effect.gen(function*() {
        const { channel, monitor, sent, waiting, workspaceId } = yield* setUp("slack", yield* now())
        const [shop, search] = [yield* monitor("Shop"), yield* monitor("Search")]
        yield* shop.reach(1, "down")
        yield* search.reach(1, "down")
        yield* shop.reach(2, "up")
        yield* until(held(workspaceId), (rows) =>
          rows.map(({ title }) => title).join() === "Search is down: 503 Service Unavailable,Shop is up again")
        expect([yield* waiting, yield* sent]).toEqual([0, []])
        yield* morning(workspaceId)
        const [message, ...others] = yield* until(sent, (rows) =>
          rows.length > 0)
        expect(others).toEqual([])
        expect(message).toMatchObject({
          type: "quiet.ended",
          data: {
            channel: { id: channel.id },
            url: `http://belltower.test/app?workspace=${workspaceId}`,
            count: 2,
            alerts: [{ title: "Search is down: 503 Service Unavailable" }, { title: "Shop is up again" }]
          }
        })
        expect(message?.body).toContain("2 alerts from the quiet hours")
        expect(yield* held(workspaceId)).toEqual([])
      }))

    it.effect("keep an outage of a monitor that flapped before them, and do not report it as stable and up", () =>
      Effect.gen(function*() {
        const { channel, groupsOpen, minutePasses, monitor, sent, waiting, workspaceId } = yield* setUp("slack")
        yield* groupsOpen
        const sql = yield* SqlClient.SqlClient
        const channels = yield* ManageChannels
        const { id, reach } = yield* monitor("Shop")
        for (const slot of [1, 2, 3, 4, 5, 6]) yield* reach(slot, slot % 2 === 1 ? "down" : "up")
        yield* until(waiting, (count) => count === 5)
        yield* minutePasses
        yield* until(sent, (rows) => rows.length === 1)
        yield* channels.update(workspaceId, channel.id, yield* now())
        yield* reach(7, "down")
        yield* until(held(workspaceId), (rows) => rows.length === 1)
        yield* sql`update alert_streaks set ends_at = now() where monitor_id = ${id}`
        yield* sql`select pg_notify(${waitingAlertsSignal}, '')`
        const later = sql`select from alert_streaks where monitor_id = ${id} and ends_at > now() + interval '10 minutes'`
        yield* until(later, (rows) => rows.length === 1)
        yield* morning(workspaceId)
        yield* until(sent, (rows) => rows.length === 2)
        expect((yield* sent).map(({ type }) => type)).toEqual(["monitor.flapping", "monitor.down"])
      }))

    it.effect("report no monitor as down that was paused or deleted in them", () =>
      Effect.gen(function*() {
        const { monitor, sent, workspaceId } = yield* setUp("slack", yield* now())
        const sql = yield* SqlClient.SqlClient
        const { remove, update } = yield* ManageMonitors
        const [shop, search, api] = [yield* monitor("Shop"), yield* monitor("Search"), yield* monitor("API")]
        for (const { reach } of [shop, search, api]) yield* reach(1, "down")
        yield* api.reach(2, "up")
        yield* until(held(workspaceId), (rows) => rows.length === 3 && rows.some(({ title }) => title === "API is up again"))
        for (const { id } of [shop, api]) yield* update(workspaceId, id, { paused: true })
        yield* remove(workspaceId, search.id)
        yield* until(
          sql`select from monitor_states where monitor_id = any(${[shop.id, api.id]}::text[]) and state = 'paused'`,
          (rows) => rows.length === 2
        )
        yield* morning(workspaceId)
        const rows = yield* until(sent, (found) => found.length > 0)
        expect(rows).toMatchObject([{ type: "monitor.up", data: { monitor: { _id: api.id } } }])
        expect(yield* held(workspaceId)).toEqual([])
      }))

    it.effect("end early when the channel's settings end them, and a webhook gets each alert as itself", () =>
      Effect.gen(function*() {
        const { channel, monitor, sent, workspaceId } = yield* setUp("webhook", yield* now())
        for (const name of ["Shop", "Search"]) yield* (yield* monitor(name)).reach(1, "down")
        yield* until(held(workspaceId), (rows) => rows.length === 2)
        yield* Effect.flatMap(ManageChannels, ({ update }) => update(workspaceId, channel.id, { quietHours: null }))
        yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select pg_notify(${waitingAlertsSignal}, '')`)
        const rows = yield* until(sent, (found) => found.length === 2)
        expect(rows.map(({ type }) => type)).toEqual(["monitor.down", "monitor.down"])
      }))

    it.effect("are followed by the acknowledgement of an alert that they held", () =>
      Effect.gen(function*() {
        const { fannedOut, monitor, sent, workspaceId } = yield* setUp("webhook", yield* now())
        const { id, reach } = yield* monitor("Shop")
        yield* reach(1, "down")
        yield* until(held(workspaceId), (rows) => rows.length === 1)
        yield* acknowledge(workspaceId, id)
        yield* until(fannedOut, (all) => all)
        expect(yield* sent).toEqual([])
        yield* morning(workspaceId)
        const rows = yield* until(sent, (found) => found.length > 0)
        expect(rows.map(({ type }) => type)).toEqual(["monitor.down", "incident.acknowledged"])
      }))

    it.effect("let critical alerts pass if the channel says so", () =>
      Effect.gen(function*() {
        const { monitor, sent, workspaceId } = yield* setUp("webhook", yield* now({ criticalPasses: true }))
        yield* (yield* monitor("Shop")).reach(1, "down")
        const rows = yield* until(sent, (found) => found.length === 1)
        expect(rows.map(({ type }) => type)).toEqual(["monitor.down"])
        expect(yield* held(workspaceId)).toEqual([])
      }))
  })

  describe("a reminder", () => {
    it.effect("comes at each mark while the monitor is down, once, and not after it is up", () =>
      Effect.gen(function*() {
        const { log, monitor, workspaceId } = yield* setUp("webhook")
        const sql = yield* SqlClient.SqlClient
        const { id, reach } = yield* monitor("Shop", { reminderMinutes: [5, 30] })
        // The outage began at the first failed check, which is now.
        yield* reach(Math.floor((yield* Effect.clockWith((clock) => clock.currentTimeMillis)) / 60_000), "down")
        const reminders = Effect.map(log.after(workspaceId, "", ["monitor.reminder"], 10), (events) =>
          events.map(({ data }) => data))
        const later = (minutes: number) =>
          Effect.all([
            sql`update incidents set started_at = now() - ${`${minutes} minutes`}::interval where monitor_id = ${id}`,
            sql`
              update alarms set due_at = now() where kind = 'incident'
                and id in (select id from incidents where monitor_id = ${id})`,
            sql`select pg_notify('belltower_alarms', '')`
          ])
        yield* sql`update incident_alerting set reminded_minutes = 0 where workspace_id = ${workspaceId}`
        yield* later(6)
        yield* until(reminders, (found) =>
          found.length === 1)
        yield* later(7)
        yield* later(31)
        yield* until(reminders, (found) => found.length === 2)
        expect(yield* reminders).toMatchObject([
          { monitor: { _id: id, state: "down" }, downForMinutes: 6, reminderAfterMinutes: 5 },
          { downForMinutes: 31, reminderAfterMinutes: 30 }
        ])
        const armed = sql`
          select 1 from alarms where kind = 'incident' and id in (select id from incidents where monitor_id = ${id})`
        yield* until(armed, (rows) => rows.length === 0)
      }))
  })
})
