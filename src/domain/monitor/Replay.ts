/** Replays stored checks through the state machine of live monitors, under rules of choice, and sums up the course of states. */
import type { Cause } from "../../../schema/check/Check.ts"
import type { RegionId } from "../../../schema/check/Region.ts"
import type { CheckId, MonitorId } from "../../../schema/Ids.ts"
import type { Machine, Observation } from "../../../schema/monitor/Machine.ts"
import type { Rules } from "../../../schema/monitor/Monitor.ts"
import type { StoredCheck } from "../check/history/StoredCheck.ts"
import { phaseOf, slotAt } from "../check/round/CheckSlot.ts"
import type { Attention } from "../check/round/RegionWatch.ts"
import { apply, closeDue, initialMachine, nextDeadline, observe, silence, type Step } from "./MonitorMachine.ts"
import { type Extras, makeSlotExtras } from "./SlotExtras.ts"
import { overlap, type Span, type SpanState, type Window } from "./Uptime.ts"

export interface ReplayPlan {
  readonly monitorId: MonitorId
  readonly rules: Rules
  /** The interval at which the checks were made, s. */
  readonly intervalSec: number
  /** Judges latencies again, ms: undefined leaves the outcomes as they are, null knows no limit. */
  readonly degradedAfterMs: number | null | undefined
  readonly state: SpanState
  /** ms since 1970. */
  readonly start: number
}

export interface CourseSpan extends Span {
  readonly cause: Cause | null
  readonly checkId: CheckId | null
}

export type Replay = ReturnType<typeof makeReplay>

/** The check as it would have been under another limit of latency. */
const judged = (check: StoredCheck, limit: number | null | undefined): Pick<StoredCheck, "outcome" | "cause"> => {
  const { cause, latencyMs, outcome } = check
  if (limit === undefined || outcome === "down" || (outcome === "degraded" && cause !== "slow")) return { outcome, cause }
  return limit !== null && latencyMs !== null && latencyMs > limit
    ? { outcome: "degraded", cause: "slow" }
    : { outcome: "up", cause: null }
}

/** Regions are away once nothing of them was stored for longer than a monitor may be silent. The replay always listens. */
const makeAttention = (rules: Rules, start: number) => {
  const lastSeen = new Map<RegionId, number>()
  const attention: Attention = {
    isAway: (region, now) => now - (lastSeen.get(region) ?? start) > silence(rules),
    heardSince: (region, at) => (lastSeen.get(region) ?? start) > at,
    listened: (from, now) => now - from
  }
  return { attention, saw: (region: RegionId, at: number) => void lastSeen.set(region, at) }
}

/** The spans that a course of marks makes; the same as `MonitorStates` writes. */
const makeCourse = (state: SpanState, start: number) => {
  const spans: Array<CourseSpan> = [{ state, startedAt: start, endedAt: null, cause: null, checkId: null }]
  const mark = (at: number, next: SpanState, check: Observation | null): void => {
    const open = spans.pop()
    if (open !== undefined && at > open.startedAt) spans.push({ ...open, endedAt: at })
    const startedAt = open === undefined ? at : Math.max(at, open.startedAt)
    spans.push({ state: next, startedAt, endedAt: null, cause: check?.cause ?? null, checkId: check?.checkId ?? null })
  }
  return {
    spans,
    take: ({ gaps, machine, transitions }: Step): void => {
      for (const { from, to } of gaps) {
        mark(from, "unobserved", null)
        mark(to, transitions[0]?.from ?? machine.state, null)
      }
      for (const { at, check, to } of transitions) mark(at, to, check)
    }
  }
}

const makeObservations = ({ degradedAfterMs, monitorId, rules }: ReplayPlan) => {
  const intervalMs = rules.intervalSec * 1000
  const phase = phaseOf(monitorId, intervalMs)
  return (check: StoredCheck): Observation => ({
    checkId: check.id,
    monitorId,
    revision: 1,
    slot: slotAt(check.at, phase, intervalMs),
    at: check.at,
    region: check.region,
    statusCode: check.statusCode,
    latencyMs: check.latencyMs,
    error: check.error,
    hasEvidence: check.hasEvidence,
    // A check without a vote then, for example because the region was cut off, has none now.
    trusted: check.counted,
    ...judged(check, degradedAfterMs)
  })
}

/** The extras of the slots in which the checks were made, which are not those of a proposed interval. */
const extrasOf = ({ intervalSec, monitorId, rules }: ReplayPlan) => {
  const phase = phaseOf(monitorId, intervalSec * 1000)
  return makeSlotExtras({
    slotOf: (at) => slotAt(at, phase, intervalSec * 1000),
    confirms: rules.confirmAfterSec !== null,
    spread: rules.timeoutMs
  })
}

export const makeReplay = (plan: ReplayPlan) => {
  const { rules, start, state } = plan
  const { attention, saw } = makeAttention(rules, start)
  const course = makeCourse(state, start)
  const observationOf = makeObservations(plan)
  const extras = extrasOf(plan)
  let machine: Machine = { ...initialMachine(start, 1), state: state === "paused" || state === "unobserved" ? "pending" : state }
  let clock = start

  const take = (step: Step): void => {
    machine = step.machine
    course.take(step)
  }
  /** Closes the rounds that are due until an instant, each at its time. */
  const passTo = (instant: number): void => {
    for (
      let next = nextDeadline(machine, attention, clock);
      next !== null && next <= instant;
      next = nextDeadline(machine, attention, clock)
    ) {
      clock = next
      take(closeDue(machine, rules, attention, clock))
    }
    clock = Math.max(clock, instant)
  }
  const takeExtras = (found: Extras | null): void => {
    if (found === null) return
    const observations = found.checks.map(observationOf).filter(({ region }) => rules.regions.includes(region))
    const { attempt } = found
    if (attempt === null) take(apply(machine, rules, observations, 0, clock))
    else for (const one of observations) take(observe(machine, rules, attention, { ...one, attempt }, clock))
  }

  return {
    /** Takes checks in order of their times. */
    feed: (checks: ReadonlyArray<StoredCheck>): void => {
      for (const check of checks) {
        if (check.counted) takeExtras(extras.endBefore(check))
        passTo(check.at + (check.latencyMs ?? 0))
        saw(check.region, clock)
        if (check.counted && extras.keep(check)) continue
        take(observe(machine, rules, attention, observationOf(check), clock))
      }
    },
    /** Closes what is open at `end` (ms), and returns the states in order. */
    finish: (end: number): ReadonlyArray<CourseSpan> => {
      takeExtras(extras.end())
      passTo(Math.max(clock, end))
      return course.spans
    }
  }
}

/** An outage or a degradation within a window. */
export interface Outage {
  readonly state: "down" | "degraded"
  readonly from: number
  /** Null if it lasts beyond the window. */
  readonly to: number | null
  readonly ms: number
  readonly cause: Cause | null
  readonly checkId: CheckId | null
}

const isBad = (state: SpanState): state is "down" | "degraded" => state === "down" || state === "degraded"

export type CourseSummary = ReturnType<typeof summarize>

/** Sums up a course of states. Unobserved time does not end an outage, and one that began before the window alerts nobody in it. */
export const summarize = (spans: ReadonlyArray<CourseSpan>, window: Window) => {
  const outages: Array<Outage & { readonly isNew: boolean }> = []
  let before: SpanState = "up"
  for (const span of spans) {
    const ms = overlap(span, window)
    const state: SpanState = span.state === "unobserved" ? before : span.state
    const continues = state === before && before !== "up"
    if (isBad(span.state) && (ms > 0 || span.endedAt === null) && span.startedAt < window.to) {
      const last = outages.at(-1)
      const to = span.endedAt === null || span.endedAt > window.to ? null : span.endedAt
      if (continues && last?.state === span.state) outages.splice(-1, 1, { ...last, to, ms: last.ms + ms })
      else {
        const { cause, checkId } = span
        outages.push({
          state: span.state,
          from: Math.max(span.startedAt, window.from),
          to,
          ms,
          cause,
          checkId,
          isNew: span.startedAt > window.from
        })
      }
    }
    before = state
  }
  const count = (state: Outage["state"]) => outages.filter((outage) => outage.state === state && outage.isNew).length
  return {
    alerts: count("down"),
    degradations: count("degraded"),
    downMs: outages.reduce((sum, { ms, state }) => sum + (state === "down" ? ms : 0), 0),
    outages: outages.map(({ isNew: _, ...outage }): Outage => outage)
  }
}
