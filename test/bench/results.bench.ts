/** How many check results a second one process takes through bus, actors and rows, beside a bare ask and a bare bulk insert. */
import { ClusterSchema, Entity } from "@effect/cluster"
import { Rpc } from "@effect/rpc"
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Either, Layer, Logger, LogLevel, Redacted, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Cluster from "../../cluster/Cluster.ts"
import { registerEntity } from "../../cluster/MinimalContext.ts"
import * as Runner from "../../cluster/Runner.ts"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { RegionId } from "../../schema/check/Region.ts"
import { CheckId, MonitorId, WorkspaceId } from "../../schema/Ids.ts"
import { Observation } from "../../schema/monitor/Machine.ts"
import { Bus } from "../../src/bus/Bus.ts"
import { KafkaBus } from "../../src/bus/kafka/KafkaBus.ts"
import { LocalBus } from "../../src/bus/LocalBus.ts"
import { senderOf, signed } from "../../src/bus/Signed.ts"
import { resultWire } from "../../src/bus/Wire.ts"
import { makeTelemetry } from "../../src/deployment/MakeTelemetry.ts"
import { parseAllowList } from "../../src/domain/check/address/Egress.ts"
import { settleNew } from "../../src/domain/monitor/settings/MonitorSettings.ts"
import { makeId } from "../../src/domain/tools/Id.ts"
import { EgressGuard } from "../../src/egress/EgressGuard.ts"
import { Links, linksFrom } from "../../src/links/Links.ts"
import { withEmptyContext } from "../../src/loops/WorkPriority.ts"
import { RegionHealth } from "../../src/services/check/RegionHealth.ts"
import { MonitorAnnouncer } from "../../src/services/monitor/MonitorAnnouncer.ts"
import { readSettings } from "../../src/settings/Settings.ts"
import { CheckPartitions } from "../../src/store/check/CheckPartitions.ts"
import { Checks } from "../../src/store/check/Checks.ts"
import { Monitors } from "../../src/store/monitor/Monitors.ts"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { addressOf, makeEmbeddedPostgres } from "../../src/store/postgres/embedded/EmbeddedPostgres.ts"
import { migrate } from "../../src/store/postgres/Migrations.ts"
import * as Store from "../../src/store/Store.ts"
import { Workspaces } from "../../src/store/workspace/Workspaces.ts"
import { Tracing, type TracingService } from "../../src/telemetry/Tracing.ts"
import { makeTestServers, probeKeys, testProbe } from "../support/kafka/TestProbes.ts"
import { makeBeat } from "../support/probe/Beats.ts"
import { testKeys } from "../support/program/TestInstallation.ts"
import { localCollector } from "../support/services/LocalCollector.ts"

const [monitors = 5000, rounds = 12] = process.argv.slice(2, 4).map(Number)
const brokers = process.argv[4]
const intervalMs = 60_000
/** The part of checks that is traced, to a collector in this process: one run beside one without shows what it costs. */
const tracedPart = Number(process.env["BENCH_TRACED"] ?? 0)
const regions = ["eu", "us", "ap"].map((id) => RegionId.make(id))

/** Times `work` and says how many a second of time, and of this process's CPU, it did. */
const timed = <E, R>(row: object, count: number, work: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function*() {
    const cpu = process.cpuUsage()
    const from = performance.now()
    yield* work
    const seconds = (performance.now() - from) / 1000
    const { system, user } = process.cpuUsage(cpu)
    const cpuSeconds = (system + user) / 1_000_000
    console.log(JSON.stringify({
      bench: "results",
      ...row,
      count,
      perSecond: Math.round(count / seconds),
      perCpuSecond: Math.round(count / cpuSeconds),
      cpuMicros: Math.round(cpuSeconds * 1e6 / count)
    }))
  })

interface Known {
  readonly id: MonitorId
  readonly workspaceId: WorkspaceId
}

const makeMonitors = (watchedFrom: ReadonlyArray<RegionId>) =>
  Effect.gen(function*() {
    const store = yield* Monitors
    const { workspace } = yield* Effect.flatMap(Workspaces, (workspaces) =>
      workspaces.create({ name: "Bench", agentName: "bench", plan: "self_hosted" }))
    const settings = yield* settleNew({ name: "Bench", url: "https://bench.test/" }, { channelIds: [], regions: watchedFrom })
    const sql = yield* SqlClient.SqlClient
    const now = yield* DateTime.now
    const known = Array.from({ length: monitors }, (): Known => ({
      id: MonitorId.make(makeId("mon", now.epochMillis, randomBytes(10))),
      workspaceId: workspace.id
    }))
    yield* sql.withTransaction(Effect.forEach(known, (one) =>
      store.insert(one.workspaceId, one.id, settings), { discard: true }))
    return known
  })

let nextSlot = 0

/** A check's place in a trace, as the probe makes it. */
const placeOf = (tracing: TracingService | null) => {
  const span = tracing?.begin("check http", { kind: "client", parent: null, attributes: { "belltower.region": main } }) ?? null
  span?.end()
  return span === null ? {} : { traceparent: span.traceparent }
}

/** One round of good results, as the probes of these regions would report it. */
const makeRound = (
  known: ReadonlyArray<Known>,
  watchedFrom: ReadonlyArray<RegionId>,
  tracing: TracingService | null = null
) => {
  const now = Date.now()
  // Of the past: slots far ahead are those of a clock that is wrong, and do not count.
  const slot = Math.floor(now / intervalMs) - 1000 + nextSlot++
  return known.flatMap(({ id, workspaceId }) =>
    watchedFrom.map((region): CheckResult => ({
      checkId: CheckId.make(makeId("chk", now, randomBytes(10))),
      monitorId: id,
      workspaceId,
      revision: 1,
      region,
      slot,
      at: now,
      outcome: "up",
      statusCode: 200,
      latencyMs: 12.5,
      error: null,
      cause: null,
      timings: { dnsMs: 0.4, connectMs: 2.1, tlsMs: null, firstByteMs: 9.3, totalMs: 12.5 },
      evidence: null,
      trusted: true,
      ...placeOf(tracing)
    }))
  )
}

/** Results whose rows are written. */
let recorded = 0

/** The bus, with a count of what its consumer has done. */
const counting = (bus: Layer.Layer<Bus>) =>
  Layer.effect(
    Bus,
    Effect.map(Bus, (carrier) => ({
      ...carrier,
      results: (...[handle, shards]: Parameters<typeof carrier.results>) =>
        carrier.results((batch) =>
          Effect.map(handle(batch), ({ late, stored }) => {
            const count = (results: number) => Effect.sync(() => void (recorded += results))
            return {
              stored: Effect.tap(stored, () => count(batch.length - (late?.results.size ?? 0))),
              late: late === null ? null : { ...late, stored: Effect.tap(late.stored, () => count(late.results.size)) }
            }
          }), shards)
    }))
  ).pipe(Layer.provide(bus))

/** Reports rounds as probes do, 500 at a time and two rounds ahead, until all are rows. */
const carry = (known: ReadonlyArray<Known>, watchedFrom: ReadonlyArray<RegionId>, count: number) =>
  Effect.gen(function*() {
    const bus = yield* Bus
    const tracing = yield* Tracing
    const size = known.length * watchedFrom.length
    const start = recorded
    const until = (enough: number) =>
      Effect.repeat(Effect.sleep("5 millis"), { until: () => recorded - start >= enough }).pipe(
        Effect.timeoutFail({ duration: "2 minutes", onTimeout: () => `Only ${recorded - start} of ${count * size} rows came` })
      )
    for (let round = 0; round < count; round++) {
      const results = makeRound(known, watchedFrom, tracing)
      for (let i = 0; i < results.length; i += 500) yield* bus.report(results.slice(i, i + 500))
      yield* until((round - 1) * size)
    }
    yield* until(count * size)
  })

const road = (busName: string, watchedFrom: ReadonlyArray<RegionId>) =>
  Effect.gen(function*() {
    const known = yield* makeMonitors(watchedFrom)
    const bus = yield* Bus
    const now = yield* DateTime.now
    yield* Effect.forEach(
      watchedFrom,
      (region) => bus.beat(makeBeat({ region, workerId: region, at: now.epochMillis, monitors }))
    )
    const count = Math.max(1, Math.round(rounds / watchedFrom.length))
    // The first rounds wake the actors and warm the code up.
    yield* carry(known, watchedFrom, 2)
    yield* timed(
      { row: "road", bus: busName, traced: (yield* Tracing) === null ? 0 : tracedPart, monitors, regions: watchedFrom.length },
      count * known.length * watchedFrom.length,
      carry(known, watchedFrom, count)
    )
  })

const Idle = Entity.make("Idle", [Rpc.make("Ask", { payload: Schema.typeSchema(Observation) })])
  .annotate(ClusterSchema.ClientTracingEnabled, false)
const IdleActor = registerEntity(
  Idle.toLayer({ Ask: () => Effect.void }, { maxIdleTime: "10 minutes", mailboxCapacity: 256, disableFatalDefects: true })
)

const bareMonitors = Array.from({ length: monitors }, (_, i): Known => ({
  id: MonitorId.make(`mon_${i}`),
  workspaceId: WorkspaceId.make("ws_bare")
}))
const main = RegionId.make("main")

const bareAsk = Effect.gen(function*() {
  const ask = yield* Idle.client
  const observations = makeRound(bareMonitors, [main]).map((result) => ({ ...result, hasEvidence: false }))
  const round = withEmptyContext(
    Effect.forEach(observations, (observation) => ask(observation.monitorId).Ask(observation), { concurrency: 32, discard: true })
  )
  yield* Effect.repeatN(round, 1)
  yield* timed({ row: "bare ask" }, monitors * rounds, Effect.repeatN(round, rounds - 1))
})

/** The part of Kafka's road that proves who has sent a result: signing it at the probe, and checking that at the runner. */
const bareSignature = Effect.sync(() => {
  const { servers } = makeTestServers()
  const results = makeRound(bareMonitors, [main]).map((result) => ({ key: result.monitorId, value: resultWire.encode(result) }))
  const probe = testProbe()
  const round = Effect.sync(() => {
    for (const result of results) {
      const { headers, value } = signed(probe, "result", result)
      const sender = senderOf(servers, "result", { headers, key: Buffer.from(result.key), value: Buffer.from(value ?? "") })
      if (typeof sender === "string") throw new Error("A signed result was refused")
    }
  })
  return timed({ row: "bare signature, made and checked" }, monitors * rounds, Effect.repeatN(round, rounds - 1))
}).pipe(Effect.flatten)

const bareInsert = Effect.gen(function*() {
  const checks = yield* Checks
  const write = Effect.suspend(() => {
    const results = makeRound(bareMonitors, [main]).map((result) => ({ result, counted: true }))
    const batches = Array.from({ length: Math.ceil(results.length / 500) }, (_, i) => results.slice(i * 500, i * 500 + 500))
    return Effect.forEach(batches, checks.insert, { discard: true })
  })
  yield* Effect.repeatN(write, 1)
  yield* timed({ row: "bare bulk insert of 500 rows" }, monitors * rounds, Effect.repeatN(write, rounds - 1))
})

/** A runner with everything it needs, on the given bus; partitions of checks are there for today. */
const runnerOn = (bus: Layer.Layer<Bus>, database: ReturnType<typeof Database.layer>) => {
  const ground = Layer.mergeAll(RegionHealth.layer, MonitorAnnouncer.Default).pipe(
    Layer.provideMerge(Store.layer),
    Layer.provideMerge(Layer.mergeAll(counting(bus), Cluster.layerSingle)),
    Layer.provideMerge(Layer.mergeAll(
      testKeys,
      Layer.succeed(Links, linksFrom("http://bench.test")),
      EgressGuard.Default({ allow: Either.getOrThrow(parseAllowList("")) })
    )),
    Layer.provideMerge(database)
  )
  return Layer.mergeAll(Runner.layer, IdleActor).pipe(
    Layer.provideMerge(Layer.effectDiscard(Effect.flatMap(CheckPartitions, (partitions) => partitions.maintain()))),
    Layer.provideMerge(ground)
  )
}

const telemetry = tracedPart === 0 ? Layer.empty : Layer.unwrapScoped(Effect.gen(function*() {
  const collector = yield* localCollector()
  const settings = yield* readSettings("all", {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_METRICS_EXPORTER: "none",
    OTEL_LOGS_EXPORTER: "none",
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: String(tracedPart)
  })
  return makeTelemetry(yield* settings.telemetry, { role: "runner", region: main, instanceId: "bench" })
}))

const measure = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "belltower-bench-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  chmodSync(folder, 0o755)
  const server = yield* makeEmbeddedPostgres({ folder: join(folder, "postgres") })
  const database = Database.layer(Redacted.make(addressOf(server)), { maxConnections: 10, applicationName: "belltower bench" })
  yield* Effect.provide(migrate, database)

  yield* Effect.gen(function*() {
    yield* bareAsk
    yield* bareSignature
    yield* bareInsert
    yield* road("in-process", [main])
    yield* road("in-process", regions)
  }).pipe(Effect.provide(Layer.provideMerge(runnerOn(LocalBus.layer, database), telemetry)))

  if (brokers === undefined) return
  const bus = Layer.provide(KafkaBus.layer({ brokers: [brokers], topicPrefix: "bench.", partitions: 16 }), probeKeys())
  yield* road("Kafka", [main]).pipe(Effect.provide(runnerOn(bus, database)))
})

await Effect.runPromise(
  Effect.scoped(measure).pipe(
    Effect.provide(Logger.minimumLogLevel(LogLevel.Warning)),
    // As the program does.
    Effect.withTracerEnabled(false)
  )
)
