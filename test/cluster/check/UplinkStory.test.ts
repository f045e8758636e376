/** A probe's own connection goes away and comes back: what alerts the workspace gets, through the real worker, bus and actors. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array as Arr, Effect, Exit, Layer, Scope } from "effect"
import * as Runner from "../../../cluster/Runner.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { EgressGuard } from "../../../src/egress/EgressGuard.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import * as Worker from "../../../src/probe/Worker.ts"
import { makeNetwork } from "../../support/network/Network.ts"
import { region } from "../../support/probe/Assignments.ts"
import { Ground, newWorkspace } from "../../support/program/TestRunner.ts"
import { probing, tcpTarget } from "../../support/targets/LocalTargets.ts"
import { until } from "../../support/time/Until.ts"

const monitors = 5

/** A target in a network of its own, with a monitor that is down after one failed check. */
const makeTarget = Effect.fn("makeTarget")(function*(workspaceId: WorkspaceId, n: number) {
  const host = `127.0.${n}.1`
  const scope = yield* Effect.acquireRelease(Scope.make(), (made) => Scope.close(made, Exit.void))
  const port = yield* Scope.extend(tcpTarget((socket) => socket.end(), host), scope)
  const manage = yield* ManageMonitors
  const { id } = yield* manage.create(workspaceId, { name: `Target ${n}`, kind: "tcp", host, port, failureThreshold: 1 })
  return { id, stop: Scope.close(scope, Exit.void) }
})

/** A runner and a probe that has seen all targets up, each checked once a second. */
const setUp = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { id: workspaceId } = yield* newWorkspace
  const targets = yield* Effect.forEach(Arr.range(1, monitors), (n) => makeTarget(workspaceId, n))
  yield* sql`update monitors set interval_sec = 1, timeout_ms = 1000 where workspace_id = ${workspaceId}`
  yield* Layer.build(Runner.layer)
  const { guard, network } = yield* makeNetwork
  const worker = Worker.run({ region, workerId: "w1", canaries: [], isOutside: () => true })
  yield* Effect.forkScoped(Effect.provideService(worker, EgressGuard, guard))

  /** How many monitors have a check of this kind since a moment of the database. */
  const checked = (since: Date, counted: boolean) =>
    Effect.map(
      sql`select distinct monitor_id from checks
        where workspace_id = ${workspaceId} and counted = ${counted} and at > ${since}`,
      (rows) => rows.length
    )
  const now = Effect.map(sql<{ readonly now: Date }>`select clock_timestamp() as now`, ([row]) => row?.now ?? new Date(0))
  const all = (counted: boolean) => Effect.flatMap(now, (since) => until(checked(since, counted), (n) => n === monitors))
  const alerts = Effect.map(
    sql<{ readonly alerts: string }>`
      select type || ' ' || (data -> 'monitor' ->> '_id') as alerts from events
      where workspace_id = ${workspaceId} and type in ('monitor.down', 'monitor.up', 'monitor.degraded') order by id`,
    (rows) => rows.map(({ alerts }) => alerts)
  )
  yield* all(true)
  const before = (yield* alerts).length
  return { all, network, targets, alerts: Effect.map(alerts, (lines) => lines.slice(before)) }
})

const loseAndFind = (
  network: { away: boolean },
  all: (counted: boolean) => Effect.Effect<unknown, unknown>,
  meanwhile: Effect.Effect<void>
) =>
  Effect.gen(function*() {
    network.away = true
    yield* meanwhile
    // Every monitor has failed while the connection was away.
    yield* all(false)
    network.away = false
    yield* all(true)
  })

const World = ManageMonitors.Default.pipe(Layer.provideMerge(probing()), Layer.provideMerge(Ground))

layer(World, { excludeTestServices: true })("a probe whose own connection goes away and comes back", (it) => {
  it.scoped("raises no alarm", () =>
    Effect.gen(function*() {
      const { all, network, alerts } = yield* setUp
      yield* loseAndFind(network, all, Effect.void)
      expect(yield* alerts).toEqual([])
    }), 60_000)
})

layer(World, { excludeTestServices: true })("a target that breaks while the probe's connection is away", (it) => {
  it.scoped("alerts once the connection is back, and no other target does", () =>
    Effect.gen(function*() {
      const { all, network, targets: [broken], alerts } = yield* setUp
      yield* loseAndFind(network, all, broken?.stop ?? Effect.void)
      yield* until(alerts, (lines) => lines.length > 0)
      yield* all(true)
      expect(yield* alerts).toEqual([`monitor.down ${broken?.id}`])
    }), 60_000)
})
