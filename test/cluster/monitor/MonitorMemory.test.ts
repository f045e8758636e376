/** The memory of a monitor's actor beyond its row, and that of its row beyond its actor. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, Option, Schedule } from "effect"
import { CheckWriter } from "../../../cluster/check/CheckWriter.ts"
import { makeReloadAbandoned } from "../../../cluster/monitor/RoundUpkeep.ts"
import type { Outcome } from "../../../schema/check/Check.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import type { Machine, Snapshot } from "../../../schema/monitor/Machine.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { observationOf } from "../../../src/domain/check/history/CheckView.ts"
import { initialMachine } from "../../../src/domain/monitor/MonitorMachine.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { Monitors } from "../../../src/store/monitor/Monitors.ts"
import { monitorRow, newWorkspace, resultOf, TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const regions = ["eu", "us", "ap"].map((id) => RegionId.make(id))

const setUp = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into regions (id, first_seen_at, last_beat_at)
    values ('eu', now(), now()), ('us', now(), now()), ('ap', now(), now()) on conflict do nothing`
  const { id: workspaceId } = yield* newWorkspace
  const manage = yield* ManageMonitors
  const { id } = yield* manage.create(workspaceId, { name: "Shop", url: "https://shop.test/", regions, failureThreshold: 1 })
  const monitors = yield* Monitors
  const bus = yield* Bus
  const row = yield* monitorRow(workspaceId, id)
  const name = sql.literal(`refuse_${id}`)
  const state = Effect.map(monitors.find(workspaceId, id), Option.match({ onNone: () => null, onSome: (found) => found.state }))
  const votes = (slot: number, outcomes: ReadonlyArray<Outcome>) =>
    outcomes.flatMap((outcome, index) =>
      regions.slice(index, index + 1).map((region) => resultOf(row, slot, { outcome, region }))
    )
  return {
    sql,
    workspaceId,
    row,
    manage,
    votes,
    /** Sends all at the same time: their writes happen only when the last one has been processed. */
    report: (slot: number, ...outcomes: ReadonlyArray<Outcome>) => bus.report(votes(slot, outcomes)),
    reaches: (wanted: string) => until(state, (found) => found === wanted),
    types: Effect.map(
      Effect.flatMap(EventLog, (events) => events.after(workspaceId, "", null, 100)),
      (events) => events.map(({ type }) => type)
    ),
    machine: Effect.flatMap(
      monitors.loadAll([{ workspaceId, monitorId: id }]),
      (found) => Effect.map(found.get(id) ?? Effect.succeedNone, (row) => Option.getOrThrow(row).machine)
    ),
    /** Makes every state change of the monitor fail until it is allowed again. Returns the number of failures. */
    refuse: Effect.as(
      Effect.gen(function*() {
        yield* sql`create sequence ${name}_count`
        yield* sql`create function ${name}() returns trigger language plpgsql as ${
          sql.literal(`$$ begin
        perform nextval('refuse_${id}_count'); raise 'The database does not want to'; end $$`)
        }`
        yield* sql`create trigger ${name} before update of version on monitor_states for each row
        when (${sql.literal(`old.monitor_id = '${id}'`)}) execute function ${name}()`
      }),
      Effect.map(
        sql<{ readonly count: number }>`select case when is_called then last_value else 0 end::int as count from ${name}_count`,
        ([found]) => found?.count ?? 0
      )
    ),
    allow: sql`drop function ${name}() cascade`,
    /** Leaves the row as a runner killed long ago would: with a round that two regions have reported. */
    leaveBehind: (outcome: Outcome) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const machine: Machine = {
          ...initialMachine(now, row.revision),
          sequence: 1,
          rounds: [{
            slot: 7,
            deadline: now - 600_000,
            votes: votes(7, [outcome, outcome]).map((result) => observationOf(result, true))
          }]
        }
        yield* sql`update monitor_states set machine = ${
          JSON.stringify(machine)
        }::jsonb, expected_at = now() - interval '10 minutes' where monitor_id = ${id}`
      })
  }
})

layer(TestRunner, { excludeTestServices: true })((it) => {
  it.effect(
    "checks known only to the actor survive a state change that could not be committed",
    () =>
      Effect.gen(function*() {
        const { allow, reaches, refuse, report } = yield* setUp
        yield* report(1, "up", "up", "up")
        yield* reaches("up")
        const refusals = yield* refuse
        yield* report(2, "down", "down", "down")
        yield* until(refusals, (count) => count >= 2)
        yield* allow
        yield* reaches("down")
      })
  )

  it.effect("a pause that could not be committed is committed on retry", () =>
    Effect.gen(function*() {
      const { allow, manage, reaches, refuse, report, row, types, workspaceId } = yield* setUp
      yield* report(1, "down", "down", "down")
      yield* reaches("down")
      const refusals = yield* refuse
      yield* manage.update(workspaceId, row.id, { paused: true })
      yield* until(refusals, (count) => count >= 1)
      yield* allow
      yield* until(types, (list) => list.includes("incident.resolved"))
    }))

  it.effect("an older snapshot does not replace a newer one that waits to be written", () =>
    Effect.gen(function*() {
      const { machine, row, workspaceId } = yield* setUp
      const before = yield* machine
      const writer = yield* CheckWriter
      const snapshot = (sequence: number): Snapshot => ({
        workspaceId,
        monitorId: row.id,
        version: row.version,
        machine: { ...before, sequence },
        lastCheck: null,
        expected: null
      })
      const first = yield* writer.add([], [snapshot(7)], false)
      const second = yield* writer.add([], [snapshot(6)], true)
      yield* Effect.all([first, second])
      expect((yield* machine).sequence).toBe(7)
    }).pipe(Effect.provide(CheckWriter.Default)))

  it.effect(
    "a round of a dead runner is closed by another, and one that cannot be closed does not block the others",
    () =>
      Effect.gen(function*() {
        const stuck = yield* setUp
        const other = yield* setUp
        const refusals = yield* stuck.refuse
        yield* stuck.leaveBehind("up")
        const reloadAbandoned = yield* makeReloadAbandoned
        yield* reloadAbandoned
        yield* until(refusals, (count) => count >= 2)
        yield* other.leaveBehind("down")
        yield* Effect.fork(Effect.repeat(reloadAbandoned, Schedule.spaced("200 millis")))
        yield* other.reaches("down")
        yield* stuck.allow
        yield* stuck.reaches("up")
      })
  )
})
