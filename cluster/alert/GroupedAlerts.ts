/** Sends the alerts of groups that are due: a single alert as itself, several as one summary. */
import { type DateTime, Effect, Option } from "effect"
import { leavingAt } from "../../src/domain/alert/AlertGroup.ts"
import { Links } from "../../src/links/Links.ts"
import { type AlertGroup, AlertGroups, type GroupedAlert } from "../../src/store/alert/AlertGroups.ts"
import { EventLog } from "../../src/store/event/EventLog.ts"
import { type SummarizedAlert, summaryOf } from "./AlertSummary.ts"
import { makeReportFlapping } from "./FlappingAlerts.ts"
import { makeLateAcknowledgements } from "./LateAcknowledgements.ts"
import { makeSendSingle } from "./SingleAlerts.ts"
import type { DueStep } from "./UnlockedWorkspaces.ts"

const changes: Partial<Record<GroupedAlert["type"], SummarizedAlert["change"]>> = {
  "monitor.down": "down",
  "monitor.degraded": "degraded",
  "monitor.up": "up"
}

const summarized = (alert: GroupedAlert): ReadonlyArray<SummarizedAlert> => {
  const change = alert.flapping ? "flapping" : changes[alert.type]
  return change === undefined ? [] : [{ ...alert, change }]
}

export const makeSendGroups = Effect.gen(function*() {
  const groups = yield* AlertGroups
  const sendSingle = yield* makeSendSingle
  const reportFlapping = yield* makeReportFlapping
  const { followSummary, summarize } = yield* makeLateAcknowledgements
  const events = yield* EventLog
  const links = yield* Links

  /** The beginning of flapping, or the alert as if it had not waited. */
  const sendOnly = Effect.fnUntraced(function*(group: AlertGroup, { eventId, flapping, incidentId }: GroupedAlert) {
    if (!flapping) return yield* sendSingle(group, eventId)
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
  const sendOne: DueStep = Effect.fnUntraced(function*(now, except, of) {
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
  return sendOne
})
