/** Decides whether a wait for a monitor is over: by its state, and by what its regions saw since the time that the caller names. */
import { DateTime, Struct } from "effect"
import { type Check, CheckSummary } from "../../../schema/check/Check.ts"
import type { RegionId } from "../../../schema/check/Region.ts"
import type { MonitorState } from "../../../schema/monitor/Monitor.ts"
import { briefCause } from "../check/answer/BriefCause.ts"

/** True for states that checks lead to. In the others nothing is checked, or nothing was yet. */
export const isCheckedState = (state: MonitorState): boolean => state !== "pending" && state !== "paused"

export interface Wish {
  readonly state: MonitorState
  /** Only checks at or after this time count; null if any does. */
  readonly checkedAfter: DateTime.Utc | null
}

interface WaitFacts {
  readonly state: MonitorState
  readonly regions: ReadonlyArray<RegionId>
  /** Its newest checks, newest first. */
  readonly checks: ReadonlyArray<Check>
}

/** Checks that did not show the state, in an answer. */
const mostFailed = 10

const summaryOf = (check: Check): CheckSummary => Struct.pick(check, ...Struct.keys(CheckSummary.fields))

/** In our own words: nothing that a target wrote. */
const checkText = (check: Check): string => {
  const cause = briefCause(check)
  return `The check ${check.id} in ${check.region} was ${check.outcome}${cause === null ? "" : `: ${cause}`}.`
}

const reasonOf = (
  wish: MonitorState,
  state: MonitorState,
  wrong: ReadonlyArray<Check>,
  missing: ReadonlyArray<RegionId>,
  after: DateTime.Utc | null
): string =>
  [
    ...(state === wish ? [] : [state === "paused" ? "The monitor is paused." : `The monitor is ${state}, not ${wish}.`]),
    ...wrong.map(checkText),
    ...(missing.length === 0 || after === null
      ? []
      : [`No check counted since ${DateTime.formatIso(after)} in ${missing.join(", ")}.`])
  ].join(" ")

/**
 * A wait for `up` needs a good check since then from every region, because one failure leaves the state up until it is confirmed. The
 * other states were decided by votes, so one region that still shows the state suffices.
 */
export const waitVerdict = ({ checkedAfter, state: wished }: Wish, { checks, regions, state }: WaitFacts) => {
  if (checkedAfter === null) {
    const reason = state === wished ? null : reasonOf(wished, state, [], [], null)
    return { reached: state === wished, checks: [], failed: [], missingRegions: [], reason }
  }
  const since = checks.filter(({ at, counted }) => counted && DateTime.greaterThanOrEqualTo(at, checkedAfter))
  const newest = regions.flatMap((region) => since.find((check) => check.region === region) ?? [])
  const missing = regions.filter((region) => !newest.some((check) => check.region === region))
  const wrong = newest.filter(({ outcome }) => outcome !== wished)
  const shown = wished === "up" ? wrong.length + missing.length === 0 : wrong.length < newest.length
  const reached = state === wished && shown
  return {
    reached,
    /** The newest check of each region that counts for the wait. */
    checks: newest.map(summaryOf),
    /** The checks since then that did not show the state, newest first. */
    failed: since.filter(({ outcome }) => outcome !== wished).slice(0, mostFailed).map(summaryOf),
    missingRegions: missing,
    /** The reason to wait on; null if the wait is over. */
    reason: reached ? null : reasonOf(wished, state, wrong, missing, checkedAfter)
  }
}
