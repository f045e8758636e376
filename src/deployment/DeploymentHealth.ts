/** The health checks of each role for /health, and which of them decide whether the process is ready. */
import { DateTime, Effect, Option } from "effect"
import { makeHeldShards } from "../../cluster/HeldShards.ts"
import { Bus } from "../bus/Bus.ts"
import { lostSpan } from "../domain/backup/RestoreText.ts"
import type { ClusterPace } from "../domain/health/ClusterPace.ts"
import { type Finding, fine } from "../domain/health/Health.ts"
import { shardCount } from "../domain/tools/Shard.ts"
import { type HealthCheck, makeHealthLooks, reachable } from "../http/server/HealthChecks.ts"
import { DeadMansSwitch } from "../services/installation/DeadMansSwitch.ts"
import { MonitoringHealth } from "../services/monitor/MonitoringHealth.ts"
import { lastRestore } from "../store/backup/Restores.ts"
import { makeLiveRunners } from "../store/LiveRunners.ts"
import { Listening } from "../store/monitor/Listening.ts"
import { Database } from "../store/postgres/connections/Database.ts"
import { ownChecks } from "./ProbeHealth.ts"

const noRunner: Finding = { state: "degraded", reason: "No runner is alive: results are not counted and nothing is delivered" }

/** The runners as the database shows them: those that are all gone or hang cannot report it. */
const runnersCheck = (pace: ClusterPace) =>
  Effect.map(makeLiveRunners, ({ count }): HealthCheck => ({
    name: "runners",
    look: Effect.map(count(pace.shardLockSec), ({ runners, shards }): Finding => {
      const details = { runners, shards, shardsInAll: shardCount }
      if (runners === 0) return { ...noRunner, details }
      return shards === shardCount
        ? { ...fine, details }
        : { state: "degraded", reason: `No live runner holds ${shardCount - shards} of the ${shardCount} shards`, details }
    }),
    otherwise: "degraded",
    gatesReadiness: false
  }))

/** Processes without Kafka hear nothing of each other: each takes all monitors for its own. */
const aloneCheck = Effect.map(Listening, ({ count }): HealthCheck => ({
  name: "runners",
  look: Effect.map(count, (processes): Finding =>
    processes <= 1 ? fine : {
      state: "degraded",
      reason: `${processes} processes serve this database, and this one is without Kafka, so they work against each other: ` +
        "stop all but one, or set KAFKA_BROKERS for all",
      details: { processes }
    }),
  otherwise: "degraded",
  gatesReadiness: false
}))

/** Says what a restore of the last 30 days has lost. It is no fault of the process. */
const restoreCheck = Effect.gen(function*() {
  const restore = yield* lastRestore
  const since = DateTime.subtract(yield* DateTime.now, { days: 30 })
  if (Option.isNone(restore) || DateTime.lessThan(restore.value.restoredAt, since)) return []
  const { notSent, restoredAt, restoredTo } = restore.value
  yield* Effect.logWarning(lostSpan(restore.value))
  const finding: Finding = {
    ...fine,
    details: { lostFrom: DateTime.formatIso(restoredTo), lostUntil: DateTime.formatIso(restoredAt), notSent }
  }
  return [{ name: "restore", look: Effect.succeed(finding), otherwise: "degraded", gatesReadiness: false } satisfies HealthCheck]
})

/** For a process that serves the interface. What all of them share leaves it ready: else a load balancer would have none left. */
export const interfaceHealth = Effect.fn("DeploymentHealth.interfaceHealth")(
  function*(pace: ClusterPace, hasOtherRunners: boolean) {
    const { ping } = yield* Database
    const bus = yield* Bus
    const monitoring = yield* MonitoringHealth
    const deadman = yield* DeadMansSwitch
    const check = (name: string, look: Effect.Effect<Finding, unknown>): HealthCheck => ({
      name,
      look,
      otherwise: "degraded",
      gatesReadiness: false
    })
    return yield* makeHealthLooks([
      reachable("database", ping, "failing"),
      reachable("bus", bus.ping, "degraded"),
      ...yield* ownChecks,
      yield* hasOtherRunners ? runnersCheck(pace) : aloneCheck,
      check("regions", monitoring.regions),
      check("monitors", monitoring.monitors),
      check("backlog", monitoring.backlog),
      check("deadman", deadman.finding),
      ...(yield* restoreCheck)
    ])
  }
)

/** For a runner: ready while the database answers and it holds shards, or is listed as healthy and could get some. */
export const runnerHealth = Effect.fn("DeploymentHealth.runnerHealth")(
  function*(address: { readonly host: string; readonly port: number }) {
    const { ping } = yield* Database
    const bus = yield* Bus
    const held = yield* makeHeldShards
    const { isListed } = yield* makeLiveRunners
    const look = Effect.suspend((): Effect.Effect<Finding, unknown> => {
      const details = { shards: held.all().size, shardsInAll: shardCount }
      if (details.shards > 0) return Effect.succeed({ ...fine, details })
      return Effect.map(isListed(address), (listed): Finding =>
        listed
          ? { ...fine, details }
          : { state: "failing", reason: "It holds no shards and is not in the list of healthy runners", details })
    })
    return yield* makeHealthLooks([
      reachable("database", ping, "failing", true),
      { name: "shards", look, otherwise: "failing", gatesReadiness: true },
      reachable("bus", bus.ping, "degraded"),
      ...yield* ownChecks
    ])
  }
)
