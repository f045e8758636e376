/** Prometheus metrics of a probe worker. */
import { Counter, Gauge, Histogram } from "prom-client"
import type { Outcome } from "../../schema/check/Check.ts"
import type { RegionId } from "../../schema/check/Region.ts"
import type { Lane } from "../domain/tools/Lanes.ts"
import type { Overloaded } from "./Overloaded.ts"

const seconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 0.75, 1, 2.5, 5, 10, 30, 60]

const lateness = new Histogram({
  name: "belltower_check_lateness_seconds",
  help: "Delay between a check's due time and its start, excluding checks delayed by a workspace or host limit",
  labelNames: ["region", "lane"],
  buckets: seconds
})
const heldBack = new Histogram({
  name: "belltower_check_held_back_seconds",
  help: "Delay of checks caused by a limit: the workspace's share of the slots, or the rate per host",
  labelNames: ["region", "limit"],
  buckets: seconds
})
const checks = new Counter({
  name: "belltower_checks_total",
  help: "Completed checks, by outcome",
  labelNames: ["region", "outcome"]
})

/**
 * Why a check was skipped. `under_way`: the previous check is still running. `no_slot`: the previous check waits for a slot.
 * `workspace_share`: it waits because its workspace has used up its share. `host_rate`: it waits for the rate limit of its host.
 * `scripts`, `browsers` and `pings`: the run waited for too long; without a browser it is not made at all.
 * `lookups`: a local or unknown name was not looked up, because too many others waited for the system's resolver.
 * `judging`: the response was not judged, because the workspace has too many responses queued for the judging threads.
 */
export type SkipReason = "under_way" | "no_slot" | "workspace_share" | "host_rate" | Overloaded["resource"]

const skipped = new Counter({
  name: "belltower_checks_skipped_total",
  help: "Skipped checks, by reason",
  labelNames: ["region", "reason"]
})
const abandoned = new Counter({
  name: "belltower_checks_abandoned_total",
  help: "Checks abandoned because the probe did not end them within their timeout plus 30 s",
  labelNames: ["region"]
})
const distrusted = new Counter({
  name: "belltower_checks_distrusted_total",
  help: "Checks that do not count because the probe had lost its own connection",
  labelNames: ["region"]
})
const uplinkLost = new Gauge({
  name: "belltower_probe_uplink_lost",
  help: "1 while the probe has lost its own connection: independent targets that answered before are all out of reach",
  labelNames: ["region"]
})
const stalls = new Counter({
  name: "belltower_probe_stalls_total",
  help: "Stalls of the worker for more than 5 s: the machine stood still, or the worker blocked its own event loop",
  labelNames: ["region", "kind"]
})
const dropped = new Counter({
  name: "belltower_results_dropped_total",
  help: "Results dropped because the bus was unavailable and the buffer was full",
  labelNames: ["region"]
})
const waiting = new Gauge({
  name: "belltower_results_waiting",
  help: "Results that the bus has not accepted yet",
  labelNames: ["region"]
})
const checksWaiting = new Gauge({
  name: "belltower_checks_waiting",
  help: "Checks waiting for a slot in their lane; lane `spread`: waiting for the rate limit of their host",
  labelNames: ["region", "lane"]
})
const inFlight = new Gauge({ name: "belltower_checks_in_flight", help: "Running checks", labelNames: ["region", "lane"] })
const monitors = new Gauge({ name: "belltower_probe_monitors", help: "Monitors assigned to this worker", labelNames: ["region"] })

/** The metrics of one region's worker. Labels are resolved once, not for each check. */
export const probeMetrics = (region: RegionId) => {
  const outcomes = {
    up: checks.labels(region, "up"),
    degraded: checks.labels(region, "degraded"),
    down: checks.labels(region, "down")
  } satisfies Record<Outcome, unknown>
  const reasons = {
    under_way: skipped.labels(region, "under_way"),
    no_slot: skipped.labels(region, "no_slot"),
    workspace_share: skipped.labels(region, "workspace_share"),
    host_rate: skipped.labels(region, "host_rate"),
    lookups: skipped.labels(region, "lookups"),
    judging: skipped.labels(region, "judging"),
    scripts: skipped.labels(region, "scripts"),
    browsers: skipped.labels(region, "browsers"),
    pings: skipped.labels(region, "pings")
  } satisfies Record<SkipReason, unknown>
  const perLane = <A>(of: (lane: Lane) => A) => ({ fast: of("fast"), slow: of("slow") })
  return {
    lateness: perLane((lane) => lateness.labels(region, lane)),
    heldBack: { workspace: heldBack.labels(region, "workspace_share"), host: heldBack.labels(region, "host_rate") },
    counted: (outcome: Outcome) => outcomes[outcome].inc(),
    skipped: (reason: SkipReason) => reasons[reason].inc(),
    abandoned: abandoned.labels(region),
    distrusted: distrusted.labels(region),
    uplinkLost: uplinkLost.labels(region),
    stalled: (kind: "standstill" | "blocked") => stalls.labels(region, kind).inc(),
    dropped: dropped.labels(region),
    waiting: waiting.labels(region),
    checksWaiting: { ...perLane((lane) => checksWaiting.labels(region, lane)), spread: checksWaiting.labels(region, "spread") },
    inFlight: perLane((lane) => inFlight.labels(region, lane)),
    monitors: monitors.labels(region)
  }
}
export type ProbeMetrics = ReturnType<typeof probeMetrics>
