/** A check from the bus through the monitor's actor to rows, incidents and events. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import type { CheckId } from "../../../schema/Ids.ts"
import type { MonitorInput } from "../../../schema/monitor/Monitor.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { RegionHealth } from "../../../src/services/check/RegionHealth.ts"
import { Checks } from "../../../src/store/check/Checks.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { Assignments } from "../../../src/store/monitor/Assignments.ts"
import { Monitors } from "../../../src/store/monitor/Monitors.ts"
import { makeBeat } from "../../support/probe/Beats.ts"
import { monitorRow, newWorkspace, resultOf, TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const setUp = (input: Partial<MonitorInput> = {}) =>
  Effect.gen(function*() {
    const { id: workspaceId } = yield* newWorkspace
    const manage = yield* ManageMonitors
    const created = yield* manage.create(workspaceId, { name: "Shop", url: "https://shop.test/", ...input })
    const monitors = yield* Monitors
    const row = yield* monitorRow(workspaceId, created.id)
    const bus = yield* Bus
    const report = (slot: number, more: Partial<CheckResult> = {}) => bus.report([resultOf(row, slot, more)])
    const state = Effect.map(monitors.find(workspaceId, row.id), Option.map((monitor) => monitor.state))
    const reaches = (wanted: string) => until(state, (found) => Option.getOrNull(found) === wanted)
    const types = Effect.map(
      Effect.flatMap(EventLog, (events) => events.after(workspaceId, "", null, 100)),
      (events) => events.map((event) => event.type)
    )
    return { workspaceId, row, report, reaches, types, manage }
  })

layer(TestRunner, { excludeTestServices: true })((it) => {
  it.effect(
    "a monitor goes down after two failures, opens one incident, recovers, and reports each change once and in order",
    () =>
      Effect.gen(function*() {
        const { reaches, report, row, types, workspaceId } = yield* setUp()
        yield* report(1)
        yield* reaches("up")
        yield* report(2, { outcome: "down", error: "Expected status 200-299, got 503", cause: "status", statusCode: 503 })
        yield* report(3, { outcome: "down", error: "Expected status 200-299, got 503", cause: "status", statusCode: 503 })
        yield* reaches("down")
        const monitors = yield* Monitors
        const down = Option.getOrThrow(yield* monitors.find(workspaceId, row.id))
        expect(down.incidentId).not.toBeNull()
        yield* report(4)
        yield* reaches("up")
        expect(yield* types).toEqual([
          "monitor.created",
          "monitor.down",
          "incident.created",
          "monitor.up",
          "incident.resolved"
        ])
        const events = yield* Effect.flatMap(EventLog, (log) => log.after(workspaceId, "", null, 100))
        expect(events[1]?.data).toMatchObject({
          monitor: { _id: row.id, name: "Shop", state: "down", http: { url: "https://shop.test/" } },
          check: { outcome: "down", statusCode: 503, region: "main" },
          incident: { id: down.incidentId, title: "Shop is down: 503 Service Unavailable" },
          ai: null
        })
        // Down since the first failure: two slots of a minute each.
        expect(events[3]?.data).toMatchObject({ downtimeSeconds: 120, incident: { resolved: true } })
      })
  )

  it.effect(
    "a confirmed failure takes the monitor down within the slot, and probes learn how to confirm",
    () =>
      Effect.gen(function*() {
        const failureRate = { failures: 3, of: 5 }
        const { reaches, report, row, workspaceId } = yield* setUp({ confirmAfterSec: 5, failureRate })
        expect(row).toMatchObject({ confirmAfterSec: 5, failureRate })
        const assignments = yield* Assignments
        const sent = yield* assignments.of([{ workspaceId, monitorId: row.id }])
        expect(sent.assignments).toMatchObject([{ confirm: { afterSec: 5, most: 1 } }])
        yield* report(1)
        yield* reaches("up")
        yield* report(2, { outcome: "down", cause: "status", statusCode: 503, error: "x" })
        const at = resultOf(row, 2).at + 5000
        yield* report(2, { attempt: 1, at, outcome: "down", cause: "status", statusCode: 503, error: "x" })
        yield* reaches("down")
        // Back to the first failure, of which the repetition is the second.
        expect((yield* monitorRow(workspaceId, row.id)).stateSince.epochMillis).toBe(resultOf(row, 2).at)
        const sentTo = (one: Effect.Effect.Success<ReturnType<typeof setUp>>) =>
          Effect.map(
            assignments.of([{ workspaceId: one.workspaceId, monitorId: one.row.id }]),
            (found) => found.assignments[0]?.confirm
          )
        expect(yield* sentTo(yield* setUp())).toEqual({ afterSec: 30, most: 1 })
        expect(yield* sentTo(yield* setUp({ confirmAfterSec: 0 }))).toBeUndefined()
        expect(yield* sentTo(yield* setUp({ failureThreshold: 1 }))).toBeUndefined()
      }),
    30_000
  )

  it.effect("every check has its row, including checks that were not counted", () =>
    Effect.gen(function*() {
      const { report, row, workspaceId } = yield* setUp()
      yield* report(1)
      yield* report(2, { trusted: false, outcome: "down" })
      yield* report(3, { revision: 7 })
      const checks = yield* Checks
      const list = checks.list(workspaceId, row.id, { outcome: null, before: null, limit: 10 })
      const rows = yield* until(list, (found) => found.length === 3)
      expect(rows.map((check) => [check.outcome, check.counted])).toEqual([["up", false], ["down", false], ["up", true]])
    }))

  it.effect("a page with characters that PostgreSQL rejects does not block the others", () =>
    Effect.gen(function*() {
      const { report, row, workspaceId } = yield* setUp()
      yield* report(1, { outcome: "down", error: "bad \0 byte and half a pair \ud800" })
      yield* report(2)
      const checks = yield* Checks
      const list = checks.list(workspaceId, row.id, { outcome: null, before: null, limit: 10 })
      const rows = yield* until(list, (found) => found.length === 2)
      expect(rows[1]?.error).toBe("bad \ufffd byte and half a pair \ufffd")
    }))

  it.effect("pausing a monitor that is down resolves its incident, and resuming starts fresh", () =>
    Effect.gen(function*() {
      const { manage, reaches, report, row, types, workspaceId } = yield* setUp({ failureThreshold: 1 })
      yield* report(1, { outcome: "down" })
      yield* reaches("down")
      yield* manage.update(workspaceId, row.id, { paused: true })
      yield* until(types, (list) => list.includes("incident.resolved"))
      expect((yield* monitorRow(workspaceId, row.id)).state).toBe("paused")
      yield* manage.update(workspaceId, row.id, { paused: false })
      yield* reaches("pending")
      expect(yield* types).toEqual(["monitor.created", "monitor.down", "incident.created", "incident.resolved"])
    }))

  it.effect("deleting a monitor ends its incident, and nobody can read its checks any more", () =>
    Effect.gen(function*() {
      const { manage, reaches, report, row, types, workspaceId } = yield* setUp({ failureThreshold: 1 })
      yield* report(1, { outcome: "down" })
      yield* reaches("down")
      yield* manage.remove(workspaceId, row.id)
      const sql = yield* SqlClient.SqlClient
      yield* until(sql`select 1 from assignment_outbox`, (found) => found.length === 0)
      // The row goes with its partition.
      const [kept] = yield* sql<{ readonly id: CheckId }>`select id from checks where monitor_id = ${row.id}`
      const checks = yield* Checks
      expect(kept === undefined ? null : Option.isNone(yield* checks.find(workspaceId, kept.id))).toBe(true)
      expect((yield* types).slice(-2)).toEqual(["incident.resolved", "monitor.deleted"])
      yield* report(2)
      expect(Option.isNone(yield* Effect.flatMap(Monitors, (monitors) => monitors.find(workspaceId, row.id)))).toBe(true)
    }))

  it.effect("two of three regions decide, and a single deviating region does not", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into regions (id, first_seen_at, last_beat_at)
        values ('eu', now(), now()), ('us', now(), now()), ('ap', now(), now()) on conflict do nothing`
      const regions = ["eu", "us", "ap"].map((id) => RegionId.make(id))
      const { reaches, report } = yield* setUp({ regions, failureThreshold: 1 })
      const round = (slot: number, ...outcomes: ReadonlyArray<"up" | "down">) =>
        Effect.forEach(outcomes, (outcome, index) => report(slot, { outcome, region: regions[index]! }))
      yield* round(1, "down", "up", "up")
      yield* reaches("up")
      yield* round(2, "down", "down", "up")
      yield* reaches("down")
    }))

  it.effect("the first region that a runner sees does not decide alone", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into regions (id, first_seen_at, last_beat_at)
        values ('here', now(), now()), ('there', now(), now()) on conflict do nothing`
      const [here, there] = ["here", "there"].map((id) => RegionId.make(id)) as [RegionId, RegionId]
      const bus = yield* Bus
      const health = yield* RegionHealth
      const { reaches, report, row, workspaceId } = yield* setUp({ regions: [here, there], failureThreshold: 1 })
      yield* bus.beat(makeBeat({ region: here, monitors: 1 }))
      yield* until(health.all, (all) => all.some(({ id, workers }) => id === here && workers === 1))
      yield* report(1, { region: here, outcome: "down" })
      const checks = yield* Checks
      const list = checks.list(workspaceId, row.id, { outcome: null, before: null, limit: 10 })
      yield* until(list, (found) => found.length === 1)
      yield* report(1, { region: there, outcome: "up" })
      yield* reaches("up")
      const log = yield* Effect.flatMap(EventLog, (events) => events.after(workspaceId, "", null, 100))
      expect(log.map(({ type }) => type)).toEqual(["monitor.created"])
    }))
})
