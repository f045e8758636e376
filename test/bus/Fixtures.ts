/** Messages for the bus tests, and a worker that tracks its share of the monitors as a probe does. */
import { Clock, Effect, Stream, SubscriptionRef } from "effect"
import { randomUUID } from "node:crypto"
import type { Assignment, CheckRequest, CheckResult } from "../../schema/check/Bus.ts"
import { RegionId } from "../../schema/check/Region.ts"
import { CheckId, MonitorId, WorkspaceId } from "../../schema/Ids.ts"
import type { Bus, ResultShards, TakenIn } from "../../src/bus/Bus.ts"
import { shardCount } from "../../src/domain/tools/Shard.ts"

export type BusService = Bus["Type"]
export const main = RegionId.make("main")
export const elsewhere = RegionId.make("elsewhere")
export const monitor = (n: number): MonitorId => MonitorId.make(`mon_${String(n).padStart(26, "0")}`)

/** The `n`th result of a monitor. */
export const result = (monitorId: MonitorId, n: number): CheckResult => ({
  checkId: CheckId.make(`chk_${String(n).padStart(26, "0")}`),
  monitorId,
  workspaceId: WorkspaceId.make("ws_00000000000000000000000001"),
  revision: 1,
  region: main,
  slot: n,
  at: 1_795_000_000_000 + n,
  outcome: "up",
  statusCode: 200,
  latencyMs: 12.5,
  error: null,
  cause: null,
  timings: { dnsMs: null, connectMs: 1, tlsMs: null, firstByteMs: 10, totalMs: 12.5 },
  evidence: null,
  trusted: true
})

export const assignment = (monitorId: MonitorId, regions: ReadonlyArray<RegionId> = [main], revision = 1): Assignment => ({
  monitorId,
  workspaceId: WorkspaceId.make("ws_00000000000000000000000001"),
  revision,
  changedAt: 1_795_000_000_000,
  intervalSec: 60,
  timeoutMs: 10_000,
  regions,
  target: {
    kind: "http",
    url: "http://127.0.0.1/",
    method: "GET",
    followRedirects: true,
    expectedStatus: "200-299",
    keyword: null,
    keywordAbsent: null,
    degradedAfterMs: null,
    sslExpiryDays: null,
    assertions: []
  },
  secrets: null
})

export const assigned = (monitorId: MonitorId, regions?: ReadonlyArray<RegionId>, revision?: number) => ({
  monitorId,
  assignment: assignment(monitorId, regions, revision)
})
export const gone = (monitorId: MonitorId) => ({ monitorId, assignment: null })

export const request = (region: RegionId, withinMs: number): Effect.Effect<CheckRequest> =>
  Effect.map(Clock.currentTimeMillis, (now) => ({
    requestId: randomUUID(),
    region,
    assignment: assignment(monitor(1)),
    expiresAt: now + withinMs
  }))

/** A worker's monitors by id, with the assigned partition and revision. */
export type Share = ReadonlyMap<MonitorId, { readonly partition: number; readonly revision: number }>

/** Follows the signals of one worker until the scope closes; the share is null until the worker learns what it owns. */
export const work = Effect.fn(function*(bus: BusService, region: RegionId = main) {
  const share = yield* SubscriptionRef.make<Share | null>(null)
  yield* bus.share(region).pipe(
    Stream.runForEach((signal) =>
      SubscriptionRef.update(share, (before) => {
        if (signal._tag === "Owned") {
          return new Map([...(before ?? [])].filter(([, { partition }]) => signal.partitions.has(partition)))
        }
        const after = new Map(before)
        const { change, partition } = signal
        const known = after.get(change.monitorId)
        // A monitor may move to another partition: what its old one says about it then is old.
        if (change.assignment === null) {
          if (known?.partition === partition) after.delete(change.monitorId)
        } else if (known === undefined || known.revision <= change.assignment.revision) {
          after.set(change.monitorId, { partition, revision: change.assignment.revision })
        }
        return after
      })
    ),
    Effect.forkScoped
  )
  return share
})

/** Follows a worker's part of the main region until the scope closes; null until the worker learns it. */
export const partOf = Effect.fn(function*(bus: BusService) {
  const part = yield* SubscriptionRef.make<number | null>(null)
  yield* bus.share(main).pipe(
    Stream.runForEach((signal) =>
      signal._tag === "Owned" ? SubscriptionRef.set(part, signal.partitions.size / signal.total) : Effect.void
    ),
    Effect.forkScoped
  )
  return part
})

/** Waits until the observed value satisfies the predicate. */
export const until = <A>(ref: SubscriptionRef.SubscriptionRef<A>, isSo: (value: A) => boolean): Effect.Effect<A> =>
  ref.changes.pipe(Stream.filter(isSo), Stream.runHead, Effect.flatMap((value) => value), Effect.orDie)

/** Waits until two observed values together satisfy the predicate. */
export const untilBoth = <A>(
  one: SubscriptionRef.SubscriptionRef<A>,
  two: SubscriptionRef.SubscriptionRef<A>,
  isSo: (one: A, two: A) => boolean
): Effect.Effect<void> =>
  Stream.zipLatest(one.changes, two.changes).pipe(Stream.takeUntil(([a, b]) => isSo(a, b)), Stream.runDrain)

/** The kept offsets of all tests, as the database keeps them for all processes. */
const kept = new Map<string, { reader: symbol; next: string | null }>()

/** A process that reads the results of shards, by default of all. */
export const reader = (held: () => ReadonlySet<number> = () => everyShard): ResultShards => {
  const self = Symbol("reader")
  return {
    held,
    claim: (topic, partitions) =>
      Effect.sync(() =>
        new Map(partitions.flatMap((partition) => {
          const next = kept.get(`${topic}/${partition}`)?.next ?? null
          kept.set(`${topic}/${partition}`, { reader: self, next })
          return next === null ? [] : [[partition, next] as const]
        }))
      ),
    keep: (topic, offsets) =>
      Effect.sync(() =>
        new Set([...offsets].flatMap(([partition, next]) => {
          const row = kept.get(`${topic}/${partition}`)
          if (row?.reader !== self) return []
          row.next = next
          return [partition]
        }))
      )
  }
}
const everyShard: ReadonlySet<number> = new Set(Array.from({ length: shardCount }, (_, shard) => shard))

/** How many offsets of a topic have moved. */
export const keptOffsets = (topic: string): ReadonlyArray<string> =>
  [...kept].flatMap(([key, { next }]) => key.startsWith(`${topic}/`) && next !== null ? [next] : [])

/** A batch whose results are stored when `stored` completes. */
export const takenIn = (stored: Effect.Effect<void> = Effect.void): TakenIn => ({ stored, late: null })

/** Takes results until the scope closes and keeps them in order of arrival. */
export const record = Effect.fn(function*(bus: BusService, shards: ResultShards = reader()) {
  const seen = yield* SubscriptionRef.make<ReadonlyArray<CheckResult>>([])
  yield* bus.results((batch) => Effect.as(SubscriptionRef.update(seen, (before) => [...before, ...batch]), takenIn()), shards)
  return seen
})

/** Retries until the bus accepts. */
export const insist = <A, E>(send: Effect.Effect<A, E>): Effect.Effect<A> => Effect.eventually(send)
