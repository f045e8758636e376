/** Applies the verdict of one round to a monitor: streaks, the failure rate, and the state that follows. */
import type { Outcome } from "../../../schema/check/Check.ts"
import type { Machine, Observation } from "../../../schema/monitor/Machine.ts"
import type { MonitorState, Rules } from "../../../schema/monitor/Monitor.ts"
import type { RoundVerdict } from "../check/round/Vote.ts"

/** One change of state, effective from the first check of the streak that caused it. */
export interface Transition {
  readonly from: MonitorState
  readonly to: MonitorState
  readonly at: number
  /** The check that decided it; null for pausing and resuming. */
  readonly check: Observation | null
}

export interface Judged {
  readonly machine: Machine
  readonly transitions: ReadonlyArray<Transition>
}

export const enter = (machine: Machine, to: MonitorState, at: number, check: Observation | null) => ({
  machine: { ...machine, state: to, since: at, failures: 0, successes: 0, streakSince: null },
  transition: { from: machine.state, to, at, check }
})

const move = (from: Machine, to: MonitorState, at: number, check: Observation): Judged => {
  const { machine, transition } = enter(from, to, at, check)
  return { machine, transitions: [transition] }
}

const counted = (machine: Machine, streak: "failures" | "successes", at: number): Machine => {
  const length = machine[streak] + 1
  const other = streak === "failures" ? "successes" : "failures"
  return { ...machine, [streak]: length, [other]: 0, streakSince: length === 1 ? at : machine.streakSince }
}

/** The same machine if it has none: so it is at most checks. */
export const withoutStreaks = (machine: Machine): Machine =>
  machine.failures === 0 && machine.successes === 0 && machine.streakSince === null
    ? machine
    : { ...machine, failures: 0, successes: 0, streakSince: null }

export const withoutRecent = ({ recent: _, ...machine }: Machine): Machine => machine

const stay = (machine: Machine): Judged => ({ machine, transitions: [] })

/** True if so many of the last rounds failed that the monitor is down, whatever the latest one was. */
const failsTooOften = ({ recent }: Machine, { failureRate }: Rules): boolean =>
  failureRate !== null && (recent ?? []).filter((failed) => failed).length >= failureRate.failures

/** Keeps the round for the failure rate, unless failures in a row keep the monitor down: the first good rounds end such an outage. */
const remembering = (machine: Machine, { failureRate }: Rules, outcome: Outcome): Machine => {
  const { recent, state } = machine
  if (failureRate === null || state === "paused") return recent === undefined ? machine : withoutRecent(machine)
  if (state === "down" && recent === undefined) return machine
  return { ...machine, recent: [...(recent ?? []), outcome === "down"].slice(-failureRate.of) }
}

const fail = (machine: Machine, rules: Rules, check: Observation): Judged => {
  const failing = counted(machine, "failures", check.at)
  if (failing.failures >= rules.failureThreshold) {
    return move(withoutRecent(failing), "down", failing.streakSince ?? check.at, check)
  }
  return failsTooOften(failing, rules) ? move(failing, "down", check.at, check) : stay(failing)
}

const recover = (machine: Machine, rules: Rules, check: Observation): Judged => {
  const recovering = counted(machine, "successes", check.at)
  if (recovering.successes < rules.recoveryThreshold || failsTooOften(recovering, rules)) return stay(recovering)
  // A streak that began while too many of the last rounds had failed proves nothing about that time.
  const isRare = machine.state === "down" && machine.recent !== undefined
  const at = isRare ? check.at : recovering.streakSince ?? check.at
  return move(recovering, "up", at, check)
}

type Judgement = (machine: Machine, rules: Rules, check: Observation) => Judged

const slow: Judgement = (machine, _, check) => move(machine, "degraded", check.at, check)
const well: Judgement = (machine, _, check) => move(machine, "up", check.at, check)
const asBefore: Judgement = (machine) => stay(withoutStreaks(machine))
const ignored: Judgement = (machine) => stay(machine)

const recoverSlow: Judgement = (machine, rules, check) => {
  const up = recover(machine, rules, check)
  if (up.machine.state !== "up") return up
  const degraded = move(up.machine, "degraded", check.at, check)
  return { machine: degraded.machine, transitions: [...up.transitions, ...degraded.transitions] }
}

/** The judgement in each state of each verdict. A recovery to degraded passes through up, so that both are reported. */
const judgements: Record<MonitorState, Record<Outcome, Judgement>> = {
  pending: { down: fail, degraded: slow, up: well },
  up: { down: fail, degraded: slow, up: asBefore },
  degraded: { down: fail, degraded: asBefore, up: recover },
  down: { down: asBefore, degraded: recoverSlow, up: recover },
  paused: { down: ignored, degraded: ignored, up: ignored }
}

export const judge = (before: Machine, rules: Rules, { check, outcome }: RoundVerdict): Judged =>
  judgements[before.state][outcome](remembering(before, rules, outcome), rules, check)
