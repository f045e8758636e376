/**
 * A storm: thousands of monitors go down within a minute. How long after the last check all of them are decided, recorded as events
 * and handed to delivery, in one process. One line of JSON, with its goal.
 */
import { SqlClient } from "@effect/sql"
import { Clock, DateTime, Effect, Either, Layer, Logger, LogLevel, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Cluster from "../../cluster/Cluster.ts"
import * as Runner from "../../cluster/Runner.ts"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { RegionId } from "../../schema/check/Region.ts"
import { ChannelId, CheckId, MonitorId, WorkspaceId } from "../../schema/Ids.ts"
import { Bus } from "../../src/bus/Bus.ts"
import { LocalBus } from "../../src/bus/LocalBus.ts"
import { parseAllowList } from "../../src/domain/check/address/Egress.ts"
import { phaseOf, slotAt } from "../../src/domain/check/round/CheckSlot.ts"
import { settleNew } from "../../src/domain/monitor/settings/MonitorSettings.ts"
import { makeId } from "../../src/domain/tools/Id.ts"
import { EgressGuard } from "../../src/egress/EgressGuard.ts"
import { Links, linksFrom } from "../../src/links/Links.ts"
import { RegionHealth } from "../../src/services/check/RegionHealth.ts"
import { MonitorAnnouncer } from "../../src/services/monitor/MonitorAnnouncer.ts"
import { CheckPartitions } from "../../src/store/check/CheckPartitions.ts"
import { Monitors } from "../../src/store/monitor/Monitors.ts"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { addressOf, makeEmbeddedPostgres } from "../../src/store/postgres/embedded/EmbeddedPostgres.ts"
import { migrate } from "../../src/store/postgres/Migrations.ts"
import * as Store from "../../src/store/Store.ts"
import { makeBeat } from "../support/probe/Beats.ts"
import { testKeys } from "../support/program/TestInstallation.ts"
import { seedChannels } from "./support/alertRows.ts"
import { cpu } from "./support/processes.mjs"
import { copyMonitor } from "./support/seed.mjs"

const port = process.argv[2] ?? "80"
const [monitors = 30_000, seconds = 60, spread = 100] = process.argv.slice(3).map(Number)
const workspaces = Math.min(spread, monitors)
const intervalMs = 60_000
const ticksPerSecond = 10
const region = RegionId.make("main")

interface Known {
  readonly id: MonitorId
  readonly workspaceId: WorkspaceId
}

/** The same number of monitors in each workspace, and one channel, to which all of them are attached. */
const seed = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const store = yield* Monitors
  const channels = yield* seedChannels(workspaces, workspaces, (index) => `http://receiver${index}.test:${port}/`)
  const query = (text: string, values: ReadonlyArray<unknown> = []) =>
    Effect.runPromise(Effect.orDie(sql.unsafe(text, [...values])))
  return yield* Effect.forEach(channels, (channel) =>
    Effect.gen(function*() {
      const workspaceId = WorkspaceId.make(channel.workspaceId)
      const input = { name: "Bench", url: "https://bench.test/", failureThreshold: 1 }
      const settings = yield* settleNew(input, { channelIds: [ChannelId.make(channel.id)], regions: [region] })
      const { epochMillis } = yield* DateTime.now
      const id = MonitorId.make(makeId("mon", epochMillis, randomBytes(10)))
      yield* store.insert(workspaceId, id, settings)
      const copies = yield* Effect.promise(() => copyMonitor(query, id, Math.floor(monitors / workspaces) - 1))
      return [id, ...copies.map((copy) => MonitorId.make(copy))].map((id): Known => ({ id, workspaceId }))
    }))
}).pipe(
  // The ends of ids are random: a storm hits monitors of all workspaces by turns.
  Effect.map((all) => all.flat().sort((a, b) => a.id.slice(-8) < b.id.slice(-8) ? -1 : 1))
)

const resultOf = ({ id, workspaceId }: Known, now: number, ahead: number, outcome: "up" | "down"): CheckResult => ({
  checkId: CheckId.make(makeId("chk", now, randomBytes(10))),
  monitorId: id,
  workspaceId,
  revision: 1,
  region,
  slot: slotAt(now, phaseOf(id, intervalMs), intervalMs) + ahead,
  at: now,
  outcome,
  statusCode: outcome === "up" ? 200 : null,
  latencyMs: 12.5,
  error: outcome === "up" ? null : "The connection was refused",
  cause: outcome === "up" ? null : "connect_refused",
  timings: null,
  evidence: null,
  trusted: true
})

/** Polls until a count reaches the number of monitors; the seconds since `from`. */
const reaches = (count: Effect.Effect<number, unknown>, from: () => number) =>
  count.pipe(
    // The storm may leave no connection for this.
    Effect.retry({ times: 50 }),
    Effect.delay("250 millis"),
    Effect.repeat({ until: (n) => n >= monitors }),
    Effect.timeoutFail({ duration: "5 minutes", onTimeout: () => "The storm was not handled within 5 minutes" }),
    Effect.map(() => Math.max(0, Math.round((performance.now() - from()) / 100) / 10))
  )

const storm = (postgres: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const bus = yield* Bus
    const known = yield* seed
    yield* Layer.build(Runner.layer)
    const counts = (query: string) =>
      Effect.map(sql.unsafe<{ readonly n: number }>(`select count(*)::int as n from ${query}`), ([row]) => row?.n ?? 0)

    const begun = yield* Clock.currentTimeMillis
    const beats = bus.beat(makeBeat({ region, at: begun, monitors }))
    yield* beats
    yield* Effect.forkScoped(Effect.forever(Effect.delay(Effect.ignore(beats), "5 seconds")))
    for (let from = 0; from < known.length; from += 500) {
      const now = yield* Clock.currentTimeMillis
      yield* bus.report(known.slice(from, from + 500).map((one) => resultOf(one, now, -1, "up")))
    }
    yield* reaches(counts("monitor_states where state = 'up'"), () => 0)

    const before = { node: process.cpuUsage(), postgres: cpu(postgres) }
    let lastCheck = Number.POSITIVE_INFINITY
    const each = Math.ceil(known.length / (seconds * ticksPerSecond))
    const blow = Effect.gen(function*() {
      const from = performance.now()
      for (let tick = 0; tick * each < known.length; tick++) {
        const now = yield* Clock.currentTimeMillis
        yield* bus.report(known.slice(tick * each, (tick + 1) * each).map((one) => resultOf(one, now, 0, "down")))
        yield* Effect.sleep(Math.max(0, from + (tick + 1) * 1000 / ticksPerSecond - performance.now()))
      }
      lastCheck = performance.now()
    })
    const since = () => lastCheck
    const [, decidedSec, recordedSec, handedSec] = yield* Effect.all([
      blow,
      reaches(counts("monitor_states where state = 'down'"), since),
      reaches(counts("events where type = 'monitor.down'"), since),
      reaches(counts("deliveries d join events e on e.id = d.event_id where e.type = 'monitor.down'"), since)
    ], { concurrency: "unbounded" })
    const node = process.cpuUsage(before.node)
    const used = cpu(postgres)
    const attempted = yield* counts("deliveries where status = 'delivered'")
    console.log(JSON.stringify({
      bench: "storm",
      monitors,
      workspaces,
      seconds,
      decidedSec,
      recordedSec,
      handedSec,
      attempted,
      nodeMsPerMonitor: Math.round((node.user + node.system) / monitors) / 1000,
      postgresMsPerMonitor: Math.round(
        (used.ownMs + used.othersMs - before.postgres.ownMs - before.postgres.othersMs) / monitors * 1000
      ) / 1000,
      goalSec: 60
    }))
  })

const measure = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "belltower-bench-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  chmodSync(folder, 0o755)
  const server = yield* makeEmbeddedPostgres({ folder: join(folder, "postgres") })
  const database = Database.layer(Redacted.make(addressOf(server)), { maxConnections: 10, applicationName: "belltower bench" })
  yield* Effect.provide(migrate, database)
  const guard = EgressGuard.Default({
    allow: Either.getOrThrow(parseAllowList("127.0.0.0/8")),
    resolve: (_, done) => done(null, [{ address: "127.0.0.1", family: 4 }])
  })
  const ground = Layer.mergeAll(RegionHealth.layer, MonitorAnnouncer.Default).pipe(
    Layer.provideMerge(Store.layer),
    Layer.provideMerge(Layer.mergeAll(LocalBus.layer, Cluster.layerSingle)),
    Layer.provideMerge(Layer.mergeAll(
      testKeys,
      Layer.succeed(Links, linksFrom("http://bench.test")),
      guard
    )),
    Layer.provideMerge(database)
  )
  yield* Effect.zipRight(Effect.flatMap(CheckPartitions, (partitions) => partitions.maintain()), Effect.scoped(storm(server.pid)))
    .pipe(
      Effect.provide(ground)
    )
})

await Effect.runPromise(
  Effect.scoped(measure).pipe(
    Effect.provide(Logger.minimumLogLevel(LogLevel.Warning)),
    // As the program does.
    Effect.withTracerEnabled(false)
  )
)
process.exit(0)
