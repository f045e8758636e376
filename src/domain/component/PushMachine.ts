/** The state machine of a pushed component: its reports confirm a status, which expires. */
import type { ComponentStatus, EffectiveStatus } from "../../../schema/component/Component.ts"
import type { PushState, Taken } from "../../../schema/component/Push.ts"
import type { Listened } from "../monitor/ListeningProcesses.ts"

/** One push, as input to the machine. */
export interface Report {
  readonly status: ComponentStatus
  readonly message: string | null
  /** True if the report needs no further confirmations. */
  readonly confirmed: boolean
  /** ms since 1970; null if the report has no observation time. */
  readonly observedAt: number | null
}

export interface Heard {
  readonly state: PushState
  readonly taken: Taken
}

/** The status is unknown until the first report. */
export const initialPushState = (now: number): PushState => ({
  shown: "unknown",
  since: now,
  message: null,
  streak: [],
  observedAt: null,
  heardUpTo: null,
  arrivedAt: null
})

/** Ranks statuses. Maintenance ranks with operational, so its start and end need no confirmation. */
const badness: Record<EffectiveStatus, number> = {
  unknown: 0,
  operational: 0,
  maintenance: 0,
  degraded: 1,
  partial_outage: 2,
  major_outage: 3
}

type Streak = PushState["streak"]

const mildestOf = (streak: Streak) =>
  streak.reduce<Streak[number] | null>(
    (mildest, one) => mildest === null || badness[one.status] < badness[mildest.status] ? one : mildest,
    null
  )

/** A full streak confirms its mildest status: all its reports are at least that bad. Later, worse reports stay in the streak. */
const confirm = (state: PushState, streak: Streak, message: string | null): PushState => {
  const mildest = mildestOf(streak)
  if (mildest === null) return state
  const last = streak.findLastIndex((one) => badness[one.status] === badness[mildest.status])
  return { ...state, shown: mildest.status, since: streak[0]?.at ?? mildest.at, message, streak: streak.slice(last + 1) }
}

const show = (state: PushState, { message, status }: Report, now: number): PushState => ({
  ...state,
  shown: status,
  since: status === state.shown ? state.since : now,
  message,
  streak: []
})

/** Processes a report. A worse status must be confirmed, by the report or by others. (Specification: States, Component status.) */
export const hear = (state: PushState, confirmations: number, report: Report, now: number): Heard => {
  // A sender's clock that is ahead must not make later reports look outdated.
  const observed = report.observedAt === null ? null : Math.min(report.observedAt, now)
  if (observed !== null && state.heardUpTo !== null && observed < state.heardUpTo) return { state, taken: "outdated" }
  const arrived = { ...state, arrivedAt: now }
  const isWorse = badness[report.status] > badness[state.shown]
  const showsNow = report.confirmed || !isWorse
  const isRepeated = report.observedAt !== null && report.observedAt === state.observedAt
  if (isRepeated && !showsNow) return { state: arrived, taken: "repeated" }
  const fresh = { ...arrived, observedAt: report.observedAt, heardUpTo: observed ?? now }
  if (showsNow) return { state: show(fresh, report, now), taken: "counted" }
  const streak = [...state.streak, { status: report.status, at: now }].slice(-confirmations)
  return {
    state: streak.length < confirmations ? { ...fresh, streak } : confirm(fresh, streak, report.message),
    taken: "counted"
  }
}

/** Extra time after an outage of the service itself, in which reports may have been lost, ms. */
const restartAllowanceMs = 60_000

/** When the status expires without a new report, ms; null if nothing can. Reports may have been lost before `listeningSince`. */
export const deadlineOf = (state: PushState, ttlSec: number | null, listeningSince: number): number | null => {
  if (ttlSec === null || state.arrivedAt === null) return null
  if (state.shown === "unknown" && state.streak.length === 0) return null
  const due = state.arrivedAt + ttlSec * 1000
  return state.arrivedAt < listeningSince ? Math.max(due, listeningSince + restartAllowanceMs) : due
}

/** When missing pushes made the status unknown, and when to check again; null for never. Nothing lapses before `openUntil`. */
export const silenceOf = (state: PushState, ttlSec: number | null, { openUntil, since }: Listened, now: number) => {
  const deadline = deadlineOf(state, ttlSec, since)
  if (deadline === null || deadline > now) return { lapsedAt: null, lookAt: deadline }
  return openUntil !== null && openUntil > now ? { lapsedAt: null, lookAt: openUntil } : { lapsedAt: deadline, lookAt: null }
}

/** The status is unknown from `at` (ms) on. The next report counts even if it repeats the last observation. */
export const lapse = (state: PushState, at: number): PushState => ({
  ...state,
  shown: "unknown",
  since: state.shown === "unknown" ? state.since : Math.max(at, state.since),
  message: null,
  streak: [],
  observedAt: null
})
