/** One monitor, message or row that cannot be worked on holds up nobody else, and somebody hears of it. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Option, Stream } from "effect"
import * as Runner from "../../../cluster/Runner.ts"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import { CheckId, type MonitorId, type WorkspaceId } from "../../../schema/Ids.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { Checks } from "../../../src/store/check/Checks.ts"
import { assignmentsSignal, Monitors } from "../../../src/store/monitor/Monitors.ts"
import { Ground, monitorRow, newWorkspace, resultOf } from "../../support/TestRunner.ts"
import { until } from "../../support/Until.ts"

const lines: Array<string> = []
const Listening = Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => void lines.push(String(message))))

const ThisRunner = Layer.mergeAll(Runner.layer, ManageMonitors.Default).pipe(
  Layer.provideMerge(Ground),
  Layer.provideMerge(Listening)
)

const told = (words: string) => until(Effect.sync(() => lines), (all) => all.some((line) => line.includes(words)))

const newMonitor = Effect.fn("newMonitor")(function*(workspaceId: WorkspaceId) {
  const manage = yield* ManageMonitors
  const { id } = yield* manage.create(workspaceId, { name: "Shop", url: "https://shop.test/" })
  return yield* monitorRow(workspaceId, id)
})

/** What a newer version may have written, and this one cannot read. */
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
    "a monitor whose row cannot be read holds up neither the checks nor the edits of the others",
    () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const [broken, sound] = [yield* newMonitor(workspaceId), yield* newMonitor(workspaceId)]
        yield* makeUnreadable(workspaceId, broken.id)
        yield* report({ ...broken, revision: 2 }, 1)
        yield* report(sound, 1)
        yield* reaches(workspaceId, sound.id, "up")
        yield* told(`Monitor ${broken.id} cannot take in its checks`)
        // Kept all the same: whoever mends the row sees what was seen.
        const checks = yield* Checks
        const list = checks.list(workspaceId, broken.id, { outcome: null, before: null, limit: 10, evidence: false })
        const [kept] = yield* until(list, (found) => found.length === 1)
        expect(kept?.counted).toBe(false)

        const manage = yield* ManageMonitors
        yield* manage.update(workspaceId, sound.id, { paused: true })
        const sql = yield* SqlClient.SqlClient
        yield* until(
          sql`select 1 from monitor_states where monitor_id = ${sound.id} and state = 'paused'`,
          (found) => found.length === 1
        )
      }),
    60_000
  )

  it.scoped("an assignment that cannot be read is not told to be gone", () =>
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
      yield* told(`Publishing the last edit of monitor ${broken.id} failed 3 times`)
    }), 60_000)

  it.scoped("a monitor can go down for an error with characters that PostgreSQL refuses", () =>
    Effect.gen(function*() {
      const { id: workspaceId } = yield* newWorkspace
      const row = yield* newMonitor(workspaceId)
      for (const slot of [1, 2]) yield* report(row, slot, { outcome: "down", error: "bad \0 byte and half a pair \ud800" })
      yield* reaches(workspaceId, row.id, "down")
    }), 60_000)

  it.scoped("a result that the database refuses holds up no other", () =>
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
      // What changes no state goes to the database by the same way as that vote.
      yield* report(sound, 2)
      const checks = yield* Checks
      const list = checks.list(workspaceId, sound.id, { outcome: null, before: null, limit: 10, evidence: false })
      yield* until(list, (found) => found.length === 2)
      yield* told(`The state of monitor ${id} cannot be stored`)
    }), 60_000)
})
