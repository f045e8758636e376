/**
 * Deliveries of alerts: webhooks a second to receivers that answer and to the subscribers of a page, the time until a fresh
 * alert is attempted beside tarpits, and
 * the cost of a claim beside few and many waiting channels. One line of JSON per figure, each with its goal.
 */
import { SqlClient } from "@effect/sql"
import { DateTime, Deferred, Effect, Either, Layer, Logger, LogLevel, Redacted } from "effect"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AlertDispatcher } from "../../cluster/alert/AlertDispatcher.ts"
import * as Cluster from "../../cluster/Cluster.ts"
import { makeHeldShards } from "../../cluster/HeldShards.ts"
import { SubscriberDispatcher } from "../../cluster/subscriber/SubscriberDispatcher.ts"
import { parseAllowList } from "../../src/domain/check/address/Egress.ts"
import { EgressGuard } from "../../src/egress/EgressGuard.ts"
import { Links, linksFrom } from "../../src/links/Links.ts"
import { DeliveryQueues } from "../../src/store/alert/DeliveryQueues.ts"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { addressOf, makeEmbeddedPostgres } from "../../src/store/postgres/embedded/EmbeddedPostgres.ts"
import { migrate } from "../../src/store/postgres/Migrations.ts"
import * as Store from "../../src/store/Store.ts"
import { testKeys } from "../support/program/TestInstallation.ts"
import { until } from "../support/time/Until.ts"
import { freshDelivery, seedChannels, seedDeliveries } from "./support/alertRows.ts"
import { cpu } from "./support/processes.mjs"
import { seedBroadcast } from "./support/subscriberRows.ts"

const port = process.argv[2] ?? "80"
const [webhooks = 40_000, alerts = 200] = process.argv.slice(3, 5).map(Number)
const only = process.argv[5]

const print = (row: string, figures: object) => console.log(JSON.stringify({ bench: "delivery", row, ...figures }))

const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN) * 100) / 100
}

/** Receivers that are numbered have addresses of their own, as they do outside: those of one address share its ports. */
const loopbackOf = (host: string): string => {
  const number = Number(/(\d+)\.test$/.exec(host)?.[1] ?? 0)
  return `127.0.${Math.floor(number / 250) % 250}.${1 + (number % 250)}`
}

const clear = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`truncate workspaces cascade`.pipe(Effect.zipRight(sql`vacuum analyze`))
)

/** Every channel has a host of its own, so that the limit per host is not what is measured. */
const throughput = Effect.fn("throughput")(function*(postgres: number) {
  const sql = yield* SqlClient.SqlClient
  const channels = yield* seedChannels(2000, 100, (index) => `http://answers${index}.test:${port}/`)
  // Proven to be quick, as in the long run.
  yield* seedDeliveries(channels, Math.ceil(webhooks / channels.length))
  yield* sql`update delivery_queues set slow = false`
  const before = { node: process.cpuUsage(), postgres: cpu(postgres), at: performance.now() }
  yield* Effect.scoped(Effect.zipRight(
    Layer.build(AlertDispatcher),
    sql<{ readonly left: number }>`select count(*)::int as left from deliveries where status = 'due'`.pipe(
      Effect.delay("500 millis"),
      Effect.repeat({ until: ([row]) => row?.left === 0 })
    )
  ))
  const node = process.cpuUsage(before.node)
  const seconds = { wall: (performance.now() - before.at) / 1000, node: (node.user + node.system) / 1e6 }
  const used = cpu(postgres)
  const postgresSec = (used.ownMs + used.othersMs - before.postgres.ownMs - before.postgres.othersMs) / 1000
  const [counted] = yield* sql<{ readonly delivered: number }>`
    select count(*)::int as delivered from deliveries where status = 'delivered'`
  const delivered = counted?.delivered ?? 0
  print("webhooks to receivers that answer", {
    delivered,
    perSecond: Math.round(delivered / seconds.wall),
    perCpuSecond: Math.round(delivered / seconds.node),
    perCpuSecondWithPostgres: Math.round(delivered / (seconds.node + postgresSec)),
    goalPerCpuSecond: 2000
  })
})

/** A receiver in this process that completes a deferred when the event arrives. */
const freshReceiver = Effect.gen(function*() {
  const arrivals = new Map<string, (at: number) => void>()
  const server = yield* Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const made = createServer((request, response) => {
        arrivals.get(String(request.headers["webhook-id"]))?.(performance.now())
        response.end()
      }).listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) => Effect.sync(() => made.close())
  )
  return { url: `http://fresh.test:${(server.address() as AddressInfo).port}/`, arrivals }
})

/** The tarpits are unknown to be slow when the first alert comes. */
const beside = Effect.fn("beside")(function*(workspaces: number) {
  const tarpits = yield* seedChannels(200, workspaces, (index) => `http://tarpit${index}.test:${port}/hang`)
  yield* seedDeliveries(tarpits, 1000)
  const { arrivals, url } = yield* freshReceiver
  const [channel] = yield* seedChannels(1, 1, () => url)
  if (channel === undefined) return
  yield* Layer.build(AlertDispatcher)
  const one = Effect.gen(function*() {
    const arrived = yield* Deferred.make<number>()
    const from = performance.now()
    const eventId = yield* freshDelivery(channel)
    arrivals.set(eventId, (at) => Deferred.unsafeDone(arrived, Effect.succeed(at)))
    return (yield* Deferred.await(arrived)) - from
  })
  const times: Array<number> = []
  for (let index = 0; index < alerts; index++) {
    times.push(yield* one)
    yield* Effect.sleep("100 millis")
  }
  print(`first attempt of a fresh alert beside 200 tarpits of ${workspaces} workspaces with 1,000 due each`, {
    alerts,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    goalP99Ms: 1000
  })
}, Effect.scoped)

/** One incident to all subscribers of a page, and the alerts of another workspace before and meanwhile. */
const broadcast = Effect.fn("broadcast")(function*(subscribers: number) {
  const sql = yield* SqlClient.SqlClient
  const { arrivals, url } = yield* freshReceiver
  const [channel] = yield* seedChannels(1, 1, () => url)
  if (channel === undefined) return
  const alert = Effect.gen(function*() {
    const arrived = yield* Deferred.make<number>()
    const from = performance.now()
    const eventId = yield* freshDelivery(channel)
    arrivals.set(eventId, (at) => Deferred.unsafeDone(arrived, Effect.succeed(at)))
    const ms = (yield* Deferred.await(arrived)) - from
    yield* Effect.sleep("100 millis")
    return ms
  })
  yield* Layer.build(AlertDispatcher)
  const quiet = yield* Effect.replicateEffect(alert, 100)
  yield* seedBroadcast(subscribers, (index) => `http://subscriber${index}.test:${port}/`)
  yield* sql`vacuum analyze`
  const before = { node: process.cpuUsage(), at: performance.now(), rss: process.memoryUsage.rss() }
  let mostRss = 0
  const times: Array<number> = []
  yield* Layer.build(SubscriberDispatcher)
  const delivered = sql<{ readonly delivered: number }>`select delivered from broadcasts`.pipe(
    Effect.map(([row]) => row?.delivered ?? 0)
  )
  while ((yield* delivered) < subscribers) {
    times.push(yield* alert)
    mostRss = Math.max(mostRss, process.memoryUsage.rss())
  }
  const node = process.cpuUsage(before.node)
  const seconds = { wall: (performance.now() - before.at) / 1000, node: (node.user + node.system) / 1e6 }
  print("an incident to the subscribers of one page", {
    subscribers,
    perSecond: Math.round(subscribers / seconds.wall),
    perCpuSecond: Math.round(subscribers / seconds.node),
    goalPerCpuSecond: 2000,
    rssKbPerSubscriber: Math.round((mostRss - before.rss) / 1024 / subscribers * 100) / 100,
    freshAlerts: times.length,
    alertP50Ms: quantile(times, 0.5),
    alertP99Ms: quantile(times, 0.99),
    quietAlertP50Ms: quantile(quiet, 0.5),
    quietAlertP99Ms: quantile(quiet, 0.99)
  })
}, Effect.scoped)

/** Claims of at most 50 deliveries, each given back by deleting it: the queue stays as long as it was. */
const claims = Effect.fn("claims")(function*(channelCount: number, each: number, inSec: number) {
  const queues = yield* DeliveryQueues
  const clock = yield* DatabaseClock
  const sql = yield* SqlClient.SqlClient
  const channels = yield* seedChannels(channelCount, Math.max(1, channelCount / 10), (index) => `http://h${index}.test/`)
  yield* seedDeliveries(channels, each, inSec)
  yield* sql`vacuum analyze`
  const walAt = Effect.map(
    sql<{ readonly at: number }>`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as at`,
    ([row]) => row?.at ?? 0
  )
  const ms: Array<number> = []
  let taken = 0
  const wal = yield* walAt
  const limit = { perWorkspace: 50, except: [] }
  /** The cost of a statement that reads nothing: a busy machine delays both. */
  const bareMs: Array<number> = []
  const rounds = inSec > 0 ? 300 : 30
  for (let index = 0; index < rounds; index++) {
    const now = yield* clock.now
    const from = performance.now()
    const ready = yield* queues.readyAt
    if (ready.first !== null && DateTime.lessThanOrEqualTo(ready.first, now)) {
      const room = Math.min(50, channelCount)
      for (const { deliveries } of yield* queues.claim({ lane: "first", now, room, ...limit })) taken += deliveries.length
    }
    ms.push(performance.now() - from)
    const bareFrom = performance.now()
    yield* sql`select 1`
    bareMs.push(performance.now() - bareFrom)
    if (channelCount < 100 && inSec === 0) {
      yield* sql`update delivery_queues set held_until = null, held_lane = null, first_at = now()`
    }
    if (channelCount < 100 && inSec === 0) yield* sql`update delivery_turns set ready_at = now()`
  }
  print(`claim beside ${channelCount} waiting channels, ${inSec > 0 ? "nothing due" : `${each} due each`}`, {
    p50Ms: quantile(ms, 0.5),
    maxMs: quantile(ms, 1),
    bareStatementP50Ms: quantile(bareMs, 0.5),
    takenPerClaim: Math.round(taken / rounds),
    ...(channelCount < 100 ? {} : { walKbPerClaim: Math.round((yield* walAt) - wal) / rounds / 1000 }),
    goal: inSec > 0 ? "p50 below 1 ms" : "the same beside 10 and 100,000"
  })
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
    resolve: (host, done) => done(null, [{ address: loopbackOf(host), family: 4 }])
  })
  const ground = Layer.merge(Store.layer, Cluster.layerSingle).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        guard,
        Layer.succeed(Links, linksFrom("http://belltower.test")),
        testKeys
      )
    ),
    Layer.provideMerge(database)
  )
  yield* Effect.gen(function*() {
    const { part } = yield* makeHeldShards
    yield* until(Effect.sync(part), (held) => held === 1)
    const benches = {
      throughput: throughput(server.pid),
      subscribers: broadcast(only === "subscribers" ? webhooks : 50_000),
      tarpits: beside(1).pipe(Effect.zipRight(clear), Effect.zipRight(beside(200))),
      claims: Effect.forEach([10, 100_000], (channels) => Effect.zipRight(claims(channels, 8, 0), clear)),
      idle: Effect.forEach([10, 100_000], (channels) => Effect.zipRight(claims(channels, 1, 3600), clear))
    }
    for (const [name, bench] of Object.entries(benches)) {
      if (only === undefined || only === name) yield* Effect.zipRight(bench, clear)
    }
  }).pipe(Effect.provide(ground))
})

await Effect.runPromise(
  Effect.scoped(measure).pipe(
    Effect.provide(Logger.minimumLogLevel(LogLevel.Warning)),
    // As the program does.
    Effect.withTracerEnabled(false)
  )
)
process.exit(0)
