/** Alerts that wait for channels with one target: each channel has its own, which nothing that becomes of another one concerns. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import type { ChannelInput, ChannelType } from "../../../schema/alert/Channel.ts"
import type { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { AcknowledgeIncident } from "../../../src/operations/incident/AcknowledgeIncident.ts"
import { waitingAlertsSignal } from "../../../src/store/alert/WaitingAlertsSignal.ts"
import { holding } from "../../support/database/LockedWorkspace.ts"
import { TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"
import { acknowledge, setUp } from "./AlertedWorkspace.ts"

/** Refuses connections, so deliveries stay open. */
const url = "http://127.0.0.1:9/hook"

/** A workspace with two channels that have one target, oldest first. */
const identical = (type: ChannelType, more: Partial<ChannelInput> = {}) =>
  Effect.gen(function*() {
    const made = yield* setUp(type, { url, ...more })
    const { create } = yield* ManageChannels
    const { id: second } = yield* create(made.workspaceId, { name: "Second", type, url, ...more })
    return { ...made, first: made.channel.id, second }
  })

const remove = (workspaceId: WorkspaceId, id: ChannelId) =>
  Effect.flatMap(ManageChannels, (manage) => manage.remove(workspaceId, id))
const update = (workspaceId: WorkspaceId, id: ChannelId, change: Partial<ChannelInput>) =>
  Effect.flatMap(ManageChannels, (manage) => manage.update(workspaceId, id, change))

/** Which channel got which events, by channel. */
const alertsOf = (workspaceId: WorkspaceId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql<{ readonly channelId: ChannelId; readonly type: string }>`
      select d.channel_id as "channelId", e.type from deliveries d
      join events e on e.workspace_id = d.workspace_id and e.id = d.event_id
      where d.workspace_id = ${workspaceId} order by d.channel_id, e.id`)

const someAlerts = (workspaceId: WorkspaceId, count: number) => until(alertsOf(workspaceId), (rows) => rows.length >= count)

/** The channels of the rows of a table, in order. */
const channelsIn = (table: "grouped_alerts" | "quiet_alerts" | "alert_streaks", workspaceId: WorkspaceId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly id: ChannelId }>`
      select channel_id as id from ${sql(table)} where workspace_id = ${workspaceId} order by channel_id`,
      (rows) => rows.map(({ id }) => id)
    ))

layer(Layer.provideMerge(Layer.merge(ManageChannels.Default, AcknowledgeIncident.Default), TestRunner), {
  excludeTestServices: true
})((it) => {
  describe("an alert that waits for others", () => {
    it.effect("is sent by each channel, and so is the acknowledgement", () =>
      Effect.gen(function*() {
        const { first, groupsOpen, minutePasses, monitor, second, waiting, workspaceId } = yield* identical("slack")
        yield* groupsOpen
        const shop = yield* monitor("Shop")
        yield* shop.reach(1, "down")
        yield* until(waiting, (count) => count === 2)
        yield* minutePasses
        yield* someAlerts(workspaceId, 2)
        yield* acknowledge(workspaceId, shop.id)
        expect(yield* someAlerts(workspaceId, 4)).toEqual([
          { channelId: first, type: "monitor.down" },
          { channelId: first, type: "incident.acknowledged" },
          { channelId: second, type: "monitor.down" },
          { channelId: second, type: "incident.acknowledged" }
        ])
      }))

    it.effect("goes with its channel when that is deleted; the other one sends its own", () =>
      Effect.gen(function*() {
        const { first, groupsOpen, minutePasses, monitor, second, waiting, workspaceId } = yield* identical("slack")
        yield* groupsOpen
        for (const name of ["Shop", "Search"]) yield* (yield* monitor(name)).reach(1, "down")
        yield* until(waiting, (count) => count === 4)
        yield* remove(workspaceId, first)
        expect(yield* channelsIn("grouped_alerts", workspaceId)).toEqual([second, second])
        yield* minutePasses
        expect(yield* someAlerts(workspaceId, 1)).toEqual([{ channelId: second, type: "monitor.summary" }])
        expect(yield* waiting).toBe(0)
      }))

    it.effect("is not sent when its channel was disabled; the other one sends its own", () =>
      Effect.gen(function*() {
        const { first, groupsOpen, minutePasses, monitor, second, waiting, workspaceId } = yield* identical("slack")
        yield* groupsOpen
        yield* (yield* monitor("Shop")).reach(1, "down")
        yield* until(waiting, (count) => count === 2)
        yield* update(workspaceId, first, { enabled: false })
        yield* minutePasses
        yield* until(waiting, (count) => count === 0)
        expect(yield* someAlerts(workspaceId, 1)).toEqual([{ channelId: second, type: "monitor.down" }])
      }))

    it.effect("goes with its channel also if the fan-out is writing it while the channel is deleted", () =>
      Effect.gen(function*() {
        const { first, waiting, workspaceId } = yield* identical("slack")
        const fanOut = yield* holding((sql) =>
          Effect.zipRight(
            sql`select from channels where id = ${first} for key share`,
            sql`
            with opened as (
              insert into alert_groups (channel_id, workspace_id, opened_at, due_at)
              values (${first}, ${workspaceId}, now(), now() + interval '1 hour')
            )
            insert into grouped_alerts (channel_id, workspace_id, event_id) values (${first}, ${workspaceId}, 'evt_new')`
          )
        )
        const removal = yield* Effect.fork(remove(workspaceId, first))
        const sql = yield* SqlClient.SqlClient
        const locked = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        yield* until(locked, (rows) => rows.length > 0)
        yield* fanOut
        yield* Fiber.join(removal)
        expect(yield* waiting).toBe(0)
      }))
  })

  it.effect("an alert that waits for the end of quiet hours goes with its channel; the other one sends its own", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const millis = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      const clock = (ahead: number) => new Date(millis + ahead * 60_000).toISOString().slice(11, 16)
      const { first, monitor, second, workspaceId } = yield* identical("webhook", {
        quietHours: { timezone: "UTC", from: clock(-60), to: clock(60) }
      })
      yield* (yield* monitor("Shop")).reach(1, "down")
      const held = channelsIn("quiet_alerts", workspaceId)
      yield* until(held, (ids) => ids.length === 2)
      yield* remove(workspaceId, first)
      expect(yield* held).toEqual([second])
      yield* sql`update quiet_groups set due_at = now() where workspace_id = ${workspaceId}`
      yield* sql`select pg_notify(${waitingAlertsSignal}, '')`
      expect(yield* someAlerts(workspaceId, 1)).toEqual([{ channelId: second, type: "monitor.down" }])
      expect(yield* held).toEqual([])
    }))

  it.effect("what a channel knows of a monitor that flaps goes with it; the other one reports the end", () =>
    Effect.gen(function*() {
      const { first, groupsOpen, minutePasses, monitor, second, waiting, workspaceId } = yield* identical("slack")
      yield* groupsOpen
      const sql = yield* SqlClient.SqlClient
      const { reach } = yield* monitor("Shop")
      for (const slot of [1, 3, 5]) {
        yield* reach(slot, "down")
        yield* reach(slot + 1, "up")
      }
      yield* until(waiting, (count) => count === 10)
      yield* minutePasses
      yield* someAlerts(workspaceId, 2)
      yield* remove(workspaceId, first)
      expect(yield* channelsIn("alert_streaks", workspaceId)).toEqual([second])
      yield* sql`update alert_streaks set ends_at = now() where workspace_id = ${workspaceId}`
      yield* sql`select pg_notify(${waitingAlertsSignal}, '')`
      expect(yield* someAlerts(workspaceId, 2)).toEqual([
        { channelId: second, type: "monitor.flapping" },
        { channelId: second, type: "monitor.flapping" }
      ])
    }))
})
