/** Sends the alerts of groups that are due: a single alert as itself, several as one summary. */
import { DateTime, Duration, Effect, Option } from "effect"
import { leavingAt } from "../../src/domain/alert/AlertGroup.ts"
import { longestFallback } from "../../src/domain/tools/time/FallbackPause.ts"
import { Links } from "../../src/links/Links.ts"
import { wakeableLoop } from "../../src/services/WakeableLoop.ts"
import { type AlertGroup, AlertGroups, type GroupedAlert } from "../../src/store/alert/AlertGroups.ts"
import { waitingAlertsSignal } from "../../src/store/alert/WaitingAlertsSignal.ts"
import type { DueKind } from "../../src/store/DueRows.ts"
import { EventLog } from "../../src/store/event/EventLog.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { DueWork } from "../DueWork.ts"
import { type SummarizedAlert, summaryOf } from "./AlertSummary.ts"
import { makeReviewDependents } from "./DependentAlerts.ts"
import { makeEndFlapping, makeReportFlapping } from "./FlappingAlerts.ts"
import { makeLateAcknowledgements } from "./LateAcknowledgements.ts"
import { makeEndMutes } from "./MuteEnds.ts"
import { makeEndQuiet } from "./QuietEnds.ts"
import { makeSendAlone } from "./SingleAlerts.ts"
import { type DueStep, makeUnlockedWorkspaces } from "./UnlockedWorkspaces.ts"

const shortestPause = Duration.millis(500)

const changes: Partial<Record<GroupedAlert["type"], SummarizedAlert["change"]>> = {
  "monitor.down": "down",
  "monitor.degraded": "degraded",
  "monitor.up": "up"
}

const summarized = (alert: GroupedAlert): ReadonlyArray<SummarizedAlert> => {
  const change = alert.flapping ? "flapping" : changes[alert.type]
  return change === undefined ? [] : [{ ...alert, change }]
}

const makeSendGroups = Effect.gen(function*() {
  const unlocked = yield* makeUnlockedWorkspaces
  const groups = yield* AlertGroups
  const sendAlone = yield* makeSendAlone
  const reportFlapping = yield* makeReportFlapping
  const { followSummary, summarize } = yield* makeLateAcknowledgements
  const events = yield* EventLog
  const links = yield* Links

  /** The beginning of flapping, or the alert as if it had not waited. */
  const sendOnly = Effect.fnUntraced(function*(group: AlertGroup, { eventId, flapping, incidentId }: GroupedAlert) {
    if (!flapping) return yield* sendAlone(group, eventId)
    yield* followSummary(group, incidentId === null ? [] : [incidentId])
    yield* reportFlapping({ ...group, id: group.channelId }, eventId, true)
  })

  const sendSummary = Effect.fnUntraced(
    function*(group: AlertGroup, alerts: ReadonlyArray<GroupedAlert>, now: DateTime.Utc) {
      yield* summarize(group, alerts, now)
      const named = { ...group, id: group.channelId }
      yield* events.append(group.workspaceId, [summaryOf(named, alerts.flatMap(summarized), links)])
    }
  )

  /** One transaction for each group, so that a process that dies sends it neither twice nor never. */
  const one: DueStep = Effect.fnUntraced(function*(now, except, of) {
    const due = yield* groups.takeDue(now, except)
    if (Option.isNone(due)) return false
    of(due.value.workspaceId)
    const { dueAt, leaving, messages } = leavingAt(due.value, yield* groups.alerts(due.value.channelId), now)
    yield* dueAt === null ? groups.end(due.value) : groups.keep(due.value, leaving, dueAt)
    const [first, ...others] = messages
    if (first !== undefined) {
      yield* others.length === 0 ? sendOnly(due.value, first) : sendSummary(due.value, messages, now)
    }
    return true
  })

  return { next: groups.nextDueAt, work: unlocked(one) }
})

/** One kind of alerts that wait: when the next is due, and what to do with all that are. */
interface WaitingAlerts {
  readonly next: Effect.Effect<Option.Option<DateTime.Utc>>
  readonly work: Effect.Effect<unknown>
}

/** Sends the alerts that are due, and returns the pause until the next are. */
const makeStep = Effect.gen(function*() {
  const clock = yield* DatabaseClock

  const pauseUntil = Effect.fnUntraced(function*(next: WaitingAlerts["next"]) {
    const at = yield* next
    if (Option.isNone(at)) return longestFallback
    return Duration.clamp(Duration.millis(DateTime.distance(yield* clock.now, at.value)), {
      minimum: Duration.zero,
      maximum: longestFallback
    })
  })

  return Effect.fnUntraced(function*({ next, work }: WaitingAlerts) {
    // Usually nothing is due, which takes no transaction.
    const pause = yield* pauseUntil(next)
    if (Duration.greaterThan(pause, Duration.zero)) return pause
    yield* work
    // Alerts that are still due are held by another runner.
    return Duration.max(yield* pauseUntil(next), shortestPause)
  })
})

/** Sends alerts that wait: for others of their channel, a stable monitor, the end of quiet hours, or a parent's recovery. */
export const sendWaitingAlerts = Effect.gen(function*() {
  const step = yield* makeStep
  const due = yield* DueWork
  const loop = (what: string, kind: DueKind, waiting: WaitingAlerts) =>
    Effect.flatMap(due.signal(kind, waitingAlertsSignal), (signal) => wakeableLoop(what, step(waiting), signal))
  yield* loop("Sending groups of alerts", "groups", yield* makeSendGroups)
  yield* loop("Reporting monitors that no longer flap", "streaks", yield* makeEndFlapping)
  yield* loop("Sending alerts after quiet hours", "quiet", yield* makeEndQuiet)
  yield* loop("Reviewing alerts of dependent monitors", "dependents", yield* makeReviewDependents)
  yield* loop("Ending mutes", "mutes", yield* makeEndMutes)
})
