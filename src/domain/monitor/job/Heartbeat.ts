/** Decides when a heartbeat monitor has missed its deadline, and describes the miss. Times are milliseconds since 1970. */
import { Array as Arr } from "effect"
import type { Cause, Outcome } from "../../../../schema/check/Check.ts"
import { RegionId } from "../../../../schema/check/Region.ts"
import { instant } from "../../../../schema/Fields.ts"
import type { OpenRun } from "../../../../schema/monitor/JobRun.ts"
import type { HeartbeatTarget } from "../../../../schema/monitor/kinds/heartbeat.ts"
import type { Machine, Observation } from "../../../../schema/monitor/Machine.ts"
import type { MonitorState, Rules } from "../../../../schema/monitor/Monitor.ts"
import { durationText } from "../../tools/time/Duration.ts"
import { momentText } from "../../tools/time/Moments.ts"
import type { Listened } from "../ListeningProcesses.ts"
import { hear, type Step } from "../MonitorMachine.ts"
import { pingAfter, type PingTimes, scheduleOf, silentSince } from "./ExpectedPing.ts"
import { longestRun } from "./JobRuns.ts"

/** The region in the records of pings, which come from no probe. */
export const pushRegion = RegionId.make("push")

/** After an outage of the service itself, no ping counts as late before this, ms. */
const minRestartAllowance = 60_000
/** A job that runs at least this often (ms) gets one extra period: its last ping may have been lost in the outage. */
const oftenMs = 3_600_000

/** How long a job that has `periodMs` between its pings has to ping after the service is back, ms. */
const restartAllowance = (graceSec: number, periodMs: number): number =>
  Math.max(minRestartAllowance, Math.min(periodMs, oftenMs) + graceSec * 1000)

/**
 * When the monitor goes down unless a ping arrives first. Pings may have been lost before `listeningSince`: then it gets extra time.
 * Null if the schedule has no more times.
 */
export const deadlineOf = (target: HeartbeatTarget, pingTimes: PingTimes, listeningSince: number, now: number): number | null => {
  const since = silentSince(pingTimes, now)
  const expected = pingAfter(target, since, pingTimes.lastPingAt)
  if (expected === null) return null
  const regular = expected + target.graceSec * 1000
  if (listeningSince <= since) return regular
  const following = pingAfter(target, expected, null) ?? Infinity
  return Math.max(regular, listeningSince + restartAllowance(target.graceSec, following - expected))
}

/** An open run, and when it has taken too long. */
interface WatchedRun {
  readonly run: OpenRun
  readonly due: number
}

/** The runs that can still be reported as too long. A pause or an edit restarts their time; so does our own outage. */
const watchedRuns = (target: HeartbeatTarget, { expectedFrom, runs = [] }: PingTimes, since: number): ReadonlyArray<WatchedRun> =>
  runs.filter(({ overdue }) => overdue !== true).map((run) => {
    const due = Math.max(run.at, expectedFrom) + longestRun(target)
    return {
      run,
      due: since > run.at ? Math.max(due, since + restartAllowance(target.graceSec, (target.periodSec ?? 0) * 1000)) : due
    }
  })

const earliest = (times: ReadonlyArray<number | null>): number | null =>
  times.reduce<number | null>((first, time) => first === null || (time !== null && time < first) ? time : first, null)

/**
 * When a monitor must be judged: when a run has taken too long, or when a ping is missing. A run that began before the ping was due
 * excuses the silence until the run is due.
 */
const judgedAt = (watched: ReadonlyArray<WatchedRun>, silenceDue: number | null): number | null => {
  const excused = silenceDue === null
    ? null
    : Math.max(silenceDue, ...watched.filter(({ run }) => run.at <= silenceDue).map(({ due }) => due))
  return earliest([excused, ...watched.map(({ due }) => due)])
}

/** No ping is expected of a monitor that is down or paused. */
const awaitsPing = (state: MonitorState): boolean => state !== "down" && state !== "paused"

const silenceText = (target: HeartbeatTarget, pingTimes: PingTimes, deadline: number): string => {
  const since = silentSince(pingTimes, deadline)
  const at = pingAfter(target, since, pingTimes.lastPingAt)
  const written = scheduleOf(target)
  const expected = written === null || at === null
    ? `every ${durationText(target.periodSec ?? 0)}`
    : `at ${momentText(instant(at), written.timezone)}`
  const grace = target.graceSec === 0 ? "" : `, grace ${durationText(target.graceSec)}`
  return `No ping for ${durationText((deadline - since) / 1000)} (expected ${expected}${grace})`
}

/** The cause of a ping's check: a failure in a ping was reported by the job itself. */
export const pingCause = (outcome: Outcome): Cause | null => (outcome === "up" ? null : "reported")

/** A check that comes from no probe: it belongs to no round and has no evidence. */
export const pushedCheck = (
  check: Pick<Observation, "checkId" | "monitorId" | "revision" | "at" | "outcome" | "latencyMs" | "error" | "cause">
): Observation => ({ ...check, region: pushRegion, slot: -1, statusCode: null, hasEvidence: false, trusted: true })

const missedPing = (check: MissedCheck, target: HeartbeatTarget, pingTimes: PingTimes, deadline: number): Observation =>
  pushedCheck({
    ...check,
    at: deadline,
    outcome: "down",
    latencyMs: null,
    error: silenceText(target, pingTimes, deadline),
    cause: "missed_ping"
  })

const endlessRun = (check: MissedCheck, target: HeartbeatTarget, { due }: WatchedRun): Observation =>
  pushedCheck({
    ...check,
    at: due,
    outcome: "down",
    latencyMs: null,
    error: `The run has taken longer than ${durationText(longestRun(target) / 1000)}`,
    cause: "missed_ping"
  })

type MissedCheck = Pick<Observation, "checkId" | "monitorId" | "revision">

/** The input of one step of a heartbeat's actor. */
export interface Occasion {
  readonly target: HeartbeatTarget
  readonly rules: Rules
  readonly pingTimes: PingTimes
  /** The pings that the actor has not processed yet, oldest first. */
  readonly news: ReadonlyArray<Observation>
  readonly listened: Listened
  readonly now: number
  /** Creates the ids of the check for a missed deadline. */
  readonly missed: (deadline: number) => MissedCheck
}

export interface Judgement {
  readonly step: Step
  /** The check of a missed deadline; null when none was missed. */
  readonly missed: Observation | null
  /** The runs that have now taken too long. */
  readonly overdue: ReadonlyArray<OpenRun>
  /** When the actor must run again; null while a missing ping changes nothing. */
  readonly deadline: number | null
}

const then = (before: Step, after: Step): Step => ({
  machine: after.machine,
  transitions: [...before.transitions, ...after.transitions],
  gaps: [...before.gaps, ...after.gaps]
})

/** Processes the pings, then checks the deadline. At most one is reported, and none while it is open whether pings were missed. */
export const judgeHeartbeat = (machine: Machine, occasion: Occasion): Judgement => {
  const { listened: { openUntil, since }, missed, news, now, pingTimes, rules, target } = occasion
  const heard = news.reduce<Step>(
    (step, ping) => then(step, hear(step.machine, rules, ping)),
    { machine, transitions: [], gaps: [] }
  )
  const { state } = heard.machine
  const watched = state === "paused" ? [] : watchedRuns(target, pingTimes, since)
  const deadline = judgedAt(watched, awaitsPing(state) ? deadlineOf(target, pingTimes, since, now) : null)
  if (deadline === null || deadline > now) return { step: heard, missed: null, overdue: [], deadline }
  if (openUntil !== null && openUntil > now) return { step: heard, missed: null, overdue: [], deadline: openUntil }
  const [late, inTime] = Arr.partition(watched, ({ due }) => due > now)
  const [first] = late
  const check = first === undefined
    ? missedPing(missed(deadline), target, pingTimes, deadline)
    : endlessRun(missed(deadline), target, first)
  return {
    step: then(heard, hear(heard.machine, rules, check)),
    missed: check,
    overdue: late.map(({ run }) => run),
    deadline: earliest(inTime.map(({ due }) => due))
  }
}

/** True if successful pings can bypass the actor: they change nothing while the monitor is up or paused. */
export const isCalm = (state: MonitorState): boolean => state === "up" || state === "paused"
