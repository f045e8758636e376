/** Prometheus metrics of the connection pools of this process. */
import type { Pool } from "pg"
import { Gauge } from "prom-client"

const pools = new Set<Pool>()

const sumOf = (count: (pool: Pool) => number): number => [...pools].reduce((sum, pool) => sum + count(pool), 0)

new Gauge({
  name: "belltower_database_pool_connections",
  help: "Connections of this process to the database: used by a statement or transaction, or idle",
  labelNames: ["state"],
  collect() {
    this.set({ state: "used" }, sumOf(({ idleCount, totalCount }) => totalCount - idleCount))
    this.set({ state: "idle" }, sumOf(({ idleCount }) => idleCount))
  }
})
new Gauge({
  name: "belltower_database_pool_max_connections",
  help: "Connections that this process opens at most (DATABASE_POOL)",
  collect() {
    this.set(sumOf(({ options }) => options.max))
  }
})

/** Includes a pool in the metrics; the returned function ends that. */
export const measurePool = (pool: Pool): () => void => {
  pools.add(pool)
  return () => void pools.delete(pool)
}
