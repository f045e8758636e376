/** Reminds of a maintenance window, starts and completes it when its time has come. */
import { DateTime, Effect, Option } from "effect"
import type { EventDraft } from "../../schema/event/EventData.ts"
import { instant } from "../../schema/Fields.ts"
import type { IncidentId, WorkspaceId } from "../../schema/Ids.ts"
import { dueSteps, nextAlarm, noReminders } from "../../src/domain/incident/MaintenanceClock.ts"
import { maintenanceNote, reminderNote } from "../../src/domain/incident/ManualIncident.ts"
import { idTime } from "../../src/domain/tools/Id.ts"
import { IncidentWriter } from "../../src/services/incident/IncidentWriter.ts"
import { lastRestore } from "../../src/store/backup/Restores.ts"
import { MaintenancePlans } from "../../src/store/incident/MaintenancePlans.ts"

/** An update by the service itself, for everybody. */
export const byService = { public: true, ai: false, byPerson: false, manual: false, notify: true } as const

export const makeMaintenanceSteps = Effect.gen(function*() {
  const writer = yield* IncidentWriter
  const plans = yield* MaintenancePlans
  const restore = yield* lastRestore

  /** Steps that were due in the time that a restore lost may have been announced already: they are not announced again. */
  const isNews = (at: DateTime.Utc) => !Option.exists(restore, ({ restoredAt }) => DateTime.lessThan(at, restoredAt))

  /** Takes the steps that are due, each at its scheduled time, however late the actor wakes. The row, which this locks, decides. */
  return Effect.fn("MaintenanceSteps.take")(function*(workspaceId: WorkspaceId, id: IncidentId, now: DateTime.Utc) {
    const found = yield* writer.begin(workspaceId, id, [])
    if (Option.isNone(found)) return { drafts: [], nextAt: null }
    let current = found.value
    let reminders = Option.getOrElse(yield* plans.of(workspaceId, id), () => noReminders)
    const drafts: Array<EventDraft> = []
    for (const { at, status } of dueSteps(current, now, reminders)) {
      if (status === "scheduled") {
        yield* plans.reminded(workspaceId, id, at)
        reminders = { ...reminders, remindedAt: at }
      }
      const written = yield* writer.apply(workspaceId, current, {
        status,
        components: current.components,
        body: status === "scheduled" ? reminderNote(current.scheduledStart ?? now, now) : maintenanceNote(status),
        // A window may have been scheduled after its start.
        at: status === "scheduled" ? now : DateTime.max(at, instant(idTime(id) ?? 0)),
        ...byService,
        notify: current.notify && isNews(at)
      })
      drafts.push(...written.drafts)
      current = written.after
    }
    return { drafts, nextAt: nextAlarm(current, reminders) }
  })
})
