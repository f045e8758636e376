/** The monitor's state machine: turns rounds of checks into states, with confirmation and recovery. */
import type { Outcome } from "../../../schema/check/Check.ts"
import type { RegionId } from "../../../schema/check/Region.ts"
import type { Machine, Observation, Round } from "../../../schema/monitor/Machine.ts"
import type { MonitorState, Rules } from "../../../schema/monitor/Monitor.ts"
import { phaseOf, slotStart } from "../check/CheckSlot.ts"
import { type Attention, beatSilence } from "../check/RegionWatch.ts"
import { type Verdict, vote } from "../check/Vote.ts"

/** One change of state, from the first check of the streak that led to it. */
export interface Transition {
  readonly from: MonitorState
  readonly to: MonitorState
  readonly at: number
  /** The check that decided; null for pausing and resuming. */
  readonly check: Observation | null
}

/** A stretch in which nothing was observed: no probe was there to look. */
export interface Gap {
  readonly from: number
  readonly to: number
}

export interface Step {
  readonly machine: Machine
  readonly transitions: ReadonlyArray<Transition>
  readonly gaps: ReadonlyArray<Gap>
}

export const initialMachine = (now: number, revision: number): Machine => ({
  state: "pending",
  since: now,
  revision,
  sequence: 0,
  failures: 0,
  successes: 0,
  streakSince: null,
  lastSlot: -1,
  lastRoundAt: null,
  rounds: []
})

/** How long after its last possible report a region is waited for, ms: transport and processing. */
const grace = 3000

/** How much longer where those missing could turn the verdict, ms: by then a region that is gone is known to be. */
const doubt = beatSilence

const stay = (machine: Machine): Step => ({ machine, transitions: [], gaps: [] })

const enter = (machine: Machine, to: MonitorState, at: number, check: Observation | null) => ({
  machine: { ...machine, state: to, since: at, failures: 0, successes: 0, streakSince: null },
  transition: { from: machine.state, to, at, check }
})

const counted = (machine: Machine, streak: "failures" | "successes", at: number): Machine => {
  const length = machine[streak] + 1
  const other = streak === "failures" ? "successes" : "failures"
  return { ...machine, [streak]: length, [other]: 0, streakSince: length === 1 ? at : machine.streakSince }
}

const unmoved = (machine: Machine): Machine => ({ ...machine, failures: 0, successes: 0, streakSince: null })

/** Where a verdict leads from each state; a slow recovery is up first and degraded then, so that both are told. */
const judge = (
  machine: Machine,
  rules: Rules,
  { check, outcome }: Verdict
): { readonly machine: Machine; readonly transitions: ReadonlyArray<Transition> } => {
  const move = (from: Machine, to: MonitorState, at: number) => {
    const entered = enter(from, to, at, check)
    return { machine: entered.machine, transitions: [entered.transition] }
  }
  const fail = () => {
    const failing = counted(machine, "failures", check.at)
    return failing.failures >= rules.failureThreshold
      ? move(failing, "down", failing.streakSince ?? check.at)
      : { machine: failing, transitions: [] }
  }
  const recover = () => {
    const recovering = counted(machine, "successes", check.at)
    return recovering.successes >= rules.recoveryThreshold
      ? move(recovering, "up", recovering.streakSince ?? check.at)
      : { machine: recovering, transitions: [] }
  }
  const table: Record<MonitorState, Record<Outcome, () => ReturnType<typeof recover>>> = {
    pending: { down: fail, degraded: () => move(machine, "degraded", check.at), up: () => move(machine, "up", check.at) },
    up: {
      down: fail,
      degraded: () => move(machine, "degraded", check.at),
      up: () => ({ machine: unmoved(machine), transitions: [] })
    },
    degraded: { down: fail, degraded: () => ({ machine: unmoved(machine), transitions: [] }), up: recover },
    down: {
      down: () => ({ machine: unmoved(machine), transitions: [] }),
      degraded: () => {
        const up = recover()
        if (up.machine.state !== "up") return up
        const slow = enter(up.machine, "degraded", check.at, check)
        return { machine: slow.machine, transitions: [...up.transitions, slow.transition] }
      },
      up: recover
    },
    paused: {
      down: () => ({ machine, transitions: [] }),
      degraded: () => ({ machine, transitions: [] }),
      up: () => ({ machine, transitions: [] })
    }
  }
  return table[machine.state][outcome]()
}

/** How often a monitor is heard of. */
export type Pacing = Pick<Rules, "intervalSec" | "timeoutMs">

/** A longer silence than this between two rounds is time in which nothing was observed. */
const silence = (rules: Pacing): number => 2.5 * rules.intervalSec * 1000 + rules.timeoutMs

/** When a monitor last heard of at `lastRoundAt` stops being observed, ms; `now` while it still is. */
export const observedUntil = (lastRoundAt: number | null, rules: Pacing, now: number): number =>
  lastRoundAt === null || now - lastRoundAt <= silence(rules) ? now : lastRoundAt + rules.intervalSec * 1000

const decide = (machine: Machine, rules: Rules, verdict: Verdict): Step => {
  const at = verdict.check.at
  const last = machine.lastRoundAt
  const silent = last !== null && at - last > silence(rules)
  // A streak that began before the silence says nothing about the time in between.
  const heard = silent && machine.streakSince !== null ? { ...machine, streakSince: at } : machine
  const judged = judge(heard, rules, verdict)
  return {
    machine: { ...judged.machine, lastRoundAt: last === null ? at : Math.max(last, at) },
    transitions: judged.transitions,
    gaps: silent ? [{ from: last + rules.intervalSec * 1000, to: at }] : []
  }
}

/** The regions that are to report: the monitor's healthy ones, or all of them when none is. */
const expectedRegions = (rules: Rules, attention: Attention, now: number): ReadonlyArray<RegionId> => {
  const expected = rules.regions.filter((region) => !attention.isAway(region, now))
  return expected.length === 0 ? rules.regions : expected
}

const missingFrom = (round: Round, rules: Rules, attention: Attention, now: number): number =>
  expectedRegions(rules, attention, now).filter((region) => !round.votes.some((check) => check.region === region)).length

/** How long those heard still have to wait before they decide alone, ms: only time in which the missing could be heard counts. */
const doubtLeft = (round: Round, attention: Attention, now: number): number =>
  round.deadline >= now ? doubt : doubt - attention.listened(round.deadline, now)

const verdictOf = (round: Round, rules: Rules, attention: Attention, now: number): Verdict | null => {
  const missing = missingFrom(round, rules, attention, now)
  return vote(round.votes, missing === 0 || doubtLeft(round, attention, now) <= 0 ? 0 : missing)
}

/** Closes every round up to `slot`, oldest first. */
const closeThrough = (machine: Machine, rules: Rules, attention: Attention, slot: number, now: number): Step => {
  let current = machine
  const transitions: Array<Transition> = []
  const gaps: Array<Gap> = []
  for (const round of machine.rounds.filter((open) => open.slot <= slot)) {
    const verdict = verdictOf(round, rules, attention, now)
    if (verdict === null) continue
    const step = decide(current, rules, verdict)
    current = step.machine
    transitions.push(...step.transitions)
    gaps.push(...step.gaps)
  }
  return {
    machine: {
      ...current,
      lastSlot: Math.max(current.lastSlot, slot),
      rounds: machine.rounds.filter((open) => open.slot > slot)
    },
    transitions,
    gaps
  }
}

/** Whether a observation belongs to a round that is open: not paused, of the present settings, from the monitor's regions, in time. */
const counts = (machine: Machine, rules: Rules, check: Observation): boolean =>
  machine.state !== "paused" && check.revision === machine.revision && check.slot > machine.lastSlot &&
  rules.regions.includes(check.region) &&
  !machine.rounds.some((round) => round.slot === check.slot && round.votes.some((vote) => vote.region === check.region))

/** A slot that begins so much later than now was numbered by a clock that is wrong, ms. */
const farAhead = 300_000

/**
 * Takes one check in. A round closes when every healthy region has reported; `closeDue` closes those whose time is up.
 * The waiting starts when the actor first hears of a round, so that a backlog worked off late is voted on whole.
 */
export const observe = (machine: Machine, rules: Rules, attention: Attention, check: Observation, now: number): Step => {
  const intervalMs = rules.intervalSec * 1000
  const phase = phaseOf(check.monitorId, intervalMs)
  const isAhead = (slot: number) => slotStart(slot, phase, intervalMs) > now + farAhead
  // A slot of the far future must not make the monitor deaf until then, nor keep votes for a round of others.
  const known = isAhead(machine.lastSlot) && !isAhead(check.slot) ? { ...machine, lastSlot: check.slot - 1 } : machine
  if (!counts(known, rules, check) || (rules.regions.length > 1 && isAhead(check.slot))) return stay(machine)
  const lastReport = slotStart(check.slot, phase, intervalMs) + rules.timeoutMs
  const open = known.rounds.find((round) => round.slot === check.slot)
  const round: Round = open === undefined
    ? { slot: check.slot, deadline: Math.max(now, lastReport) + grace, votes: [check] }
    : { ...open, votes: [...open.votes, check] }
  const rounds = [...known.rounds.filter((other) => other.slot !== check.slot), round].sort((a, b) => a.slot - b.slot)
  const heard = { ...known, sequence: known.sequence + 1, rounds }
  return missingFrom(round, rules, attention, now) === 0 ? closeThrough(heard, rules, attention, check.slot, now) : stay(heard)
}

/**
 * Closes the rounds whose deadline has passed with what was heard. One whose verdict the missing could turn waits until
 * they have reported, or are known to be gone.
 */
export const closeDue = (machine: Machine, rules: Rules, attention: Attention, now: number): Step => {
  const isDue = (round: Round) =>
    missingFrom(round, rules, attention, now) === 0 || doubtLeft(round, attention, now) <= 0 ||
    (round.deadline <= now && verdictOf(round, rules, attention, now) !== null)
  const newest = machine.rounds.filter(isDue).at(-1)
  return newest === undefined
    ? stay(machine)
    : closeThrough({ ...machine, sequence: machine.sequence + 1 }, rules, attention, newest.slot, now)
}

/**
 * When `closeDue` is to be asked next, ms: at the earliest deadline among the open rounds, or when the doubt about one ends.
 * It is to be asked, too, whenever other regions are away than before.
 */
export const nextDeadline = (machine: Machine, attention: Attention, now: number): number | null =>
  machine.rounds.reduce<number | null>((earliest, round) => {
    const next = round.deadline > now ? round.deadline : now + Math.max(doubtLeft(round, attention, now), 1000)
    return earliest === null ? next : Math.min(earliest, next)
  }, null)

/**
 * The machine in the hands of who had not heard its open rounds: what they miss may have been said meanwhile and waits to
 * be heard, so the waiting starts anew.
 */
export const takeOver = (machine: Machine, now: number): Machine =>
  machine.rounds.length === 0
    ? machine
    : { ...machine, rounds: machine.rounds.map((round) => ({ ...round, deadline: Math.max(round.deadline, now + grace) })) }

/** A round of its own, made by hand: its checks decide at once, unless the `missing` regions that were asked could turn it. */
export const apply = (machine: Machine, rules: Rules, checks: ReadonlyArray<Observation>, missing: number): Step => {
  const verdict = machine.state === "paused" ? null : vote(checks, missing)
  return verdict === null ? stay(machine) : decide({ ...machine, sequence: machine.sequence + 1 }, rules, verdict)
}

/** Thresholds are for rounds that may err; what reports by itself means what it says. */
const atOnce = { failureThreshold: 1, recoveryThreshold: 1 }

/** A report that decides alone, as a heartbeat's do: nothing was ever unobserved, so no round is noted. */
export const hear = (machine: Machine, rules: Rules, check: Observation): Step => {
  if (machine.state === "paused") return stay(machine)
  const heard = { ...machine, sequence: machine.sequence + 1 }
  return { ...judge(heard, { ...rules, ...atOnce }, { check, outcome: check.outcome }), gaps: [] }
}

/** New settings: rounds and streaks of the old ones are void; pausing and resuming change the state. */
export const revise = (machine: Machine, revision: number, paused: boolean, now: number): Step => {
  const fresh = revision === machine.revision
    ? machine
    : { ...unmoved(machine), revision, lastSlot: -1, rounds: [], sequence: machine.sequence + 1 }
  const to = paused && fresh.state !== "paused" ? "paused" : !paused && fresh.state === "paused" ? "pending" : null
  if (to === null) return stay(fresh)
  const entered = enter({ ...fresh, rounds: [], lastRoundAt: null, sequence: fresh.sequence + 1 }, to, now, null)
  return { machine: entered.machine, transitions: [entered.transition], gaps: [] }
}
