/** Which regions are healthy, from the beats of their probe workers. */
import { Clock, Context, DateTime, Effect, Layer, Schedule, Stream } from "effect"
import { Gauge } from "prom-client"
import type { Beat } from "../schema/Bus.ts"
import type { Region, RegionId } from "../schema/Region.ts"
import { Bus } from "../src/bus/Bus.ts"
import { Regions } from "../src/store/Regions.ts"

const healthyGauge = new Gauge({
  name: "belltower_region_healthy",
  help: "1 while a region's probes are sound, 0 while its results do not count",
  labelNames: ["region"]
})
const workersGauge = new Gauge({
  name: "belltower_region_workers",
  help: "Probe workers heard of in the last 30 s",
  labelNames: ["region"]
})

/** A worker that has not beaten for this long is gone, ms. */
const silence = 30_000
/** How often a region's row is refreshed, ms. */
const remember = 30_000

interface Heard {
  readonly beat: Beat
  /** By this process's clock: the probe's own may be off. */
  readonly at: number
}

export class RegionHealth extends Context.Tag("belltower/RegionHealth")<RegionHealth, {
  /** The healthy regions as of the last second; a plain read, for the hot path. */
  readonly healthy: () => ReadonlySet<RegionId>
  /** Everything known of each region heard of by any process. */
  readonly all: Effect.Effect<ReadonlyArray<Omit<Region, "isDefault">>>
}>() {
  static readonly layer: Layer.Layer<RegionHealth, never, Bus | Regions> = Layer.scoped(
    RegionHealth,
    Effect.gen(function*() {
      const bus = yield* Bus
      const regions = yield* Regions
      const workers = new Map<RegionId, Map<string, Heard>>()
      const remembered = new Map<RegionId, number>()
      let healthy: ReadonlySet<RegionId> = new Set()

      const refresh = Effect.map(Clock.currentTimeMillis, (now) => {
        for (const [region, heard] of workers) {
          for (const [worker, { at }] of heard) if (now - at > silence) heard.delete(worker)
          workersGauge.set({ region }, heard.size)
          if (heard.size === 0) {
            workers.delete(region)
            healthyGauge.set({ region }, 0)
          }
        }
        healthy = new Set(
          [...workers].filter(([, heard]) => [...heard.values()].some(({ beat }) => beat.healthy)).map(([region]) => region)
        )
        for (const region of workers.keys()) healthyGauge.set({ region }, healthy.has(region) ? 1 : 0)
      })

      const hear = Effect.fnUntraced(function*(beat: Beat) {
        const now = yield* Clock.currentTimeMillis
        const heard = workers.get(beat.region) ?? new Map<string, Heard>()
        workers.set(beat.region, heard.set(beat.workerId, { beat, at: now }))
        yield* refresh
        if (now - (remembered.get(beat.region) ?? 0) < remember) return
        remembered.set(beat.region, now)
        yield* regions.heard(beat.region, DateTime.unsafeMake(now))
      })

      yield* bus.beats.pipe(
        Stream.runForEach((beat) =>
          Effect.catchAllCause(hear(beat), (cause) => Effect.logWarning("A beat could not be recorded", cause))
        ),
        Effect.forkScoped
      )
      yield* Effect.forkScoped(Effect.repeat(refresh, Schedule.spaced("1 second")))

      const all = Effect.map(regions.known, (known) =>
        known.map(({ id, lastBeatAt }) => {
          const heard = [...(workers.get(id)?.values() ?? [])]
          const sick = heard.find(({ beat }) => !beat.healthy)
          const sound = heard.some(({ beat }) => beat.healthy)
          const newest = heard.reduce((latest, { at }) => Math.max(latest, at), DateTime.toEpochMillis(lastBeatAt))
          return {
            id,
            healthy: sound,
            reason: sound ? null : heard.length === 0 ? "No probe worker has beaten for 30 s" : sick?.beat.reason ?? null,
            workers: heard.length,
            lastBeatAt: DateTime.unsafeMake(newest)
          }
        }))

      return { healthy: () => healthy, all }
    })
  )
}
