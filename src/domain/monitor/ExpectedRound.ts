/** The latest time at which a monitor's next round is expected. An index over it finds late monitors without reading the others. */
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
