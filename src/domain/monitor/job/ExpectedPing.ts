/** When a heartbeat's next ping is expected, before its grace. Times are milliseconds since 1970. */
import type { OpenRun } from "../../../../schema/monitor/JobRun.ts"
import type { HeartbeatTarget } from "../../../../schema/monitor/kinds/heartbeat.ts"
import { expectedAfter, type Written } from "../schedule/Schedule.ts"

/** The settings that say when pings come. */
type Rhythm = Pick<HeartbeatTarget, "periodSec" | "schedule" | "timezone">

/** The last ping of a monitor and the start of its deadline. */
export interface PingTimes {
  readonly lastPingAt: number | null
  /** When the monitor was created or resumed, or its period or schedule edited; the latest of these. */
  readonly expectedFrom: number
  /** The runs that have not ended; none if missing. */
  readonly runs?: ReadonlyArray<OpenRun>
}

/** A ping this much before a time of the schedule is that time's: clocks of machines differ. */
const earlyMs = 10_000

/** Null for a heartbeat with a period. */
export const scheduleOf = ({ schedule = null, timezone = null }: Rhythm): Written | null =>
  schedule === null ? null : { schedule, timezone: timezone ?? "UTC" }

/** The instant from which the current silence is measured. */
export const silentSince = ({ expectedFrom, lastPingAt }: PingTimes, now: number): number =>
  // A ping from the future has the time of another machine's clock.
  Math.min(Math.max(lastPingAt ?? expectedFrom, expectedFrom), now)

/**
 * When the next ping after `since` is expected; null if the schedule has no more times. Only a ping can be early for a time, not the
 * start of a deadline.
 */
export const pingAfter = (rhythm: Rhythm, since: number, lastPingAt: number | null): number | null => {
  const written = scheduleOf(rhythm)
  if (written === null) return since + (rhythm.periodSec ?? 0) * 1000
  const next = expectedAfter(written, since)
  const isEarly = next !== null && lastPingAt !== null && next - Math.min(lastPingAt, since) <= earlyMs
  return isEarly ? expectedAfter(written, next) ?? next : next
}

/** Reads a record: a time that was missed with its grace gives way to the schedule's next one. Null while nothing is expected. */
export const nextExpected = (
  rhythm: Rhythm & Pick<HeartbeatTarget, "graceSec">,
  pingTimes: PingTimes,
  now: number
): number | null => {
  const at = pingAfter(rhythm, silentSince(pingTimes, now), pingTimes.lastPingAt)
  const written = scheduleOf(rhythm)
  return at === null || written === null || at + rhythm.graceSec * 1000 >= now ? at : expectedAfter(written, now)
}
