/** The machine of a pushed component: what its reports let it show, with protection from blips, and when they run out. */
import type { ComponentStatus, EffectiveStatus } from "../../../schema/component/Component.ts"
import type { PushState, Taken } from "../../../schema/component/Push.ts"

/** One push as the machine sees it. */
export interface Report {
  readonly status: ComponentStatus
  readonly message: string | null
  /** True skips the protection from blips. */
  readonly confirmed: boolean
  /** ms since 1970; null where the report does not say when it was observed. */
  readonly observedAt: number | null
}

export interface Heard {
  readonly state: PushState
  readonly taken: Taken
}

/** Nothing was heard yet, so nothing is claimed. */
export const initialPushState = (now: number): PushState => ({
  shown: "unknown",
  since: now,
  message: null,
  streak: [],
  observedAt: null,
  heardUpTo: null,
  arrivedAt: null
})

/** How bad each is. Announced work is no blip, so it shows at once, and so does its end. */
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

/** What a full streak confirms: the mildest of it, for all of it says at least that. What is worse still may follow. */
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

/**
 * Takes a report in. One that is no worse than what is shown shows at once; a worse one when it is confirmed, or when
 * `confirmations` fresh reports in a row were worse. (Specification: States, component status.)
 */
export const hear = (state: PushState, confirmations: number, report: Report, now: number): Heard => {
  // An observation of the future would let the clock that made it silence everything up to then.
  const observed = report.observedAt === null ? null : Math.min(report.observedAt, now)
  if (observed !== null && state.heardUpTo !== null && observed < state.heardUpTo) return { state, taken: "outdated" }
  const arrived = { ...state, arrivedAt: now }
  const isWorse = badness[report.status] > badness[state.shown]
  const sure = report.confirmed || !isWorse
  const isRepeated = report.observedAt !== null && report.observedAt === state.observedAt
  if (isRepeated && !sure) return { state: arrived, taken: "repeated" }
  const fresh = { ...arrived, observedAt: report.observedAt, heardUpTo: observed ?? now }
  if (sure) return { state: show(fresh, report, now), taken: "counted" }
  const streak = [...state.streak, { status: report.status, at: now }].slice(-confirmations)
  return {
    state: streak.length < confirmations ? { ...fresh, streak } : confirm(fresh, streak, report.message),
    taken: "counted"
  }
}

/** What a silence that the service itself was away for is given, ms: nobody could have been heard. */
const afresh = 60_000

/**
 * When a silence has lasted too long, ms; null while there is nothing to lapse. `listeningSince` is when the service began to
 * take pushes without a break: what was due before gets another minute from then.
 */
export const deadlineOf = (state: PushState, ttlSec: number | null, listeningSince: number): number | null => {
  if (ttlSec === null || state.arrivedAt === null) return null
  if (state.shown === "unknown" && state.streak.length === 0) return null
  const due = state.arrivedAt + ttlSec * 1000
  return state.arrivedAt < listeningSince ? Math.max(due, listeningSince + afresh) : due
}

/** Nothing is known any more since `at` (ms). Whatever comes next counts, even what was observed before. */
export const lapse = (state: PushState, at: number): PushState => ({
  ...state,
  shown: "unknown",
  since: state.shown === "unknown" ? state.since : Math.max(at, state.since),
  message: null,
  streak: [],
  observedAt: null
})
