/** The latest time at which a monitor's next round is expected, which an index finds, and the monitors that lack reports of a region. */
import type { Expectation, Machine } from "../../../schema/monitor/Machine.ts"
import { type Pacing, silence } from "./MonitorMachine.ts"

/** Extra time before a monitor is overdue, ms: a round may wait for a lost region, and its verdict for the next write. */
export const slack = 60_000

/** A runner that still holds a round has closed it this long after its deadline, ms. */
export const abandonedAfter = 90_000

/** An open round of a monitor with a short interval is closed by the next one; it needs no instant of its own, ms. */
const worthWaking = 300_000

/** Null for a monitor that is paused. `changedAt`: when it was created or last edited, ms. */
export const expectedRound = (machine: Machine, pacing: Pacing, changedAt: number): Expectation | null => {
  if (machine.state === "paused") return null
  const allowance = silence(pacing) + slack
  const overdueAt = Math.max(machine.lastRoundAt ?? 0, changedAt) + allowance
  const [oldest] = machine.rounds
  const abandonedAt = oldest === undefined ? overdueAt : oldest.deadline + abandonedAfter
  return { at: overdueAt - abandonedAt > worthWaking ? abandonedAt : overdueAt, allowance }
}

/** A region that has just failed is not known as gone yet, and a single report may be lost, ms. */
const patience = 90_000

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
