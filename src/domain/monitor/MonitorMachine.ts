/** The monitor's state machine: turns rounds of checks into states, with failure and recovery thresholds. */
import type { RegionId } from "../../../schema/check/Region.ts"
import type { Machine, Observation, Round } from "../../../schema/monitor/Machine.ts"
import type { Rules } from "../../../schema/monitor/Monitor.ts"
import { phaseOf, slotAt, slotStart } from "../check/round/CheckSlot.ts"
import { type Attention, beatSilence } from "../check/round/RegionWatch.ts"
import { type RoundVerdict, vote } from "../check/round/Vote.ts"
import { lastReportAfter } from "./Confirmation.ts"
import {
  attemptOf,
  confirmVerdict,
  isAfter,
  isConfirmation,
  isSameRound,
  outstanding,
  withFailed,
  withoutConfirmation
} from "./ConfirmRound.ts"
import { enter, judge, type Transition, withoutRecent, withoutStreaks } from "./JudgeRound.ts"

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

/** True if a step changes no state, so that it can be written in bulk. */
export const keepsState = (step: Step): boolean => step.transitions.length === 0 && step.gaps.length === 0

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

const none: ReadonlyArray<never> = []

const stay = (machine: Machine): Step => ({ machine, transitions: none, gaps: none })

/** How often a monitor reports. */
export type Pacing = Pick<Rules, "intervalSec" | "timeoutMs">

/** The longest pause between two rounds that still counts as observed time, ms. */
export const silence = (rules: Pacing): number => 2.5 * rules.intervalSec * 1000 + rules.timeoutMs

/** Until when a monitor with its last round at `lastRoundAt` counts as observed, ms; `now` if it still does. */
export const observedUntil = (lastRoundAt: number | null, rules: Pacing, now: number): number =>
  lastRoundAt === null || now - lastRoundAt <= silence(rules) ? now : lastRoundAt + rules.intervalSec * 1000

const decide = (machine: Machine, rules: Rules, verdict: RoundVerdict): Step => {
  const at = verdict.check.at
  const last = machine.lastRoundAt
  const silent = last !== null && at - last > silence(rules)
  // A streak that began before the pause proves nothing about the time in between.
  const heard = silent && machine.streakSince !== null ? { ...machine, streakSince: at } : machine
  const judged = judge(heard, rules, verdict)
  return {
    machine: { ...judged.machine, lastRoundAt: last === null ? at : Math.max(last, at) },
    transitions: judged.transitions,
    gaps: silent ? [{ from: last + rules.intervalSec * 1000, to: at }] : none
  }
}

const hasVote = (round: Round, region: RegionId): boolean => round.votes.some((check) => check.region === region)

/** How many reports a round lacks. A region that is away is awaited where it was there: a backlog may still bring its report. */
const missingFrom = (round: Round, rules: Rules, attention: Attention, now: number): number => {
  const [first] = round.votes
  let expected = 0
  let missing = 0
  let missingOfAll = 0
  for (const region of rules.regions) {
    const isMissing = hasVote(round, region) ? 0 : 1
    missingOfAll += isMissing
    if (attention.isAway(region, now) && (first === undefined || !attention.heardSince(region, first.at))) continue
    expected++
    missing += isMissing
  }
  return expected === 0 ? missingOfAll : missing
}

/** True if a round is past its deadline without the report of a region that is not away. Not every region confirms a failure. */
export const lacksReport = (machine: Machine, rules: Rules, attention: Attention, now: number): boolean =>
  machine.rounds.some((round) =>
    !isConfirmation(round) && round.deadline <= now &&
    rules.regions.some((region) => !hasVote(round, region) && !attention.isAway(region, now))
  )

/** How long a round must still wait for missing reports, ms. Only time in which this process could receive them counts. */
const doubtLeft = (round: Round, attention: Attention, now: number): number =>
  round.deadline >= now ? doubt : doubt - attention.listened(round.deadline, now)

const verdictOf = (machine: Machine, round: Round, rules: Rules, attention: Attention, now: number): RoundVerdict | null => {
  if (isConfirmation(round)) return confirmVerdict(machine, round, attention, now)
  const missing = missingFrom(round, rules, attention, now)
  return vote(round.votes, missing === 0 || doubtLeft(round, attention, now) <= 0 ? 0 : missing)
}

/** The same of a round that closes because a later one does: what the later one sees counts, not a minority that was slow. */
const overtakenVerdict = (machine: Machine, round: Round, rules: Rules, attention: Attention, now: number): RoundVerdict | null =>
  isConfirmation(round)
    ? confirmVerdict(machine, round, attention, now)
    : vote(round.votes, missingFrom(round, rules, attention, now))

/** A slot in which no region trusted its check is not decided: a region that repeats the check is still heard. */
const lastDecided = ({ rounds }: Machine, slot: number): number => {
  const round = rounds.find((open) => open.slot === slot)
  return round === undefined || round.votes.some(({ trusted }) => trusted) ? slot : slot - 1
}

const noRounds: ReadonlyArray<Round> = []

/** Each check comes here, and a copy that leaves a field out takes longest. */
const withoutAttempt = (machine: Machine): Machine => {
  if (machine.lastAttempt === undefined) return machine
  const { lastAttempt: _, ...rest } = machine
  return rest
}

/** Takes a round out of the open ones, and decides it if its votes do. */
const closeRound = (machine: Machine, rules: Rules, round: Round, verdict: RoundVerdict | null): Step => {
  const step = verdict === null ? stay(machine) : decide(machine, rules, verdict)
  const decidedSlot = isConfirmation(round) ? round.slot : lastDecided(machine, round.slot)
  const closed = {
    ...withoutAttempt(step.machine),
    lastSlot: Math.max(machine.lastSlot, decidedSlot),
    rounds: machine.rounds.length === 1 ? noRounds : machine.rounds.filter((other) => other !== round)
  }
  const attempted = isConfirmation(round) ? { ...closed, lastAttempt: attemptOf(round) } : closed
  return {
    machine: withFailed(machine, rules, round, verdict, attempted),
    transitions: step.transitions,
    gaps: step.gaps
  }
}

/** True if a round can be closed: all reports that it waits for have arrived, or cannot change its verdict if it confirms one. */
const isComplete = (machine: Machine, round: Round, rules: Rules, attention: Attention, now: number): boolean =>
  isConfirmation(round)
    ? outstanding(machine, round, attention, now).length === 0 || confirmVerdict(machine, round, attention, now) !== null
    : missingFrom(round, rules, attention, now) === 0

/** Closes every round up to `last`, oldest first, and those that confirm it if their reports came first. */
const closeThrough = (machine: Machine, rules: Rules, attention: Attention, last: Round, now: number): Step => {
  let current = machine
  const transitions: Array<Transition> = []
  const gaps: Array<Gap> = []
  for (const round of machine.rounds) {
    const isNext = isConfirmation(round) && isComplete(current, round, rules, attention, now) &&
      round.slot === current.lastSlot
    if (isAfter(round, last) && !isNext) break
    const verdict = (isAfter(last, round) ? overtakenVerdict : verdictOf)(current, round, rules, attention, now)
    const step = closeRound(current, rules, round, verdict)
    current = step.machine
    transitions.push(...step.transitions)
    gaps.push(...step.gaps)
  }
  return { machine: current, transitions, gaps }
}

/** True if a region's vote stands against another check of it: all but an untrusted one, which a trusted check replaces. */
const stands = (vote: Observation, check: Observation): boolean =>
  vote.region === check.region && (vote.trusted || !check.trusted)

/** A repetition counts while the round that it confirms is open, or failed. */
const mayConfirm = (machine: Machine, check: Observation): boolean =>
  check.trusted && (check.slot === machine.lastSlot
    ? machine.failed !== undefined
    : machine.rounds.some((round) => round.slot === check.slot && !isConfirmation(round)))

/** True if an observation belongs to an open round: current revision, one of the monitor's regions, in time, not a duplicate. */
const counts = (machine: Machine, rules: Rules, check: Observation): boolean =>
  machine.state !== "paused" && check.revision === machine.revision &&
  isAfter(check, { slot: machine.lastSlot, attempt: machine.lastAttempt }) && rules.regions.includes(check.region) &&
  (!isConfirmation(check) || mayConfirm(machine, check)) &&
  !machine.rounds.some((round) => isSameRound(round, check) && round.votes.some((vote) => stands(vote, check)))

/** A slot that starts this much later than now comes from a wrong clock, ms. */
const farAhead = 300_000

/** A confirmation waits for the round that it confirms; any other round closes those before it. */
const isClosable = (machine: Machine, round: Round, rules: Rules, attention: Attention, now: number): boolean =>
  isComplete(machine, round, rules, attention, now) &&
  (!isConfirmation(round) || !machine.rounds.some((other) => other.slot === round.slot && isAfter(round, other)))

/**
 * Processes one check. A round closes when every healthy region has reported; `closeDue` closes those past their deadline, which
 * counts from the first report at the actor, so that a late backlog still gets a full vote.
 */
export const observe = (machine: Machine, rules: Rules, attention: Attention, check: Observation, now: number): Step => {
  const intervalMs = rules.intervalSec * 1000
  const phase = phaseOf(check.monitorId, intervalMs)
  const isAhead = (slot: number) => slotStart(slot, phase, intervalMs) > now + farAhead
  // A slot in the far future must not make the monitor ignore earlier slots, nor hold votes for a round of other regions.
  const known = isAhead(machine.lastSlot) && !isAhead(check.slot)
    ? { ...withoutConfirmation(machine), lastSlot: check.slot - 1 }
    : machine
  if (!counts(known, rules, check) || (rules.regions.length > 1 && isAhead(check.slot))) return stay(machine)
  const lastReport = slotStart(check.slot, phase, intervalMs) + lastReportAfter(attemptOf(check), rules)
  const open = known.rounds.find((round) => isSameRound(round, check))
  const round: Round = open === undefined
    ? {
      slot: check.slot,
      ...(check.attempt === undefined ? {} : { attempt: check.attempt }),
      deadline: Math.max(now, lastReport) + grace,
      votes: [check]
    }
    : { ...open, votes: [...open.votes.filter(({ region }) => region !== check.region), check] }
  const rounds = known.rounds.length === 0
    ? [round]
    : [...known.rounds.filter((other) => other !== open), round].sort((a, b) => (isAfter(a, b) ? 1 : -1))
  const heard = { ...known, sequence: known.sequence + 1, rounds }
  return isClosable(heard, round, rules, attention, now) ? closeThrough(heard, rules, attention, round, now) : stay(heard)
}

/** Closes the rounds past their deadline. One whose verdict could still change waits until its regions report or are known as lost. */
export const closeDue = (machine: Machine, rules: Rules, attention: Attention, now: number): Step => {
  const isDue = (round: Round) =>
    isConfirmation(round)
      ? isClosable(machine, round, rules, attention, now)
      : missingFrom(round, rules, attention, now) === 0 || doubtLeft(round, attention, now) <= 0 ||
        (round.deadline <= now && verdictOf(machine, round, rules, attention, now) !== null)
  const newest = machine.rounds.filter(isDue).at(-1)
  return newest === undefined
    ? stay(machine)
    : closeThrough({ ...machine, sequence: machine.sequence + 1 }, rules, attention, newest, now)
}

/** When to call `closeDue` next, ms. Callers must also call it whenever the set of regions that are away changes. */
export const nextDeadline = (machine: Machine, attention: Attention, now: number): number | null =>
  machine.rounds.reduce<number | null>((earliest, round) => {
    const waits = isConfirmation(round) ? 1000 : Math.max(doubtLeft(round, attention, now), 1000)
    const next = round.deadline > now ? round.deadline : now + waits
    return earliest === null ? next : Math.min(earliest, next)
  }, null)

/** The machine in a new process, which extends the deadlines of open rounds: missing reports may be queued for it. */
export const takeOver = (machine: Machine, now: number): Machine =>
  machine.rounds.length === 0
    ? machine
    : { ...machine, rounds: machine.rounds.map((round) => ({ ...round, deadline: Math.max(round.deadline, now + grace) })) }

/**
 * A round that a caller requested: its checks decide immediately, unless reports of the `missing` regions could change it. It replaces
 * its slot's round, so that a scheduled check that ran before and arrives later does not undo its decision.
 */
export const apply = (machine: Machine, rules: Rules, checks: ReadonlyArray<Observation>, missing: number, now: number): Step => {
  const verdict = machine.state === "paused" ? null : vote(checks, missing)
  if (verdict === null) return stay(machine)
  const intervalMs = rules.intervalSec * 1000
  // A region whose clock is ahead must not close slots of the future.
  const slot = slotAt(Math.min(verdict.check.at, now), phaseOf(verdict.check.monitorId, intervalMs), intervalMs)
  const taken: Machine = {
    ...withoutConfirmation(machine),
    sequence: machine.sequence + 1,
    lastSlot: Math.max(machine.lastSlot, slot),
    rounds: machine.rounds.filter((open) => open.slot > slot)
  }
  return decide(taken, rules, verdict)
}

/** Thresholds protect against faulty rounds; a job that reports its own status needs no confirmation. */
const immediate = { failureThreshold: 1, recoveryThreshold: 1, failureRate: null }

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
    : { ...withoutRecent(withoutStreaks(machine)), revision, lastSlot: -1, rounds: [], sequence: machine.sequence + 1 }
  const to = paused && fresh.state !== "paused" ? "paused" : !paused && fresh.state === "paused" ? "pending" : null
  if (to === null) return stay(fresh)
  const entered = enter({ ...fresh, rounds: [], lastRoundAt: null, sequence: fresh.sequence + 1 }, to, now, null)
  return { machine: entered.machine, transitions: [entered.transition], gaps: [] }
}
