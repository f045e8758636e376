/** A worker of a healthy region that dropped one assignment gets it again, although other regions go on checking the monitor. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Stream } from "effect"
import { register } from "prom-client"
import { AssignmentPublisher } from "../../../cluster/monitor/AssignmentPublisher.ts"
import { MonitorActor } from "../../../cluster/monitor/MonitorActor.ts"
import { MonitorMemories } from "../../../cluster/monitor/MonitorMemories.ts"
import { entityId, MonitorEntity } from "../../../cluster/monitor/MonitorProtocol.ts"
import { MonitorRows } from "../../../cluster/monitor/MonitorRows.ts"
import { RoundClock } from "../../../cluster/monitor/RoundClock.ts"
import { UnreportedRegions } from "../../../cluster/monitor/UnreportedRegions.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { observationOf } from "../../../src/domain/check/history/CheckView.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { LiveChecks } from "../../../src/services/check/LiveChecks.ts"
import { Ground, monitorRow, newWorkspace, resultOf } from "../../support/program/TestRunner.ts"
import { makeManualClock } from "../../support/time/ManualClock.ts"
import { until } from "../../support/time/Until.ts"

const regions = ["eu", "us"].map((id) => RegionId.make(id))

const ThisRunner = Layer.mergeAll(AssignmentPublisher, ManageMonitors.Default).pipe(
  Layer.provideMerge(MonitorActor),
  Layer.provideMerge(
    Layer.mergeAll(
      RoundClock.Default,
      MonitorMemories.Default,
      MonitorRows.Default,
      UnreportedRegions.Default,
      LiveChecks.layer
    )
  ),
  Layer.provideMerge(Ground)
)

const create = Effect.gen(function*() {
  const { id: workspaceId } = yield* newWorkspace
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(
    regions,
    (id) => sql`insert into regions (id, first_seen_at, last_beat_at) values (${id}, now(), now()) on conflict do nothing`
  )
  const manage = yield* ManageMonitors
  const { id } = yield* manage.create(workspaceId, { name: "Shop", url: "https://shop.test/", regions })
  return yield* monitorRow(workspaceId, id)
})

const unreported = Effect.map(
  Effect.promise(() => register.getSingleMetric("belltower_monitors_unreported")?.get() ?? Promise.resolve(null)),
  (found) => found?.values[0]?.value
)

layer(ThisRunner, { excludeTestServices: true })((it) => {
  it.scoped("its assignment is published again after 90 s, and the metric shows it", () =>
    Effect.gen(function*() {
      const row = yield* create
      const assigned = new Set<string>()
      const bus = yield* Bus
      yield* bus.share(RegionId.make("us")).pipe(
        Stream.runForEach((signal) =>
          Effect.sync(() => {
            if (signal._tag === "Changed" && signal.change.assignment !== null) assigned.add(signal.change.monitorId)
          })
        ),
        Effect.forkScoped
      )
      const sql = yield* SqlClient.SqlClient
      yield* until(Effect.sync(() => assigned.has(row.id)), (itHas) => itHas)
      yield* until(sql`select 1 from assignment_outbox`, (lines) => lines.length === 0)

      assigned.clear()
      const watch = yield* UnreportedRegions
      const { clock, jump } = makeManualClock(yield* Clock.currentTimeMillis)
      const key = { monitorId: row.id, workspaceId: WorkspaceId.make(row.workspaceId) }
      const round = Effect.withClock(
        Effect.gen(function*() {
          watch.note(key, row, yield* Clock.currentTimeMillis)
          yield* watch.judge
          yield* jump(60_000)
        }),
        clock
      )
      yield* Effect.repeatN(round, 1)
      expect(yield* unreported).toBe(0)
      expect(yield* sql`select 1 from assignment_outbox`).toEqual([])
      yield* round
      expect(yield* unreported).toBe(1)
      yield* until(Effect.sync(() => assigned.has(row.id)), (itHas) => itHas)

      // All regions report again.
      yield* Effect.withClock(Effect.zipRight(jump(600_000), watch.judge), clock)
      expect(yield* unreported).toBe(0)
    }))

  it.scoped("an edit or a monitor that the database has lost is taken back from the probes that still have it", () =>
    Effect.gen(function*() {
      const row = yield* create
      const eu = RegionId.make("eu")
      const goneId = MonitorId.make(`${row.id.slice(0, -4)}gone`)
      const workspaceId = WorkspaceId.make(row.workspaceId)
      const heard = new Map<string, number | null>()
      yield* Effect.forkScoped(
        Stream.runForEach(Stream.unwrap(Effect.map(Bus, (bus) => bus.share(eu))), (signal) =>
          Effect.sync(() => {
            if (signal._tag !== "Changed") return
            const { assignment, monitorId } = signal.change
            heard.set(monitorId, assignment?.revision ?? null)
          }))
      )
      const observe = (monitorId: MonitorId, revision: number) =>
        Effect.flatMap(MonitorEntity.client, (monitor) =>
          monitor(entityId(workspaceId, monitorId))
            .Observe(observationOf(resultOf(row, 1, { monitorId, revision, region: eu }), true)))
      const { judge } = yield* UnreportedRegions
      expect((yield* observe(row.id, 3)).counted).toBe(false)
      yield* observe(goneId, 1)
      yield* judge
      yield* until(Effect.sync(() => [heard.get(row.id), heard.get(goneId)]), ([edited, gone]) => edited === 4 && gone === null)
      expect((yield* observe(row.id, 4)).counted).toBe(true)
    }))

  it.scoped("an actor reports a round that passed its deadline without a healthy region", () =>
    Effect.gen(function*() {
      const row = yield* create
      const watch = yield* UnreportedRegions
      const monitor = yield* MonitorEntity.client
      const actor = monitor(entityId(WorkspaceId.make(row.workspaceId), row.id))
      const { clock, jump } = makeManualClock(yield* Clock.currentTimeMillis)
      // The region that reports is heard; of the other one nobody knows that it is gone.
      yield* actor.Observe(observationOf(resultOf(row, 1, { region: RegionId.make("eu") }), true))
      yield* jump(150_000)
      const judged = Effect.withClock(Effect.zipRight(watch.judge, unreported), clock)
      yield* until(Effect.zipRight(actor.CloseDue(), judged), (count) => count === 1)
    }))
})
