/** Which regions are healthy, from the beats of their probe workers. */
import { Array as Arr, Cause, Clock, Context, DateTime, Effect, FiberMap, Layer, Stream } from "effect"
import { Gauge } from "prom-client"
import type { Beat } from "../../../schema/check/Bus.ts"
import type { Region, RegionId } from "../../../schema/check/Region.ts"
import { Bus } from "../../bus/Bus.ts"
import { mostSkewed, regionClockSkew, regionLateness, skewWarning } from "../../domain/check/round/RegionClockSkew.ts"
import { type Attention, beatSilence, makeRegionWatch, type RegionWatch } from "../../domain/check/round/RegionWatch.ts"
import { makeOutages, reasonOf } from "../../loops/Outage.ts"
import { repeatForever, restartForever } from "../../loops/RestartForever.ts"
import { type KnownRegion, Regions } from "../../store/check/Regions.ts"

const healthyGauge = new Gauge({
  name: "belltower_region_healthy",
  help: "1 while a region's probes are healthy, 0 while its results do not count",
  labelNames: ["region"]
})
const workersGauge = new Gauge({
  name: "belltower_region_workers",
  help: "Probe workers heard from in the last 30 s",
  labelNames: ["region"]
})

/** Runs at each scrape: probes come and go. */
let readSkews = (): void => {}
const skewGauge = new Gauge({
  name: "belltower_probe_clock_skew_seconds",
  help: "How far the clock of a probe is ahead of the servers'; of a region's probes, the 50 whose clocks are most off",
  labelNames: ["region", "probe"],
  collect: () => readSkews()
})

const measureSkews = (watch: RegionWatch, regions: Iterable<RegionId>): void => {
  skewGauge.reset()
  for (const region of regions) {
    for (const { clockSkewMs, workerId } of mostSkewed(watch.workers(region).map(({ beat }) => beat))) {
      skewGauge.set({ region, probe: workerId }, clockSkewMs / 1000)
    }
  }
}

/** Measures them until the scope closes. */
const measuringSkews = (watch: RegionWatch, regions: ReadonlyMap<RegionId, unknown>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      readSkews = () => measureSkews(watch, regions.keys())
    }),
    () =>
      Effect.sync(() => {
        readSkews = () => {}
      })
  )

const measureRegion = (watch: RegionWatch, region: RegionId, now: number): void => {
  const workers = watch.workers(region)
  workersGauge.set({ region }, workers.length)
  healthyGauge.set({ region }, workers.length > 0 && !watch.isAway(region, now) && !watch.isSick(region) ? 1 : 0)
}

const forgetRegion = (region: RegionId): void => {
  for (const gauge of [workersGauge, healthyGauge]) gauge.remove({ region })
}

/** A region's row is refreshed with its next beat after this, ms. */
const remember = 8_000

const viewOf = (watch: RegionWatch, now: number) => ({ alone, id, lastBeatAt }: KnownRegion): Omit<Region, "isDefault"> => {
  const heard = watch.workers(id)
  const sick = heard.find(({ beat }) => !beat.healthy)
  const sound = heard.some(({ beat }) => beat.healthy)
  const newest = heard.reduce((latest, { at }) => Math.max(latest, at), DateTime.toEpochMillis(lastBeatAt))
  // Another process may have heard from it shortly before this one began to listen.
  const unheard = heard.length === 0 && watch.listened(now - 2 * beatSilence, now) <= beatSilence &&
    now - newest < beatSilence
  const reason = alone ?
    "It alone sees most of its targets fail"
    : sound || unheard ?
    null
    : sick?.beat.reason ?? "No probe worker has beaten for 30 s"
  return {
    id,
    healthy: reason === null,
    reason,
    workers: heard.length,
    lastBeatAt: DateTime.unsafeMake(newest),
    clockSkewMs: regionClockSkew(heard.map(({ beat }) => beat)),
    lateness: regionLateness(heard.map(({ beat }) => beat))
  }
}

/** Equipment that workers may lack for a kind of monitor, and whether one has it. */
const has = {
  browser: ({ hasBrowser }: Beat) => hasBrowser,
  ping: ({ hasPing }: Beat) => hasPing,
  script: ({ hasScripts }: Beat) => hasScripts !== false
}
type Equipment = keyof typeof has

/** Records that a region was heard. */
const makeRecord = (bus: Context.Tag.Service<Bus>, regions: Regions) => {
  const outageOf = makeOutages<RegionId>((region) => `Recording that the region ${region} was heard`)
  return (region: RegionId, now: number) =>
    bus.open(region).pipe(
      Effect.flatMap((isOpen) => isOpen ? regions.heard(region, DateTime.unsafeMake(now)) : Effect.void),
      Effect.matchCauseEffect({
        onFailure: (cause) => outageOf(region).failed(reasonOf(Cause.squash(cause))),
        onSuccess: () => outageOf(region).worked
      })
    )
}

export class RegionHealth extends Context.Tag("belltower/RegionHealth")<RegionHealth, {
  /** Which regions a round waits for; plain reads, for the hot path. */
  readonly attention: Attention
  /** Whether a region delivers no results, or says itself that they cannot be trusted; `alone` has those that are found out by others. */
  readonly isUnfit: (region: RegionId, now: number) => boolean
  /** The regions that alone see most of their targets fail, as any runner found. */
  readonly alone: Effect.Effect<ReadonlySet<RegionId>>
  /** Whether all workers of a region that were heard lack what a kind of monitor needs; false if none was heard. */
  readonly lacks: (equipment: Equipment, region: RegionId) => boolean
  /** How often the set of missing regions has changed. */
  readonly changes: () => number
  /** Counts results as signs of life. Call the returned function when the batch has been written. */
  readonly beginBatch: (
    results: ReadonlyArray<{ readonly region: RegionId; readonly at: number }>,
    now: number
  ) => (now: number) => void
  /** Every region that any process has heard from. */
  readonly all: Effect.Effect<ReadonlyArray<Omit<Region, "isDefault">>>
}>() {
  static readonly layer: Layer.Layer<RegionHealth, never, Bus | Regions> = Layer.scoped(
    RegionHealth,
    Effect.gen(function*() {
      const bus = yield* Bus
      const regions = yield* Regions
      const watch = makeRegionWatch(yield* Clock.currentTimeMillis)
      const remembered = new Map<RegionId, number>()
      yield* measuringSkews(watch, remembered)

      const refresh = Effect.map(Clock.currentTimeMillis, (now) => {
        watch.refresh(now)
        for (const region of remembered.keys()) measureRegion(watch, region, now)
      })

      /** Monitors may name a region once its probes can get their assignments. Beats of others do not wait for that. */
      const recording = yield* FiberMap.make<RegionId, void>()
      const record = makeRecord(bus, regions)

      const hear = Effect.fnUntraced(function*(beat: Beat) {
        const now = yield* Clock.currentTimeMillis
        const before = watch.workers(beat.region).find((worker) => worker.beat.workerId === beat.workerId)
        watch.recordBeat(beat, now)
        const warning = skewWarning(before?.beat ?? null, beat)
        if (warning !== null) yield* Effect.logWarning(warning)
        if (Math.abs(now - (remembered.get(beat.region) ?? 0)) < remember) return
        remembered.set(beat.region, now)
        yield* FiberMap.run(recording, beat.region, record(beat.region, now), { onlyIfMissing: true })
      })

      const listen = Stream.runForEach(
        bus.beats,
        (beat) => Effect.catchAllCause(hear(beat), (cause) => Effect.logWarning("A beat could not be recorded", cause))
      )
      yield* Effect.forkScoped(restartForever("Listening to the beats of probes", listen))
      yield* Effect.forkScoped(repeatForever("Judging which regions beat", "1 second", refresh))

      /** Regions that were removed are measured no more. */
      const forgetRemoved = (known: ReadonlyArray<KnownRegion>) => {
        const ids = new Set(known.map(({ id }) => id))
        for (const region of remembered.keys()) {
          if (ids.has(region)) continue
          remembered.delete(region)
          forgetRegion(region)
        }
        return known
      }
      const all = Effect.flatMap(
        Clock.currentTimeMillis,
        (now) => Effect.map(regions.known, (known) => Arr.map(forgetRemoved(known), viewOf(watch, now)))
      )

      const alone = Effect.map(
        regions.known,
        (known): ReadonlySet<RegionId> => new Set(known.filter((region) => region.alone).map(({ id }) => id))
      )

      const beginBatch = (results: ReadonlyArray<{ readonly region: RegionId; readonly at: number }>, now: number) => {
        for (const { at, region } of results) watch.recordResult(region, at, now)
        return watch.beginBatch(now)
      }
      const isUnfit = (region: RegionId, now: number) => watch.isAway(region, now) || watch.isSick(region)

      const lacks = (equipment: Equipment, region: RegionId) => {
        const heard = watch.workers(region)
        return heard.length > 0 && !heard.some(({ beat }) => has[equipment](beat))
      }

      return { lacks, attention: watch, isUnfit, alone, changes: watch.changes, beginBatch, all }
    })
  )
}
