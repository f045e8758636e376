/** A workspace with an alert channel, whose monitors are fed with results by the test. */
import { SqlClient } from "@effect/sql"
import { Clock, Effect, Option } from "effect"
import type { ChannelInput, ChannelType } from "../../../schema/alert/Channel.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { MonitorInput } from "../../../schema/monitor/Monitor.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { AcknowledgeIncident } from "../../../src/operations/incident/AcknowledgeIncident.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { waitingAlertsSignal } from "../../../src/store/alert/WaitingAlertsSignal.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { Monitors } from "../../../src/store/monitor/Monitors.ts"
import { callerOf } from "../../support/program/KeyCaller.ts"
import { monitorRow, newWorkspace, resultOf } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const failing = { outcome: "down", error: "Expected status 200-299, got 503", cause: "status", statusCode: 503 } as const

const results = { up: {}, degraded: { outcome: "degraded", cause: "slow", latencyMs: 9000 }, down: failing } as const

/** The slot of a result that has just been made, for what asks whether monitors are still observed. */
export const slotNow = Effect.map(
  Clock.currentTimeMillis,
  (now) => Math.floor((now - Date.parse("2026-11-20T08:00:00Z")) / 60_000)
)

/** Acknowledges the open incident of a monitor. */
export const acknowledge = (workspaceId: WorkspaceId, id: string) =>
  Effect.flatMap(AcknowledgeIncident, ({ acknowledge }) => acknowledge(callerOf(workspaceId), id))

/** A workspace with a channel of a type, and monitors that report to it. */
export const setUp = (type: ChannelType, more: Partial<ChannelInput> = {}) =>
  Effect.gen(function*() {
    const { id: workspaceId } = yield* newWorkspace
    const sql = yield* SqlClient.SqlClient
    const bus = yield* Bus
    const log = yield* EventLog
    const monitors = yield* Monitors
    const address = type === "pagerduty" ? {} : { url: "http://127.0.0.1:9/hook" }
    const channel = yield* Effect.flatMap(ManageChannels, ({ create }) =>
      create(workspaceId, { name: "Team chat", type, ...address, ...more }))
    const monitor = (name: string, input: Partial<MonitorInput> = {}) =>
      Effect.gen(function*() {
        const { create } = yield* ManageMonitors
        const { id } = yield* create(workspaceId, { name, url: "https://shop.test/", failureThreshold: 1, ...input })
        const row = yield* monitorRow(workspaceId, id)
        const reach = (slot: number, state: keyof typeof results) =>
          Effect.zipRight(
            Effect.flatMap(monitorRow(workspaceId, id), (now) =>
              bus.report([resultOf(now, slot, results[state])])),
            until(monitors.find(workspaceId, id), (found) => Option.getOrNull(found)?.state === state)
          )
        const fail = (slot: number) => bus.report([resultOf(row, slot, failing)])
        return { id, reach, fail }
      })
    const waiting = Effect.map(
      sql<{ readonly count: number }>`
        select count(*)::int as count from grouped_alerts where workspace_id = ${workspaceId}`,
      ([row]) => row?.count
    )
    const sent = sql<{ readonly type: string; readonly body: string; readonly data: Readonly<Record<string, unknown>> }>`
      select e.type, e.data, d.body from deliveries d join events e on e.workspace_id = d.workspace_id and e.id = d.event_id
      where d.workspace_id = ${workspaceId} order by e.id`
    /** Whether all events have become deliveries, or wait. */
    const fannedOut = Effect.map(
      sql`select from events where workspace_id = ${workspaceId} and not fanned_out`,
      (rows) => rows.length === 0
    )
    /** As if each channel had just been alerted of another monitor: what follows waits. */
    const groupsOpen = sql`
      insert into alert_groups (channel_id, workspace_id, opened_at, due_at, opened_by)
      select id, workspace_id, now(), now() + interval '1 minute', 'mon_other' from channels where workspace_id = ${workspaceId}`
    const minutePasses = Effect.zipRight(
      sql`
        update alert_groups set opened_at = opened_at - interval '1 minute', due_at = now()
        where workspace_id = ${workspaceId}`,
      sql`select pg_notify(${waitingAlertsSignal}, '')`
    )
    return { workspaceId, channel, monitor, waiting, sent, fannedOut, groupsOpen, minutePasses, log }
  })
