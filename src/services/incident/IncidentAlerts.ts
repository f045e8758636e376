/** Begins the alerting of an incident when it opens or gets pages, and resumes it when its acknowledgement is taken back. */
import { type DateTime, Effect, Option } from "effect"
import type { IncidentId, MonitorId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { firstStep, policyFor, resumedStep, stepAfterHandOver, stepNow } from "../../domain/oncall/Escalation.ts"
import { minutesInto } from "../../domain/oncall/Reminders.ts"
import { Alarms } from "../../store/Alarms.ts"
import type { LockedIncident } from "../../store/incident/IncidentRows.ts"
import { type Alerting, IncidentAlerting } from "../../store/oncall/IncidentAlerting.ts"
import { Policies } from "../../store/oncall/Policies.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"

export interface AlertedIncident {
  readonly workspaceId: WorkspaceId
  readonly id: IncidentId
  readonly monitorId: MonitorId | null
  readonly pageIds: ReadonlyArray<PageId>
  readonly startedAt: DateTime.Utc
  /** The `reminderMinutes` of its monitor. */
  readonly marks: ReadonlyArray<number>
}

/** Every method runs in the caller's transaction, which holds the incident's lock. The incident's actor takes the steps. */
export class IncidentAlerts extends Effect.Service<IncidentAlerts>()("belltower/IncidentAlerts", {
  effect: Effect.gen(function*() {
    const alarms = yield* Alarms
    const alerting = yield* IncidentAlerting
    const policies = yield* Policies
    const clock = yield* DatabaseClock

    const put = (workspaceId: WorkspaceId, id: IncidentId, row: Alerting, now: DateTime.Utc) =>
      Effect.zipRight(alerting.save(workspaceId, id, row), alarms.arm("incident", workspaceId, id, now))

    /** Chooses the policies of new incidents. An incident without a policy and reminders needs no actor. */
    const beginAll = Effect.fn("IncidentAlerts.beginAll")(function*(incidents: ReadonlyArray<AlertedIncident>) {
      const matches = yield* policies.matching(incidents)
      const chosen = incidents.flatMap((incident, index) => {
        const policyId = policyFor(matches[index] ?? [])
        return policyId === null && incident.marks.length === 0 ? [] : [{ incident, policyId }]
      })
      if (chosen.length === 0) return
      const now = yield* clock.now
      yield* alerting.saveAll(chosen.map(({ incident: { id, startedAt, workspaceId }, policyId }) => ({
        workspaceId,
        id,
        alerting: {
          policyId,
          next: policyId === null ? null : firstStep(now),
          unacknowledgedSince: now,
          // The alert itself covers the time until now.
          remindedMinutes: minutesInto(startedAt, now)
        }
      })))
      yield* alarms.armAll("incident", chosen.map(({ incident }) => incident), now)
    })

    /** Reminders begin again when an acknowledgement is taken back. Marks that passed while it was acknowledged have none. */
    const begunAgain = (startedAt: DateTime.Utc, remindedMinutes: number, now: DateTime.Utc) => ({
      unacknowledgedSince: now,
      remindedMinutes: Math.max(remindedMinutes, minutesInto(startedAt, now))
    })

    return {
      begin: (incident: AlertedIncident) => beginAll([incident]),
      beginAll,
      /** Begins the alerting of an incident that may have opened without: people are not paged about each cause. */
      beginUnlessBegun: Effect.fn("IncidentAlerts.beginUnlessBegun")(function*(incident: AlertedIncident) {
        if (Option.isNone(yield* alerting.find(incident.workspaceId, incident.id))) yield* beginAll([incident])
      }),
      /**
       * After an incident was brought onto further pages. Without a policy until now, it follows that of these pages; one that follows a
       * policy goes on with it, so that nobody is paged twice. While it is acknowledged, nobody is paged.
       */
      gainedPages: Effect.fn("IncidentAlerts.gainedPages")(
        function*(
          workspaceId: WorkspaceId,
          incident: Pick<AlertedIncident, "id" | "startedAt">,
          pageIds: ReadonlyArray<PageId>
        ) {
          const before = yield* alerting.find(workspaceId, incident.id)
          if (Option.exists(before, ({ policyId }) => policyId !== null)) return
          const [matches = []] = yield* policies.matching([{ workspaceId, monitorId: null, pageIds }])
          const policyId = policyFor(matches.filter(({ ofPage }) => ofPage))
          if (policyId === null) return
          const now = yield* clock.now
          const { remindedMinutes, unacknowledgedSince } = Option.getOrElse(before, () => ({
            unacknowledgedSince: now,
            remindedMinutes: minutesInto(incident.startedAt, now)
          }))
          yield* put(workspaceId, incident.id, { policyId, next: firstStep(now), unacknowledgedSince, remindedMinutes }, now)
        }
      ),
      /** After an acknowledgement was taken back. */
      resume: Effect.fn("IncidentAlerts.resume")(
        function*(workspaceId: WorkspaceId, incident: Pick<AlertedIncident, "id" | "startedAt">) {
          const found = yield* alerting.find(workspaceId, incident.id)
          if (Option.isNone(found)) return
          const now = yield* clock.now
          const { next, policyId, remindedMinutes } = found.value
          yield* put(workspaceId, incident.id, {
            policyId,
            next: policyId === null ? null : resumedStep(next, now),
            ...begunAgain(incident.startedAt, remindedMinutes, now)
          }, now)
        }
      ),
      /** Pages the next level of the policy now, also while the incident is acknowledged. Returns the level; null without a policy. */
      escalateNow: Effect.fn("IncidentAlerts.escalateNow")(
        function*(workspaceId: WorkspaceId, incident: Pick<LockedIncident, "acknowledgement" | "id" | "startedAt">) {
          const found = Option.getOrNull(yield* alerting.find(workspaceId, incident.id))
          if (found === null || found.policyId === null) return null
          const policy = Option.getOrNull(yield* policies.find(workspaceId, found.policyId))
          if (policy === null) return null
          const now = yield* clock.now
          const next = stepNow(policy, found.next, now)
          const again = incident.acknowledgement === null ? {} : begunAgain(incident.startedAt, found.remindedMinutes, now)
          yield* put(workspaceId, incident.id, { ...found, next, ...again }, now)
          return { level: next.level, levels: policy.levels.length }
        }
      ),
      /** After pages to the person were planned whom the incident is handed to: the escalation goes on if they do not acknowledge. */
      handedOver: Effect.fn("IncidentAlerts.handedOver")(
        function*(workspaceId: WorkspaceId, { id, startedAt }: Pick<AlertedIncident, "id" | "startedAt">, now: DateTime.Utc) {
          const found = Option.getOrNull(yield* alerting.find(workspaceId, id))
          const policyId = found?.policyId ?? null
          yield* put(workspaceId, id, {
            policyId,
            next: policyId === null ? null : stepAfterHandOver(found?.next ?? null, now),
            ...begunAgain(startedAt, found?.remindedMinutes ?? 0, now)
          }, now)
        }
      ),
      /** After the `reminderMinutes` of a monitor with an open incident were changed. Marks that have passed have no reminder. */
      marksChanged: Effect.fn("IncidentAlerts.marksChanged")(
        function*(workspaceId: WorkspaceId, incident: Pick<AlertedIncident, "id" | "startedAt">) {
          const found = yield* alerting.find(workspaceId, incident.id)
          const now = yield* clock.now
          const remindedMinutes = minutesInto(incident.startedAt, now)
          const row: Alerting = Option.match(found, {
            onNone: () => ({ policyId: null, next: null, unacknowledgedSince: now, remindedMinutes }),
            onSome: (before) => ({ ...before, remindedMinutes: Math.max(before.remindedMinutes, remindedMinutes) })
          })
          yield* put(workspaceId, incident.id, row, now)
        }
      )
    }
  })
}) {}
