/** Prometheus metrics of what a runner hosts: its shards, and the actors that are in memory. */
import { ClusterMetrics } from "@effect/cluster"
import { Effect, Layer, Metric } from "effect"
import { Gauge } from "prom-client"
import { type HeldShards, makeHeldShards } from "./HeldShards.ts"

/** The kinds of actors, and their types in the cluster, which counts them every second. */
const kinds = { monitor: "Monitor", component: "Component", incident: "Incident", subscriber: "Subscriber" } as const
const counts = Object.entries(kinds).map(([kind, type]) => ({
  kind,
  count: ClusterMetrics.entities.pipe(Metric.tagged("type", type))
}))

/** Null while no runner is in this process. */
let held: HeldShards | null = null

new Gauge({
  name: "belltower_shards_held",
  help: "Shards that this runner holds, of 64; those of all runners are 64 unless one was just lost",
  collect() {
    this.set(held?.all().size ?? 0)
  }
})
new Gauge({
  name: "belltower_actors",
  help: "Actors in the memory of this runner, by kind",
  labelNames: ["kind"],
  collect() {
    if (held === null) return this.reset()
    for (const { count, kind } of counts) this.set({ kind }, Number(count.unsafeValue([]).value))
  }
})

export const RunnerMetrics = Layer.scopedDiscard(
  Effect.flatMap(makeHeldShards, (shards) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        held = shards
      }),
      () =>
        Effect.sync(() => {
          held = null
        })
    ))
)
