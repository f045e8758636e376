/** Alerts that wait for channels with one target: whatever becomes of the channel that carries them, their receiver is told once. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import type { ChannelInput, ChannelType } from "../../../schema/alert/Channel.ts"
import type { QuietHoursInput } from "../../../schema/alert/QuietHours.ts"
import type { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { AcknowledgeIncident } from "../../../src/operations/incident/AcknowledgeIncident.ts"
import { waitingAlertsSignal } from "../../../src/store/alert/WaitingAlertsSignal.ts"
import { holding } from "../../support/LockedWorkspace.ts"
import { TestRunner } from "../../support/TestRunner.ts"
import { until } from "../../support/Until.ts"
import { acknowledge, setUp } from "./AlertedWorkspace.ts"

/** Refuses connections, so deliveries stay open. */
const url = "http://127.0.0.1:9/hook"

/** A workspace with three channels that have one target, oldest first. */
const sharing = (type: ChannelType, more: Partial<ChannelInput> = {}) =>
  Effect.gen(function*() {
    const made = yield* setUp(type, { url, ...more })
    const { create } = yield* ManageChannels
    const one = (name: string) => Effect.map(create(made.workspaceId, { name, type, url, ...more }), ({ id }) => id)
    return { ...made, first: made.channel.id, second: yield* one("Second"), third: yield* one("Third") }
  })

const remove = (workspaceId: WorkspaceId, id: ChannelId) =>
  Effect.flatMap(ManageChannels, (manage) => manage.remove(workspaceId, id))
const update = (workspaceId: WorkspaceId, id: ChannelId, change: Partial<ChannelInput>) =>
  Effect.flatMap(ManageChannels, (manage) => manage.update(workspaceId, id, change))

/** How a channel leaves its target. */
const leaving = {
  "is deleted": remove,
  "is disabled": (workspaceId: WorkspaceId, id: ChannelId) => update(workspaceId, id, { enabled: false }),
  "gets another URL": (workspaceId: WorkspaceId, id: ChannelId) => update(workspaceId, id, { url: "http://127.0.0.1:9/other" })
} as const

/** Which channel was told of what, oldest first. */
const told = (workspaceId: WorkspaceId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql<{ readonly channelId: ChannelId; readonly type: string }>`
      select d.channel_id as "channelId", e.type from deliveries d
      join events e on e.workspace_id = d.workspace_id and e.id = d.event_id
      where d.workspace_id = ${workspaceId} order by e.id, d.channel_id`)

const somebodyTold = (workspaceId: WorkspaceId, count = 1) => until(told(workspaceId), (rows) => rows.length >= count)

layer(Layer.provideMerge(Layer.merge(ManageChannels.Default, AcknowledgeIncident.Default), TestRunner), {
  excludeTestServices: true
})((it) => {
  describe("an alert that waits for others", () => {
    for (const [how, leave] of Object.entries(leaving)) {
      it.effect(`is sent by the next channel with the target, once, if its channel ${how}`, () =>
        Effect.gen(function*() {
          const { first, minutePasses, monitor, second, waiting, workspaceId } = yield* sharing("slack")
          yield* (yield* monitor("Shop")).reach(1, "down")
          yield* until(waiting, (count) => count === 1)
          yield* leave(workspaceId, first)
          expect(yield* waiting).toBe(1)
          yield* minutePasses
          expect(yield* somebodyTold(workspaceId)).toEqual([{ channelId: second, type: "monitor.down" }])
          expect(yield* waiting).toBe(0)
        }))
    }

    it.effect("passes over a channel that has another target meanwhile", () =>
      Effect.gen(function*() {
        const { first, minutePasses, monitor, second, third, waiting, workspaceId } = yield* sharing("slack")
        yield* (yield* monitor("Shop")).reach(1, "down")
        yield* until(waiting, (count) => count === 1)
        yield* update(workspaceId, second, { url: "http://127.0.0.1:9/other" })
        yield* remove(workspaceId, first)
        yield* minutePasses
        expect(yield* somebodyTold(workspaceId)).toEqual([{ channelId: third, type: "monitor.down" }])
      }))

    it.effect("ends with its channel if nobody shares it", () =>
      Effect.gen(function*() {
        const { channel, monitor, waiting, workspaceId } = yield* setUp("slack")
        yield* (yield* monitor("Shop")).reach(1, "down")
        yield* until(waiting, (count) => count === 1)
        yield* remove(workspaceId, channel.id)
        expect(yield* waiting).toBe(0)
      }))

    it.effect("is taken over also after it was sent and did not arrive, and so is the acknowledgement", () =>
      Effect.gen(function*() {
        const { first, minutePasses, monitor, second, waiting, workspaceId } = yield* sharing("slack")
        const shop = yield* monitor("Shop")
        yield* shop.reach(1, "down")
        yield* until(waiting, (count) => count === 1)
        yield* minutePasses
        expect(yield* somebodyTold(workspaceId)).toEqual([{ channelId: first, type: "monitor.down" }])
        yield* remove(workspaceId, first)
        expect(yield* told(workspaceId)).toEqual([{ channelId: second, type: "monitor.down" }])
        yield* acknowledge(workspaceId, shop.id)
        expect(yield* somebodyTold(workspaceId, 2)).toEqual([
          { channelId: second, type: "monitor.down" },
          { channelId: second, type: "incident.acknowledged" }
        ])
      }))

    it.effect("is taken over also as part of a summary, and so is the acknowledgement", () =>
      Effect.gen(function*() {
        const { first, minutePasses, monitor, second, waiting, workspaceId } = yield* sharing("slack")
        const [shop, search] = [yield* monitor("Shop"), yield* monitor("Search")]
        for (const { reach } of [shop, search]) yield* reach(1, "down")
        yield* until(waiting, (count) => count === 2)
        yield* minutePasses
        expect(yield* somebodyTold(workspaceId)).toEqual([{ channelId: first, type: "monitor.summary" }])
        yield* remove(workspaceId, first)
        expect(yield* told(workspaceId)).toEqual([{ channelId: second, type: "monitor.summary" }])
        yield* acknowledge(workspaceId, search.id)
        expect(yield* somebodyTold(workspaceId, 2)).toEqual([
          { channelId: second, type: "monitor.summary" },
          { channelId: second, type: "incident.acknowledged" }
        ])
      }))

    it.effect("is taken over also if the fan-out is writing it while its channel is deleted", () =>
      Effect.gen(function*() {
        const { first, second, third, workspaceId } = yield* sharing("slack")
        const sql = yield* SqlClient.SqlClient
        const fanOut = yield* holding((sql) =>
          Effect.zipRight(
            sql`select pg_advisory_xact_lock(hashtext('belltower_fan_out'), hashtext(${workspaceId}))`,
            sql`
            with opened as (
              insert into alert_groups (channel_id, workspace_id, opened_at, due_at)
              values (${first}, ${workspaceId}, now(), now() + interval '1 hour')
            )
            insert into grouped_alerts (channel_id, workspace_id, event_id, shared_with)
            values (${first}, ${workspaceId}, 'evt_new', ${[second, third]})`
          )
        )
        const removal = yield* Effect.fork(remove(workspaceId, first))
        const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        yield* until(waiting, (rows) => rows.length > 0)
        yield* fanOut
        yield* Fiber.join(removal)
        expect(yield* sql`select channel_id, shared_with from grouped_alerts where workspace_id = ${workspaceId}`)
          .toEqual([{ channel_id: second, shared_with: [third] }])
      }))
  })

  describe("an alert that waits for the end of quiet hours", () => {
    /** Hours that contain the present, whatever the time of day, and end after so many minutes. */
    const quiet = (minutes: number) =>
      Effect.map(Effect.clockWith((clock) => clock.currentTimeMillis), (millis): QuietHoursInput => {
        const clock = (ahead: number) => new Date(millis + ahead * 60_000).toISOString().slice(11, 16)
        return { timezone: "UTC", from: clock(-60), to: clock(minutes) }
      })
    const held = (workspaceId: WorkspaceId) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql<{ readonly channelId: ChannelId; readonly minutes: number }>`
          select a.channel_id as "channelId", (extract(epoch from g.due_at - now()) / 60)::int as minutes
          from quiet_alerts a join quiet_groups g on g.channel_id = a.channel_id where a.workspace_id = ${workspaceId}`)
    const morning = (workspaceId: WorkspaceId) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.zipRight(
          sql`update quiet_groups set due_at = now() where workspace_id = ${workspaceId}`,
          sql`select pg_notify(${waitingAlertsSignal}, '')`
        ))

    for (const [how, leave] of Object.entries(leaving)) {
      it.effect(`is sent by the next channel with the target, once, if its channel ${how}`, () =>
        Effect.gen(function*() {
          const { first, monitor, second, workspaceId } = yield* sharing("webhook", { quietHours: yield* quiet(60) })
          yield* (yield* monitor("Shop")).reach(1, "down")
          yield* until(held(workspaceId), (rows) => rows.length === 1)
          yield* leave(workspaceId, first)
          expect((yield* held(workspaceId)).map(({ channelId }) => channelId)).toEqual([second])
          yield* morning(workspaceId)
          expect(yield* somebodyTold(workspaceId)).toEqual([{ channelId: second, type: "monitor.down" }])
          expect(yield* held(workspaceId)).toEqual([])
        }))
    }

    it.effect("then waits for the quiet hours of that channel", () =>
      Effect.gen(function*() {
        const { first, monitor, second, workspaceId } = yield* sharing("slack", { quietHours: yield* quiet(60) })
        yield* (yield* monitor("Shop")).reach(1, "down")
        yield* until(held(workspaceId), (rows) => rows.length === 1)
        yield* update(workspaceId, second, { quietHours: yield* quiet(300) })
        yield* remove(workspaceId, first)
        const [row] = yield* held(workspaceId)
        expect(row?.channelId).toBe(second)
        expect(row?.minutes).toBeGreaterThan(200)
      }))

    it.effect("is sent without delay if that channel has none any more, and several as one message", () =>
      Effect.gen(function*() {
        const { first, monitor, second, workspaceId } = yield* sharing("slack", { quietHours: yield* quiet(60) })
        for (const name of ["Shop", "Search"]) yield* (yield* monitor(name)).reach(1, "down")
        yield* until(held(workspaceId), (rows) => rows.length === 2)
        yield* update(workspaceId, second, { quietHours: null })
        yield* remove(workspaceId, first)
        expect(yield* somebodyTold(workspaceId)).toEqual([{ channelId: second, type: "quiet.ended" }])
      }))
  })

  it.effect("a channel that takes over knows which monitors flap, and reports the end", () =>
    Effect.gen(function*() {
      const { fannedOut, first, minutePasses, monitor, second, waiting, workspaceId } = yield* sharing("slack")
      const sql = yield* SqlClient.SqlClient
      const { reach } = yield* monitor("Shop")
      for (const slot of [1, 3, 5]) {
        yield* reach(slot, "down")
        yield* reach(slot + 1, "up")
      }
      yield* until(waiting, (count) => count === 5)
      yield* minutePasses
      expect(yield* somebodyTold(workspaceId)).toEqual([{ channelId: first, type: "monitor.flapping" }])
      yield* remove(workspaceId, first)
      yield* reach(7, "down")
      yield* until(fannedOut, (all) => all)
      expect(yield* waiting).toBe(0)
      yield* sql`update alert_streaks set ends_at = now() where workspace_id = ${workspaceId}`
      yield* sql`select pg_notify(${waitingAlertsSignal}, '')`
      expect(yield* somebodyTold(workspaceId, 2)).toEqual([
        { channelId: second, type: "monitor.flapping" },
        { channelId: second, type: "monitor.flapping" }
      ])
    }))
})
