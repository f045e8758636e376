/** Two runners over Kafka; the actors of one hang although the database answers and its shard locks are refreshed. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Option, Scope } from "effect"
import { randomUUID } from "node:crypto"
import * as Cluster from "../../cluster/Cluster.ts"
import { makeHeldShards } from "../../cluster/HeldShards.ts"
import * as Runner from "../../cluster/Runner.ts"
import { RunnerWatchdog } from "../../cluster/RunnerWatchdog.ts"
import { WorkspaceId } from "../../schema/Ids.ts"
import { Bus } from "../../src/bus/Bus.ts"
import { KafkaBus } from "../../src/bus/kafka/KafkaBus.ts"
import { monitorShard } from "../../src/domain/monitor/MonitorShard.ts"
import { shardCount } from "../../src/domain/tools/Shard.ts"
import { ManageMonitors } from "../../src/operations/monitor/ManageMonitors.ts"
import { EventLog } from "../../src/store/event/EventLog.ts"
import { Monitors, type MonitorWithState } from "../../src/store/monitor/Monitors.ts"
import { MonitorStates } from "../../src/store/monitor/MonitorStates.ts"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { run } from "../../src/store/postgres/Read.ts"
import { newDatabase } from "../support/database/TestDatabase.ts"
import { canRunKafka, makeLocalKafka } from "../support/kafka/LocalKafka.ts"
import { probeKeys } from "../support/kafka/TestProbes.ts"
import { freePort } from "../support/network/FreePort.ts"
import { testIdentity } from "../support/program/TestIdentity.ts"
import { groundOn, monitorRow, newWorkspace, resultOf } from "../support/program/TestRunner.ts"
import { until } from "../support/time/Until.ts"

const population = 60

/** Actors load their row and commit changes of state only while the latch is open. */
const hangingWhileClosed = (latch: Effect.Latch) =>
  Layer.mergeAll(
    Layer.effect(
      Monitors,
      Effect.map(Monitors, (monitors) =>
        Monitors.make({ ...monitors, loadAll: (wanted) => Effect.zipRight(latch.await, monitors.loadAll(wanted)) }))
    ),
    Layer.effect(
      MonitorStates,
      Effect.map(MonitorStates, (states) =>
        MonitorStates.make({
          ...states,
          hold: (...key) =>
            Effect.zipRight(latch.await, states.hold(...key))
        }))
    )
  )

const makeRunner = Effect.fn("makeRunner")(function*(
  kafka: string,
  topicPrefix: string,
  database: ReturnType<typeof Database.layer>,
  latch: Effect.Latch
) {
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const bus = Layer.provide(KafkaBus.layer({ brokers: [kafka], topicPrefix, partitions: 4 }), probeKeys())
  const cluster = Layer.orDie(Cluster.layerRunner(testIdentity, "127.0.0.1", yield* freePort))
  const context = yield* Layer.buildWithScope(
    Layer.mergeAll(Runner.layer, ManageMonitors.Default).pipe(
      Layer.provideMerge(hangingWhileClosed(latch)),
      Layer.provideMerge(groundOn(bus, database, cluster))
    ),
    scope
  )
  const shards = yield* Effect.provide(makeHeldShards, context)
  return { scope, context, shards, bus: Context.get(context, Bus) }
})

const statesOf = (rows: ReadonlyArray<MonitorWithState>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly id: string; readonly state: string }>`
        select monitor_id as id, state from monitor_states where monitor_id = any(${rows.map(({ id }) => id)}::text[])`,
      (found) => new Map(found.map(({ id, state }) => [id, state]))
    ))

describe.skipIf(!(await canRunKafka()))("a runner whose actors hang", () => {
  it.scopedLive("delays only its own monitors, and gives them up", () =>
    Effect.gen(function*() {
      const kafka = yield* makeLocalKafka
      yield* kafka.start
      const database = Database.layer(yield* newDatabase("migrated"), { maxConnections: 5, applicationName: "belltower test" })
      const prefix = `${randomUUID()}.`
      const latch = yield* Effect.makeLatch(true)
      const sound = yield* makeRunner(kafka.address, prefix, database, yield* Effect.makeLatch(true))
      const hung = yield* makeRunner(kafka.address, prefix, database, latch)
      yield* until(
        Effect.sync(() => [sound.shards.all().size, hung.shards.all().size] as const),
        ([one, other]) => one > 0 && other > 0 && one + other === shardCount,
        "60 seconds"
      )

      const all = yield* Effect.provide(
        Effect.gen(function*() {
          const { id: workspaceId } = yield* newWorkspace
          const manage = yield* ManageMonitors
          return yield* Effect.replicateEffect(
            Effect.flatMap(
              manage.create(workspaceId, { name: "Shop", url: "https://shop.test/", failureThreshold: 1 }),
              ({ id }) => monitorRow(workspaceId, id)
            ),
            population
          )
        }),
        sound.context
      )
      const report = (slot: number, outcome: "up" | "down") =>
        Effect.eventually(sound.bus.report(all.map((row) => resultOf(row, slot, { outcome }))))
      const reach = (rows: ReadonlyArray<MonitorWithState>, state: string) =>
        until(
          Effect.provide(statesOf(rows), sound.context),
          (states) => rows.every(({ id }) => states.get(id) === state),
          "60 seconds"
        )
      yield* report(1, "up")
      yield* reach(all, "up")

      yield* latch.close
      const isOfHung = ({ id, workspaceId }: MonitorWithState) =>
        hung.shards.all().has(monitorShard({ monitorId: id, workspaceId }))
      const theirs = all.filter(isOfHung)
      const others = all.filter((row) => !isOfHung(row))
      expect([theirs.length > 0, others.length > 0]).toEqual([true, true])
      yield* report(2, "down")
      yield* reach(others, "down")
      const undecided = yield* Effect.provide(statesOf(theirs), sound.context)
      expect(new Set(undecided.values())).toEqual(new Set(["up"]))

      const pace = { every: "500 millis", again: "500 millis", timeout: "1 second", most: { hung: 3, idle: 3 } } as const
      const watch = (context: typeof hung.context) =>
        Effect.map(
          Layer.build(RunnerWatchdog.layer(pace).pipe(Layer.provide(Layer.succeedContext(context)))),
          (built) => Context.get(built, RunnerWatchdog).gaveUp
        )
      const soundGivesUp = yield* Effect.fork(yield* watch(sound.context))
      const why = yield* Effect.flip(yield* watch(hung.context))
      expect(why._tag).toBe("RunnerStuck")
      expect(Option.isNone(yield* Fiber.poll(soundGivesUp))).toBe(true)
      // As the program does when its watchdog gives up.
      yield* Effect.timeoutOption(Effect.disconnect(Effect.interruptible(Scope.close(hung.scope, Exit.void))), "5 seconds")
      yield* reach(all, "down")

      const workspaces = [...new Set(all.map(({ workspaceId }) => WorkspaceId.make(workspaceId)))]
      const log = Context.get(sound.context, EventLog)
      const alerts = yield* Effect.forEach(workspaces, (workspaceId) => run(log.readNewest(workspaceId, ["monitor.down"], 1000)))
      expect(alerts.flat()).toHaveLength(population)
    }), 240_000)
})
