/** The monitor's state machine: turns rounds of checks into states, with failure and recovery thresholds. */
import type { Outcome } from "../../../schema/check/Check.ts"
import type { RegionId } from "../../../schema/check/Region.ts"
import type { Machine, Observation, Round } from "../../../schema/monitor/Machine.ts"
import type { MonitorState, Rules } from "../../../schema/monitor/Monitor.ts"
import { phaseOf, slotStart } from "../check/CheckSlot.ts"
import { type Attention, beatSilence } from "../check/RegionWatch.ts"
import { type Verdict, vote } from "../check/Vote.ts"

/** One change of state, effective from the first check of the streak that caused it. */
export interface Transition {
  readonly from: MonitorState
  readonly to: MonitorState
  readonly at: number
  /** The check that decided it; null for pausing and resuming. */
  readonly check: Observation | null
}

/** A period without observations, because no probe checked the monitor. */
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

/** How long a round waits after the last possible report of a region, ms: for transport and processing. */
const grace = 3000

/** How much longer a round waits if missing reports could change its verdict, ms: by then a lost region is known as lost. */
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

const withoutStreaks = (machine: Machine): Machine => ({ ...machine, failures: 0, successes: 0, streakSince: null })

/** The transition from each state for a verdict. A recovery to degraded passes through up, so that both are reported. */
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
      up: () => ({ machine: withoutStreaks(machine), transitions: [] })
    },
    degraded: { down: fail, degraded: () => ({ machine: withoutStreaks(machine), transitions: [] }), up: recover },
    down: {
      down: () => ({ machine: withoutStreaks(machine), transitions: [] }),
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

/** How often a monitor reports. */
export type Pacing = Pick<Rules, "intervalSec" | "timeoutMs">

/** The longest pause between two rounds that still counts as observed time, ms. */
export const silence = (rules: Pacing): number => 2.5 * rules.intervalSec * 1000 + rules.timeoutMs

/** Until when a monitor with its last round at `lastRoundAt` counts as observed, ms; `now` if it still does. */
export const observedUntil = (lastRoundAt: number | null, rules: Pacing, now: number): number =>
  lastRoundAt === null || now - lastRoundAt <= silence(rules) ? now : lastRoundAt + rules.intervalSec * 1000

const decide = (machine: Machine, rules: Rules, verdict: Verdict): Step => {
  const at = verdict.check.at
  const last = machine.lastRoundAt
  const silent = last !== null && at - last > silence(rules)
  // A streak that began before the pause proves nothing about the time in between.
  const heard = silent && machine.streakSince !== null ? { ...machine, streakSince: at } : machine
  const judged = judge(heard, rules, verdict)
  return {
    machine: { ...judged.machine, lastRoundAt: last === null ? at : Math.max(last, at) },
    transitions: judged.transitions,
    gaps: silent ? [{ from: last + rules.intervalSec * 1000, to: at }] : []
  }
}

/** The regions that must report: the monitor's regions that are not away, or all of them if all are away. */
const expectedRegions = (rules: Rules, attention: Attention, now: number): ReadonlyArray<RegionId> => {
  const expected = rules.regions.filter((region) => !attention.isAway(region, now))
  return expected.length === 0 ? rules.regions : expected
}

const missingFrom = (round: Round, rules: Rules, attention: Attention, now: number): number =>
  expectedRegions(rules, attention, now).filter((region) => !round.votes.some((check) => check.region === region)).length

/** Whether a round is past its deadline without the report of a region that is not away. */
export const lacksReport = (machine: Machine, rules: Rules, attention: Attention, now: number): boolean =>
  machine.rounds.some((round) => round.deadline <= now && missingFrom(round, rules, attention, now) > 0)

/** How long a round must still wait for missing reports, ms. Only time in which this process could receive them counts. */
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

/** Whether an observation belongs to an open round: current revision, one of the monitor's regions, in time, not a duplicate. */
const counts = (machine: Machine, rules: Rules, check: Observation): boolean =>
  machine.state !== "paused" && check.revision === machine.revision && check.slot > machine.lastSlot &&
  rules.regions.includes(check.region) &&
  !machine.rounds.some((round) => round.slot === check.slot && round.votes.some((vote) => vote.region === check.region))

/** A slot that starts this much later than now comes from a wrong clock, ms. */
const farAhead = 300_000

/**
 * Processes one check. A round closes when every healthy region has reported; `closeDue` closes rounds that are past their
 * deadline. The deadline counts from the round's first report at the actor, so a late backlog still gets a full vote.
 */
export const observe = (machine: Machine, rules: Rules, attention: Attention, check: Observation, now: number): Step => {
  const intervalMs = rules.intervalSec * 1000
  const phase = phaseOf(check.monitorId, intervalMs)
  const isAhead = (slot: number) => slotStart(slot, phase, intervalMs) > now + farAhead
  // A slot in the far future must not make the monitor ignore earlier slots, nor hold votes for a round of other regions.
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
 * Closes the rounds whose deadline has passed, with the reports they have. A round whose verdict missing reports could change
 * waits until they arrive or their regions are known as lost.
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
 * When to call `closeDue` next, ms: at the earliest deadline of the open rounds, or when the extra wait of one ends. Callers
 * must also call it whenever the set of regions that are away changes.
 */
export const nextDeadline = (machine: Machine, attention: Attention, now: number): number | null =>
  machine.rounds.reduce<number | null>((earliest, round) => {
    const next = round.deadline > now ? round.deadline : now + Math.max(doubtLeft(round, attention, now), 1000)
    return earliest === null ? next : Math.min(earliest, next)
  }, null)

/**
 * The machine after another process takes over its open rounds. Reports that are missing may already be queued for this process,
 * so the deadlines are extended.
 */
export const takeOver = (machine: Machine, now: number): Machine =>
  machine.rounds.length === 0
    ? machine
    : { ...machine, rounds: machine.rounds.map((round) => ({ ...round, deadline: Math.max(round.deadline, now + grace) })) }

/** A round that a caller requested: its checks decide immediately, unless reports of the `missing` regions could change it. */
export const apply = (machine: Machine, rules: Rules, checks: ReadonlyArray<Observation>, missing: number): Step => {
  const verdict = machine.state === "paused" ? null : vote(checks, missing)
  return verdict === null ? stay(machine) : decide({ ...machine, sequence: machine.sequence + 1 }, rules, verdict)
}

/** Thresholds protect against faulty rounds; a job that reports its own status needs no confirmation. */
const immediate = { failureThreshold: 1, recoveryThreshold: 1 }

/** Processes a report that decides alone, such as a heartbeat's. It records no round, because pushed monitors have no gaps. */
export const hear = (machine: Machine, rules: Rules, check: Observation): Step => {
  if (machine.state === "paused") return stay(machine)
  const heard = { ...machine, sequence: machine.sequence + 1 }
  return { ...judge(heard, { ...rules, ...immediate }, { check, outcome: check.outcome }), gaps: [] }
}

/** Applies new settings: discards the rounds and streaks of the old ones; pausing and resuming change the state. */
export const revise = (machine: Machine, revision: number, paused: boolean, now: number): Step => {
  const fresh = revision === machine.revision
    ? machine
    : { ...withoutStreaks(machine), revision, lastSlot: -1, rounds: [], sequence: machine.sequence + 1 }
  const to = paused && fresh.state !== "paused" ? "paused" : !paused && fresh.state === "paused" ? "pending" : null
  if (to === null) return stay(fresh)
  const entered = enter({ ...fresh, rounds: [], lastRoundAt: null, sequence: fresh.sequence + 1 }, to, now, null)
  return { machine: entered.machine, transitions: [entered.transition], gaps: [] }
}
