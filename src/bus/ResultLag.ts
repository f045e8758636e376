/** How far this process is behind with the results of checks, for Prometheus: an autoscaler of runners reads it. */
import { Effect } from "effect"
import { Gauge } from "prom-client"
import type { CheckResult } from "../../schema/check/Bus.ts"

/** Results that are not stored yet. `oldestAt`: when the oldest of those in the process was checked, ms since 1970; null for none. */
export interface Behind {
  readonly results: number
  readonly oldestAt: number | null
}

const upToDate: Behind = { results: 0, oldestAt: null }

const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? one ?? other : Math.min(one, other)

export const together = (all: Iterable<Behind>): Behind => {
  let sum = upToDate
  for (const { oldestAt, results } of all) {
    sum = { results: sum.results + results, oldestAt: earlier(sum.oldestAt, oldestAt) }
  }
  return sum
}

export const behindWith = (results: ReadonlyArray<CheckResult>): Behind => ({
  results: results.length,
  oldestAt: results.reduce<number | null>((oldest, { at }) => earlier(oldest, at), null)
})

/** The readers of results of this process, and their time. */
const readers = new Set<{ readonly behind: () => Behind; readonly now: () => number }>()

new Gauge({
  name: "belltower_results_lag",
  help: "Results on the bus that this runner has not stored yet, of the partitions that it reads",
  collect() {
    this.set(together([...readers].map(({ behind }) => behind())).results)
  }
})
new Gauge({
  name: "belltower_oldest_result_age_seconds",
  help: "Age of the oldest check whose result this runner has received and not stored yet; 0 for none",
  collect() {
    const ages = [...readers].map(({ behind, now }) => now() - (behind().oldestAt ?? now()))
    this.set(Math.max(0, ...ages) / 1000)
  }
})

/** Includes a reader of results in the metrics until the scope closes. */
export const measureLag = (behind: () => Behind) =>
  Effect.flatMap(Effect.clock, (clock) => {
    const reader = { behind, now: () => clock.unsafeCurrentTimeMillis() }
    return Effect.acquireRelease(
      Effect.sync(() => readers.add(reader)),
      () => Effect.sync(() => readers.delete(reader))
    )
  })
