/** The monitors on which a healthy region does not report although others do: one of its workers may have dropped them. */
import { slack } from "./ExpectedRound.ts"
import { type Pacing, silence } from "./MonitorMachine.ts"

/** A region that has just failed is not known as gone yet, and a single report may be lost, ms. */
const patience = 90_000

export type UnreportedMonitors<Key> = ReturnType<typeof makeUnreportedMonitors<Key>>

/** Plain state; grows only with the monitors that lack a report. */
export const makeUnreportedMonitors = <Key>() => {
  const noted = new Map<string, { readonly key: Key; readonly since: number; readonly until: number }>()
  return {
    /** Records that a round of the monitor closed, or waits, without the report of a healthy region. */
    note: (id: string, key: Key, pacing: Pacing, now: number): void => {
      const before = noted.get(id)
      const since = before !== undefined && now <= before.until ? before.since : now
      noted.set(id, { key, since, until: now + silence(pacing) + slack })
    },
    /** The monitors of which that has been true for all rounds of at least 90 s; forgets those that are reported on again. */
    judge: (now: number): ReadonlyArray<Key> => {
      for (const [id, { until }] of noted) if (until < now) noted.delete(id)
      return [...noted.values()].flatMap(({ key, since }) => now - since >= patience ? [key] : [])
    }
  }
}
