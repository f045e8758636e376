/** Prometheus metrics of a probe worker. */
import { Counter, Gauge, Histogram } from "prom-client"
import type { Outcome } from "../../schema/check/Check.ts"
import type { RegionId } from "../../schema/check/Region.ts"
import type { Lane } from "../domain/tools/queues/Lanes.ts"
import type { Overloaded } from "./Overloaded.ts"

const seconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 0.75, 1, 2.5, 5, 10, 30, 60]

/** The first label of each metric is its region. */
const counter = (name: string, help: string, ...labels: ReadonlyArray<string>) =>
  new Counter({ name, help, labelNames: ["region", ...labels] })
const gauge = (name: string, help: string, ...labels: ReadonlyArray<string>) =>
  new Gauge({ name, help, labelNames: ["region", ...labels] })
const histogram = (name: string, help: string, ...labels: ReadonlyArray<string>) =>
  new Histogram({ name, help, labelNames: ["region", ...labels], buckets: seconds })

const lateness = histogram(
  "belltower_check_lateness_seconds",
  "Delay between a check's due time and its start, excluding checks delayed by a workspace or host limit",
  "lane"
)
const heldBack = histogram(
  "belltower_check_held_back_seconds",
  "Delay of checks caused by a limit: the workspace's share of the slots, or the rate per host",
  "limit"
)
const checks = counter("belltower_checks_total", "Completed checks, by outcome", "outcome")

/**
 * Why a check was skipped. `under_way`: the previous check is still running. `no_slot`: the previous check waits for a slot.
 * `workspace_share`: it waits because its workspace has used up its share. `host_rate`: it waits for the rate limit of its host or its
 * address. `scripts`, `browsers` and `pings`: the run waited for too long; without a browser it is not made at all. `lookups`: a local or
 * unknown name was not looked up, because too many others waited for the system's resolver. `judging`: the response was not judged, because
 * the workspace has too many responses queued for the judging threads.
 */
type SkipReason = "under_way" | "no_slot" | "workspace_share" | "host_rate" | Overloaded["resource"]

const skipped = counter("belltower_checks_skipped_total", "Skipped checks, by reason", "reason")
const abandoned = counter(
  "belltower_checks_abandoned_total",
  "Checks abandoned because the probe did not end them within their timeout plus 30 s"
)
const distrusted = counter(
  "belltower_checks_distrusted_total",
  "Checks that do not count because the probe had lost its own connection"
)
const uplinkLost = gauge(
  "belltower_probe_uplink_lost",
  "1 while the probe has lost its own connection: independent targets that answered before are all out of reach"
)
const stalls = counter(
  "belltower_probe_stalls_total",
  "Stalls of the worker for more than 5 s: the machine stood still, or the worker blocked its own event loop",
  "kind"
)
const dropped = counter(
  "belltower_results_dropped_total",
  "Results dropped because the bus was unavailable and the buffer was full"
)
const waiting = gauge("belltower_results_waiting", "Results that the bus has not accepted yet")
const checksWaiting = gauge(
  "belltower_checks_waiting",
  "Checks waiting for a slot in their lane; lane `spread`: waiting for the rate limit of their host",
  "lane"
)
const inFlight = gauge("belltower_checks_in_flight", "Running checks", "lane")
const monitors = gauge("belltower_probe_monitors", "Monitors assigned to this worker")

/** Counts by a label, which is resolved once and not for each check. */
const countingBy = <Label extends string>(metric: Counter, region: RegionId) => {
  const known = new Map<Label, Counter.Internal>()
  return (label: Label): void => {
    const labelled = known.get(label) ?? metric.labels(region, label)
    known.set(label, labelled)
    labelled.inc()
  }
}

/** The metrics of one region's worker. */
export const probeMetrics = (region: RegionId) => {
  const perLane = <A>(of: (lane: Lane) => A) => ({ fast: of("fast"), slow: of("slow") })
  return {
    lateness: perLane((lane) => lateness.labels(region, lane)),
    heldBack: { workspace: heldBack.labels(region, "workspace_share"), host: heldBack.labels(region, "host_rate") },
    counted: countingBy<Outcome>(checks, region),
    skipped: countingBy<SkipReason>(skipped, region),
    abandoned: abandoned.labels(region),
    distrusted: distrusted.labels(region),
    uplinkLost: uplinkLost.labels(region),
    stalled: countingBy<"standstill" | "blocked">(stalls, region),
    dropped: dropped.labels(region),
    waiting: waiting.labels(region),
    checksWaiting: { ...perLane((lane) => checksWaiting.labels(region, lane)), spread: checksWaiting.labels(region, "spread") },
    inFlight: perLane((lane) => inFlight.labels(region, lane)),
    monitors: monitors.labels(region)
  }
}
export type ProbeMetrics = ReturnType<typeof probeMetrics>
