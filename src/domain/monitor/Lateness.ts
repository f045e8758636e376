/** Finds the check of a monitor that is overdue, so that a starved monitor never looks fresh. */
import type { MonitorKind } from "../../../schema/monitor/MonitorKind.ts"
import { unprobedKinds } from "./kinds.ts"
import type { Pacing } from "./MonitorMachine.ts"

/** The inputs of lateness; times in milliseconds since 1970. */
export interface Punctuality extends Pacing {
  readonly kind: MonitorKind
  readonly paused: boolean
  readonly heardAt: number | null
  /** The last edit. A new or resumed monitor is checked immediately. */
  readonly changedAt: number
}

/** The time that a result takes from its probe to the monitor's row, ms. */
const transport = 5000

/** How long after its expected time a check can arrive without being late, ms: it may take its timeout, and start a little late. */
const allowance = ({ intervalSec, timeoutMs }: Pacing): number => timeoutMs + Math.max(1000, intervalSec * 100) + transport

/** Null while checks arrive on time; times in ms since 1970. A heartbeat is never late: its own deadline turns it down. */
export const overdue = (monitor: Punctuality, now: number) => {
  if (monitor.paused || unprobedKinds.some((kind) => kind === monitor.kind)) return null
  const expectedAt = monitor.heardAt === null ? monitor.changedAt : monitor.heardAt + monitor.intervalSec * 1000
  return now - expectedAt <= allowance(monitor) ? null : { expectedAt, lateSec: Math.floor((now - expectedAt) / 1000) }
}
