/** The metrics of regions that this process hears from. */
import { Gauge } from "prom-client"
import type { RegionId } from "../../../schema/check/Region.ts"
import { regionClockSkew } from "../../domain/check/round/RegionClockSkew.ts"
import type { RegionWatch } from "../../domain/check/round/RegionWatch.ts"

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

const skewGauge = new Gauge({
  name: "belltower_region_clock_skew_seconds",
  help: "How far the clock of the worker whose clock is most off is ahead of the servers'",
  labelNames: ["region"]
})

export const measureRegion = (watch: RegionWatch, region: RegionId, now: number): void => {
  const workers = watch.workers(region)
  const skew = regionClockSkew(workers.map(({ beat }) => beat))
  workersGauge.set({ region }, workers.length)
  if (skew === null) skewGauge.remove({ region })
  else skewGauge.set({ region }, skew / 1000)
  healthyGauge.set({ region }, workers.length > 0 && !watch.isAway(region, now) && !watch.isSick(region) ? 1 : 0)
}

/** A region that was removed is measured no more. */
export const forgetRegion = (region: RegionId): void => {
  for (const gauge of [workersGauge, healthyGauge, skewGauge]) gauge.remove({ region })
}
