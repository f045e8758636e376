/** When a heartbeat's silence has lasted too long, and what is told of it. Times are milliseconds since 1970. */
import type { Cause, Outcome } from "../../../schema/check/Check.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import type { HeartbeatTarget } from "../../../schema/monitor/kinds/heartbeat.ts"
import type { Machine, Observation } from "../../../schema/monitor/Machine.ts"
import type { MonitorState, Rules } from "../../../schema/monitor/Monitor.ts"
import { durationText } from "../Duration.ts"
import { hear, type Step } from "./MonitorMachine.ts"

/** What is known of a monitor's pings. */
export interface Pulse {
  readonly lastPingAt: number | null
  /** When the expectation last began: the monitor was made or resumed, or its period edited. */
  readonly expectedFrom: number
}

/** Where pings come from, as far as records say so: no probe made them. */
export const pushRegion = RegionId.make("push")

/** After the service itself was away, nobody is late before this, ms. */
const minRestartAllowance = 60_000
/** Nor before the next ping of a job that runs at least this often, s: the one before may have met a closed door. */
const oftenSec = 3600

/** What a silent job is given once the service listens again, ms. */
const restartAllowance = ({ graceSec, periodSec }: HeartbeatTarget): number =>
  Math.max(minRestartAllowance, (Math.min(periodSec, oftenSec) + graceSec) * 1000)

/** The instant that the present silence is measured from. */
const silentSince = ({ expectedFrom, lastPingAt }: Pulse, now: number): number =>
  // A ping from the future was stamped by another clock.
  Math.min(Math.max(lastPingAt ?? expectedFrom, expectedFrom), now)

/**
 * When the monitor is down unless a ping comes before, the first one included: a job that never runs is told of, too.
 * `listeningSince` is the end of the service's own last absence: a ping may have been lost in it, so a job that was last
 * heard before gets fresh patience.
 */
export const deadlineOf = (target: HeartbeatTarget, pulse: Pulse, listeningSince: number, now: number): number => {
  const since = silentSince(pulse, now)
  const regular = since + (target.periodSec + target.graceSec) * 1000
  return listeningSince > since ? Math.max(regular, listeningSince + restartAllowance(target)) : regular
}

/** Whether silence can change a state: one that is down or paused is not waited for. */
const awaitsPing: Record<MonitorState, boolean> = {
  pending: true,
  up: true,
  degraded: true,
  down: false,
  paused: false
}

const silenceText = (target: HeartbeatTarget, silentMs: number): string => {
  const expected = `expected every ${durationText(target.periodSec)}`
  const grace = target.graceSec === 0 ? "" : `, grace ${durationText(target.graceSec)}`
  return `No ping for ${durationText(silentMs / 1000)} (${expected}${grace})`
}

/** The cause of a ping's check: what is not up was reported so by the job itself. */
export const pingCause = (outcome: Outcome): Cause | null => (outcome === "up" ? null : "reported")

/** A check that no probe made: it belongs to no round, and there is no evidence. */
export const pushedCheck = (
  check: Pick<Observation, "checkId" | "monitorId" | "revision" | "at" | "outcome" | "latencyMs" | "error" | "cause">
): Observation => ({ ...check, region: pushRegion, slot: -1, statusCode: null, hasEvidence: false, trusted: true })

/** The check of a ping that did not come, at the missed deadline. */
const missedPing = (check: MissedCheck, target: HeartbeatTarget, pulse: Pulse, deadline: number): Observation =>
  pushedCheck({
    ...check,
    at: deadline,
    outcome: "down",
    latencyMs: null,
    error: silenceText(target, deadline - silentSince(pulse, deadline)),
    cause: "missed_ping"
  })

type MissedCheck = Pick<Observation, "checkId" | "monitorId" | "revision">

/** What a heartbeat's actor goes by at its turn. */
export interface Occasion {
  readonly target: HeartbeatTarget
  readonly rules: Rules
  readonly pulse: Pulse
  /** The pings that were not heard yet, in the order they came. */
  readonly news: ReadonlyArray<Observation>
  readonly listeningSince: number
  readonly now: number
  /** Makes the check of a ping that did not come by a deadline. */
  readonly missed: (deadline: number) => MissedCheck
}

export interface Turn {
  readonly step: Step
  /** The check of the ping that did not come, if that is so. */
  readonly missed: Observation | null
  /** When the actor is to judge again; null while silence changes nothing. */
  readonly deadline: number | null
}

const then = (before: Step, after: Step): Step => ({
  machine: after.machine,
  transitions: [...before.transitions, ...after.transitions],
  gaps: [...before.gaps, ...after.gaps]
})

/** Hears what was reported, then judges the silence since. One missed deadline is enough. */
export const takeTurn = (machine: Machine, { listeningSince, missed, news, now, pulse, rules, target }: Occasion): Turn => {
  const heard = news.reduce<Step>(
    (step, ping) => then(step, hear(step.machine, rules, ping)),
    { machine, transitions: [], gaps: [] }
  )
  const deadline = awaitsPing[heard.machine.state] ? deadlineOf(target, pulse, listeningSince, now) : null
  if (deadline === null || deadline > now) return { step: heard, missed: null, deadline }
  const check = missedPing(missed(deadline), target, pulse, deadline)
  return { step: then(heard, hear(heard.machine, rules, check)), missed: check, deadline: null }
}

/** Whether good pings may pass the actor by: they change nothing while it is up, nor while it is paused. */
export const isCalm = (state: MonitorState): boolean => state === "up" || state === "paused"
