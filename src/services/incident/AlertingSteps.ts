/**
 * Takes the steps of an incident's alerting that are due: levels of its policy, pages to people, and reminders of monitors that stay down.
 */
import { DateTime, Duration, Effect, Option } from "effect"
import type { EventDraft } from "../../../schema/event/EventData.ts"
import { instant } from "../../../schema/Fields.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { StoredPolicy } from "../../../schema/oncall/Policy.ts"
import { reviewTime } from "../../domain/alert/KeptBackAlerts.ts"
import { eventIncident, isOver } from "../../domain/incident/IncidentMachine.ts"
import { eventMonitor } from "../../domain/monitor/MonitorRecord.ts"
import { type EscalationStep, stepAfter } from "../../domain/oncall/Escalation.ts"
import { unreachable } from "../../domain/oncall/PagingWarnings.ts"
import { dueReminder, minutesInto, nextReminderAt } from "../../domain/oncall/Reminders.ts"
import { lostHandOver, reachedNobody, type TriedPage, urgencyOf } from "../../domain/paging/PersonalSteps.ts"
import { idTime } from "../../domain/tools/Id.ts"
import { earliest } from "../../domain/tools/time/Earliest.ts"
import { Links } from "../../links/Links.ts"
import { KeptBackTroubles } from "../../store/alert/KeptBackTroubles.ts"
import { lastRestore } from "../../store/backup/Restores.ts"
import type { LockedIncident } from "../../store/incident/IncidentRows.ts"
import { Incidents } from "../../store/incident/Incidents.ts"
import { MailMode } from "../../store/mail/MailMode.ts"
import { Monitors, type MonitorWithState } from "../../store/monitor/Monitors.ts"
import { type Alerting, IncidentAlerting } from "../../store/oncall/IncidentAlerting.ts"
import { Policies } from "../../store/oncall/Policies.ts"
import { Pagings } from "../../store/paging/Pagings.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { makePagePeople, type PagedIncident } from "../paging/PagePeople.ts"
import { makePageTargets } from "./PageTargets.ts"

interface Situation {
  readonly workspaceId: WorkspaceId
  readonly incident: LockedIncident
  readonly monitor: MonitorWithState | null
  readonly now: DateTime.Utc
}

/** The events and the new alerting state after the steps that were due. */
interface Taken {
  readonly drafts: ReadonlyArray<EventDraft>
  readonly after: Alerting
}

const viewOf = (monitor: MonitorWithState, url: string) => eventMonitor(monitor, monitor.state, url)

const pagedOf = ({ incident, monitor, now, workspaceId }: Situation, since: DateTime.Utc, url: string): PagedIncident => ({
  workspaceId,
  incident,
  monitorView: monitor === null ? null : viewOf(monitor, url),
  now,
  unacknowledgedSince: since
})

/** Pages one level: plans the pages to its people, and drafts the event that its channels receive. */
const makePage = Effect.gen(function*() {
  const incidents = yield* Incidents
  const mode = yield* MailMode
  const links = yield* Links
  const resolve = yield* makePageTargets
  const { plan } = yield* makePagePeople

  return Effect.fn("AlertingSteps.page")(
    function*(
      situation: Situation,
      policy: StoredPolicy,
      step: EscalationStep,
      since: DateTime.Utc
    ) {
      const { incident, monitor, now, workspaceId } = situation
      const level = policy.levels[step.level - 1]
      const { channelIds, people, reached, unreached } = yield* resolve(workspaceId, level?.targets ?? [], now)
      const unacknowledgedForMinutes = minutesInto(since, now)
      const urgency = urgencyOf({
        level: level?.urgency ?? null,
        monitor: monitor?.urgency ?? null,
        impact: incident.automatic ? null : incident.impact
      })
      yield* plan(pagedOf(situation, since, monitor === null ? "" : links.monitor(monitor.id)), step, urgency, people)
      const record = yield* Effect.orDie(Effect.flatten(incidents.find(workspaceId, incident.id, links.incident)))
      const escalated: EventDraft = {
        type: "incident.escalated",
        data: {
          incident: eventIncident(record),
          ...(monitor === null ? {} : { monitor: viewOf(monitor, links.monitor(monitor.id)) }),
          policy: { id: policy.id, name: policy.name },
          level: step.level,
          levels: policy.levels.length,
          round: step.round,
          unacknowledgedForMinutes,
          notified: {
            channelIds,
            users: people.map(({ email, id, name }) => ({ id, name, email })),
            ...(people.some(({ mailTo }) => mailTo !== null) ? { mail: yield* mode } : {}),
            ...(unreached.length === 0
              ? {}
              : { unreached: unreached.map(({ email, id, name }) => ({ id, name, email, reason: unreachable })) })
          }
        }
      }
      return { draft: escalated, reached }
    }
  )
})

const isLost = (next: EscalationStep, pages: ReadonlyArray<TriedPage>): boolean =>
  lostHandOver(pages) || (next.level > 1 && reachedNobody(pages, { level: next.level - 1, round: next.round }))

/** The next level immediately, if the one before it or the person whom the incident was handed to was not reached after all. */
const nextAfter = (next: EscalationStep | null, pages: ReadonlyArray<TriedPage>, now: DateTime.Utc): EscalationStep | null =>
  next !== null && isLost(next, pages) ? { ...next, at: DateTime.min(next.at, now) } : next

/** A drill of a person, and an incident that was handed over, have pages without a policy. */
const noPolicy = { name: "", levels: [] } as const

const makeEscalate = Effect.gen(function*() {
  const policies = yield* Policies
  const links = yield* Links
  const page = yield* makePage
  const pagings = yield* Pagings
  const { take } = yield* makePagePeople

  /** The levels that are due, and the event of each. */
  const levels = Effect.fnUntraced(
    function*(situation: Situation, policy: StoredPolicy, { next: first, unacknowledgedSince }: Alerting) {
      const { now } = situation
      const drafts: Array<EventDraft> = []
      let next = first
      while (next !== null && DateTime.lessThanOrEqualTo(next.at, now)) {
        if (next.level > policy.levels.length) {
          next = stepAfter(policy, next, now, true)
          continue
        }
        const { draft, reached } = yield* page(situation, policy, next, unacknowledgedSince)
        drafts.push(draft)
        next = stepAfter(policy, next, now, reached)
      }
      return { drafts, next }
    }
  )

  /**
   * Pages the levels that are due, and takes the steps of their people. A level whose pages have all failed is not waited for. A policy
   * that was deleted ends its escalations, and its people's steps. Those of a hand-over are not of a policy.
   */
  return Effect.fn("AlertingSteps.escalate")(function*(situation: Situation, alerting: Alerting) {
    const { monitor, now, workspaceId } = situation
    const found = alerting.policyId === null ? null : Option.getOrNull(yield* policies.find(workspaceId, alerting.policyId))
    const policy = found ?? noPolicy
    const isDeleted = found === null && alerting.policyId !== null
    if (isDeleted) yield* pagings.endLevels(workspaceId, situation.incident.id)
    const paged = pagedOf(situation, alerting.unacknowledgedSince, monitor === null ? "" : links.monitor(monitor.id))
    const naming = { name: policy.name, levels: policy.levels.length }
    const drafts: Array<EventDraft> = []
    const before: Alerting = isDeleted ? { ...alerting, policyId: null, next: null } : alerting
    let next = before.next
    while (true) {
      const escalated = "id" in policy ? yield* levels(situation, policy, { ...before, next }) : { drafts: [], next }
      const taken = yield* take(paged, naming)
      drafts.push(...escalated.drafts, ...taken.drafts)
      next = nextAfter(escalated.next, taken.pages, now)
      if (next === null || DateTime.greaterThan(next.at, now)) {
        const isSame = next === before.next
        return { drafts, after: isSame ? before : { ...before, next }, nextPageAt: taken.nextAt }
      }
    }
  })
})

const remind = ({ incident, monitor, now }: Situation, alerting: Alerting, url: string): Taken => {
  const due = monitor === null
    ? null
    : dueReminder(monitor.reminderMinutes, incident.startedAt, alerting.remindedMinutes, now)
  if (due === null || monitor === null) return { drafts: [], after: alerting }
  return {
    drafts: [{
      type: "monitor.reminder",
      data: {
        monitor: viewOf(monitor, url),
        downForMinutes: minutesInto(incident.startedAt, now),
        reminderAfterMinutes: due.afterMinutes,
        incident: { id: incident.id, title: incident.title }
      }
    }],
    after: { ...alerting, remindedMinutes: due.afterMinutes }
  }
}

/** A parent that has failed without confirmation keeps pages back only for the first alert of an incident. */
const longestDoubt = Duration.minutes(5)

/** How often a restored incident is looked at until its checks have confirmed it. */
const doubtReview = Duration.seconds(30)

/**
 * When to look again while a monitor that this one depends on, maintenance or a mute keeps its alerts back, perhaps its pages too, or
 * while nothing has confirmed an incident that the database was restored with; null if nothing does. `down` is false in doubt, which
 * checks end soon.
 */
const makeKeptBack = Effect.map(
  Effect.all([KeptBackTroubles, lastRestore]),
  ([{ componentsMutedUntil, inDoubt, keptBack }, restore]) =>
    Effect.fnUntraced(function*(
      { incident, monitor, now, workspaceId }: Situation,
      alerting: Pick<Alerting, "unacknowledgedSince">
    ) {
      const openedAt = instant(idTime(incident.id) ?? DateTime.toEpochMillis(incident.startedAt))
      const isRestored = Option.exists(restore, ({ restoredAt }) => DateTime.lessThan(openedAt, restoredAt))
      if (isRestored && (yield* inDoubt(workspaceId, monitor?.id ?? null, openedAt, now))) {
        return { down: false, pages: true, reviewAt: DateTime.addDuration(now, doubtReview) }
      }
      if (monitor === null) {
        const muted = incident.automatic ? yield* componentsMutedUntil(workspaceId, incident.id) : Option.none<DateTime.Utc>()
        return Option.getOrNull(Option.map(muted, (until) => ({
          down: true,
          pages: true,
          reviewAt: DateTime.min(until, DateTime.addDuration(now, reviewTime))
        })))
      }
      const doubtful = DateTime.lessThan(now, DateTime.addDuration(alerting.unacknowledgedSince, longestDoubt))
      const found = yield* keptBack(workspaceId, monitor.id, { id: incident.id, openedAt }, now)
      return Option.getOrNull(Option.filter(found, ({ down }) => down || doubtful))
    })
)

/** Whether the pages of an open incident wait, beyond a doubt that checks end soon. */
export const makePagesWait = Effect.gen(function*() {
  const monitors = yield* Monitors
  const clock = yield* DatabaseClock
  const keptBackBy = yield* makeKeptBack

  return Effect.fnUntraced(function*(workspaceId: WorkspaceId, incident: LockedIncident) {
    const now = yield* clock.now
    const { monitorId } = incident
    const monitor = monitorId === null ? null : Option.getOrNull(yield* monitors.find(workspaceId, monitorId))
    const keptBack = yield* keptBackBy({ workspaceId, incident, monitor, now }, { unacknowledgedSince: now })
    return keptBack !== null && keptBack.pages && keptBack.down
  })
})

export const makeAlertingSteps = Effect.gen(function*() {
  const alerting = yield* IncidentAlerting
  const monitors = yield* Monitors
  const links = yield* Links
  const escalate = yield* makeEscalate
  const keptBackBy = yield* makeKeptBack

  /**
   * Takes the steps that are due and returns their events, and when the next is due. The caller's transaction holds the
   * incident's lock. An acknowledged incident has no steps until that is taken back, one that is over never has any.
   */
  return Effect.fn("AlertingSteps.take")(function*(workspaceId: WorkspaceId, incident: LockedIncident, now: DateTime.Utc) {
    const nothing = { drafts: [], nextAt: null }
    if (isOver(incident.status) || incident.acknowledgement !== null) return nothing
    const found = yield* alerting.find(workspaceId, incident.id)
    if (Option.isNone(found)) return nothing
    const monitor = incident.monitorId === null
      ? null
      : Option.getOrNull(yield* monitors.find(workspaceId, incident.monitorId))
    const situation: Situation = { workspaceId, incident, monitor, now }
    const keptBack = yield* keptBackBy(situation, found.value)
    if (keptBack !== null && keptBack.pages) return { drafts: [], nextAt: keptBack.reviewAt }
    const escalated = yield* escalate(situation, found.value)
    const { after, drafts } = keptBack === null
      ? remind(situation, escalated.after, monitor === null ? "" : links.monitor(monitor.id))
      : { after: escalated.after, drafts: [] }
    if (after !== found.value) yield* alerting.save(workspaceId, incident.id, after)
    const marks = monitor?.reminderMinutes ?? []
    return {
      drafts: [...escalated.drafts, ...drafts],
      nextAt: earliest([
        after.next?.at ?? null,
        escalated.nextPageAt,
        keptBack === null ? nextReminderAt(marks, incident.startedAt, after.remindedMinutes) : keptBack.reviewAt
      ])
    }
  })
})
