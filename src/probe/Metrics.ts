/** The figures a probe worker keeps about its own work, for Prometheus. */
import { Counter, Gauge, Histogram } from "prom-client"
import type { Outcome } from "../../schema/check/Check.ts"
import type { RegionId } from "../../schema/check/Region.ts"

const lateness = new Histogram({
  name: "belltower_check_lateness_seconds",
  help: "How long after it was due a check began",
  labelNames: ["region"],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 0.75, 1, 2.5, 5, 10, 30, 60]
})
const checks = new Counter({ name: "belltower_checks_total", help: "Checks made, by outcome", labelNames: ["region", "outcome"] })
const skipped = new Counter({
  name: "belltower_checks_skipped_total",
  help: "Slots left out because the monitor's previous check was still under way",
  labelNames: ["region"]
})
const dropped = new Counter({
  name: "belltower_results_dropped_total",
  help: "Results lost because the bus was away for longer than the buffer lasts",
  labelNames: ["region"]
})
const waiting = new Gauge({
  name: "belltower_results_waiting",
  help: "Results that the bus has not accepted yet",
  labelNames: ["region"]
})
const inFlight = new Gauge({ name: "belltower_checks_in_flight", help: "Checks under way", labelNames: ["region"] })
const monitors = new Gauge({ name: "belltower_probe_monitors", help: "Monitors assigned to this worker", labelNames: ["region"] })

/** The figures of one region's worker: labels are looked up once, not for each check. */
export const probeMetrics = (region: RegionId) => {
  const outcomes = {
    up: checks.labels(region, "up"),
    degraded: checks.labels(region, "degraded"),
    down: checks.labels(region, "down")
  } satisfies Record<Outcome, unknown>
  return {
    lateness: lateness.labels(region),
    counted: (outcome: Outcome) => outcomes[outcome].inc(),
    skipped: skipped.labels(region),
    dropped: dropped.labels(region),
    waiting: waiting.labels(region),
    inFlight: inFlight.labels(region),
    monitors: monitors.labels(region)
  }
}
export type ProbeMetrics = ReturnType<typeof probeMetrics>
