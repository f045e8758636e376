/** Rounds that confirm a failed one before the next slot: the regions that saw it check again, the other results of the slot stand. */
import type { Machine, Observation, Round } from "../../../schema/monitor/Machine.ts"
import type { Rules } from "../../../schema/monitor/Monitor.ts"
import type { Attention } from "../check/round/RegionWatch.ts"
import { type RoundVerdict, vote } from "../check/round/Vote.ts"

/** A position in the order of rounds: a slot, and the repetition of its check. */
export interface RoundPosition {
  readonly slot: number
  readonly attempt?: number | undefined
}

export const attemptOf = ({ attempt }: RoundPosition): number => attempt ?? 0

export const isConfirmation = (position: RoundPosition): boolean => attemptOf(position) > 0

export const isAfter = (one: RoundPosition, other: RoundPosition): boolean =>
  one.slot > other.slot || (one.slot === other.slot && attemptOf(one) > attemptOf(other))

export const isSameRound = (one: RoundPosition, other: RoundPosition): boolean =>
  one.slot === other.slot && attemptOf(one) === attemptOf(other)

/** The last votes of regions that have not voted in this round. A region that is away has no say. */
const standing = ({ failed = [] }: Machine, round: Round, attention: Attention, now: number): ReadonlyArray<Observation> =>
  failed.filter(({ region }) => !attention.isAway(region, now) && !round.votes.some((vote) => vote.region === region))

/** The failures that regions have still to confirm; none once the round's time is up. */
export const outstanding = (machine: Machine, round: Round, attention: Attention, now: number): ReadonlyArray<Observation> =>
  round.deadline <= now ? [] : standing(machine, round, attention, now).filter(({ outcome }) => outcome === "down")

/** Null while outstanding reports could change the verdict, and without a region that sees the failure again. */
export const confirmVerdict = (machine: Machine, round: Round, attention: Attention, now: number): RoundVerdict | null => {
  const { failed, lastSlot } = machine
  if (failed === undefined || lastSlot !== round.slot) return null
  const waiting = outstanding(machine, round, attention, now)
  const others = standing(machine, round, attention, now).filter((one) => !waiting.includes(one))
  const verdict = vote([...round.votes, ...others], waiting.length)
  return verdict?.outcome === "down" && round.votes.every(({ outcome }) => outcome !== "down") ? null : verdict
}

export const withoutConfirmation = ({ failed: _, lastAttempt: __, ...machine }: Machine): Machine => machine

/** Each check comes here, and a copy that leaves a field out takes longest. */
const withoutFailed = (machine: Machine): Machine => {
  if (machine.failed === undefined) return machine
  const { failed: _, ...rest } = machine
  return rest
}

/** Keeps the last vote of each region in a round that failed, if that still has to be confirmed. */
export const withFailed = (
  before: Machine,
  { confirmAfterSec }: Rules,
  round: Round,
  verdict: RoundVerdict | null,
  after: Machine
): Machine => {
  if (confirmAfterSec === null) return after
  const rest = withoutFailed(after)
  if (verdict?.outcome !== "down" || after.state === "down" || after.state === "paused") return rest
  const earlier = isConfirmation(round) ? before.failed ?? [] : []
  const votes = round.votes.filter(({ trusted }) => trusted)
  return {
    ...rest,
    failed: [...votes, ...earlier.filter(({ region }) => !votes.some((vote) => vote.region === region))]
  }
}
