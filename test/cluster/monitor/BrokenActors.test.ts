/** A broken monitor, message or row does not block the others and is logged. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option, Stream } from "effect"
import * as Runner from "../../../cluster/Runner.ts"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import { CheckId, type MonitorId, type WorkspaceId } from "../../../schema/Ids.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { Checks } from "../../../src/store/check/Checks.ts"
import { assignmentsSignal, Monitors } from "../../../src/store/monitor/Monitors.ts"
import { collectingLog } from "../../support/measure/CollectingLog.ts"
import { Ground, monitorRow, newWorkspace, resultOf } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const lines: Array<string> = []
const Listening = collectingLog(lines)

const ThisRunner = Layer.mergeAll(Runner.layer, ManageMonitors.Default).pipe(
  Layer.provideMerge(Ground),
  Layer.provideMerge(Listening)
)

const logged = (words: string) => until(Effect.sync(() => lines), (all) => all.some((line) => line.includes(words)))

const newMonitor = Effect.fn("newMonitor")(function*(workspaceId: WorkspaceId) {
  const manage = yield* ManageMonitors
  const { id } = yield* manage.create(workspaceId, { name: "Shop", url: "https://shop.test/" })
  return yield* monitorRow(workspaceId, id)
})

/** Rows that a newer version may have written and this version cannot read. */
const makeUnreadable = Effect.fn("makeUnreadable")(function*(workspaceId: WorkspaceId, id: MonitorId) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update monitors set target = '{"kind":"http"}', revision = revision + 1 where id = ${id}`
  yield* sql`insert into assignment_outbox (monitor_id, workspace_id) values (${id}, ${workspaceId})
    on conflict (monitor_id) do update set sequence = default`
  yield* sql`select pg_notify(${assignmentsSignal}, '')`
})

const report = (row: Parameters<typeof resultOf>[0], slot: number, more: Partial<CheckResult> = {}) =>
  Effect.flatMap(Bus, (bus) => bus.report([resultOf(row, slot, more)]))

const reaches = (workspaceId: WorkspaceId, id: string, state: string) =>
  until(
    Effect.flatMap(Monitors, (monitors) => monitors.find(workspaceId, id)),
    (found) => Option.exists(found, (monitor) => monitor.state === state)
  )

layer(ThisRunner, { excludeTestServices: true })((it) => {
  it.scoped(
    "a monitor with an unreadable row blocks neither the checks nor the edits of the others",
    () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const [broken, sound] = [yield* newMonitor(workspaceId), yield* newMonitor(workspaceId)]
        yield* makeUnreadable(workspaceId, broken.id)
        yield* report({ ...broken, revision: 2 }, 1)
        yield* report(sound, 1)
        yield* reaches(workspaceId, sound.id, "up")
        yield* logged(`Monitor ${broken.id} cannot take in its checks`)
        // The check is kept, so that repairing the row reveals it.
        const checks = yield* Checks
        const list = checks.list(workspaceId, broken.id, { outcome: null, before: null, limit: 10 })
        const [kept] = yield* until(list, (found) => found.length === 1)
        expect(kept?.counted).toBe(false)

        const manage = yield* ManageMonitors
        yield* manage.update(workspaceId, sound.id, { paused: true })
        const sql = yield* SqlClient.SqlClient
        yield* until(
          sql`select 1 from monitor_states where monitor_id = ${sound.id} and state = 'paused'`,
          (found) => found.length === 1
        )
      })
  )

  it.scoped("an unreadable assignment is not announced as deleted", () =>
    Effect.gen(function*() {
      const { id: workspaceId } = yield* newWorkspace
      const [broken, sound] = [yield* newMonitor(workspaceId), yield* newMonitor(workspaceId)]
      const known = new Map<string, boolean>()
      const bus = yield* Bus
      yield* bus.share(RegionId.make("main")).pipe(
        Stream.runForEach((signal) =>
          Effect.sync(() => {
            if (signal._tag === "Changed") known.set(signal.change.monitorId, signal.change.assignment !== null)
          })
        ),
        Effect.forkScoped
      )
      yield* until(Effect.sync(() => known), (all) => all.get(broken.id) === true && all.get(sound.id) === true)
      yield* makeUnreadable(workspaceId, broken.id)
      yield* Effect.flatMap(ManageMonitors, (manage) => manage.remove(workspaceId, sound.id))
      yield* until(Effect.sync(() => known), (all) => all.get(sound.id) === false)
      expect(known.get(broken.id)).toBe(true)
      yield* logged(`Publishing the last edit of monitor ${broken.id} failed 3 times`)
    }))

  it.scoped("a monitor can go down with an error text that contains characters PostgreSQL rejects", () =>
    Effect.gen(function*() {
      const { id: workspaceId } = yield* newWorkspace
      const row = yield* newMonitor(workspaceId)
      for (const slot of [1, 2]) yield* report(row, slot, { outcome: "down", error: "bad \0 byte and half a pair \ud800" })
      yield* reaches(workspaceId, row.id, "down")
    }))

  it.scoped("a result that the database rejects does not block the others", () =>
    Effect.gen(function*() {
      const { id: workspaceId } = yield* newWorkspace
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into regions (id, first_seen_at, last_beat_at) values ('eu', now(), now()), ('us', now(), now())
        on conflict do nothing`
      const manage = yield* ManageMonitors
      const [eu, us] = ["eu", "us"].map((id) => RegionId.make(id)) as [RegionId, RegionId]
      const { id } = yield* manage.create(workspaceId, { name: "Shop", url: "https://shop.test/", regions: [eu, us] })
      const row = yield* monitorRow(workspaceId, id)
      const sound = yield* newMonitor(workspaceId)
      // Half a round: its vote is kept with the monitor's state.
      yield* report(row, 1, { region: eu, checkId: CheckId.make("chk_with_a_\0_byte") })
      yield* report(sound, 1)
      yield* reaches(workspaceId, sound.id, "up")
      // Checks that change no state are written the same way as that vote.
      yield* report(sound, 2)
      const checks = yield* Checks
      const list = checks.list(workspaceId, sound.id, { outcome: null, before: null, limit: 10 })
      yield* until(list, (found) => found.length === 2)
      yield* logged(`The state of monitor ${id} cannot be stored`)
    }))
})
