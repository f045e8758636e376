/** Alerts that wait: of monitors that depend on others while a parent is down, of monitors in maintenance, and of muted ones. */
import { type DateTime, Effect } from "effect"
import type { WorkspaceEvent } from "../../schema/event/Event.ts"
import {
  changedWindows,
  endedMutes,
  freedBy,
  monitorsInTrouble,
  pagesAt,
  reviewAlert,
  siftEvents
} from "../../src/domain/alert/KeptBackAlerts.ts"
import { Alarms } from "../../src/store/Alarms.ts"
import { KeptBackTroubles } from "../../src/store/alert/KeptBackTroubles.ts"
import { OutagesInMaintenance } from "../../src/store/incident/OutagesInMaintenance.ts"
import type { DueStep } from "./UnlockedWorkspaces.ts"

export const makeSiftEvents = Effect.gen(function*() {
  const troubles = yield* KeptBackTroubles
  const outages = yield* OutagesInMaintenance

  /** Returns the events that are sent now, in the caller's transaction, and which of them have waited. */
  return Effect.fn("KeptBackAlerts.sift")(function*(events: ReadonlyArray<WorkspaceEvent>, now: DateTime.Utc) {
    const workspaceIds = [...new Set(events.map(({ workspaceId }) => workspaceId))]
    const monitors = yield* troubles.find(workspaceIds, monitorsInTrouble(events), now)
    const { kept, over, replaced, sent, waited } = siftEvents(events, monitors)
    yield* troubles.save(workspaceIds, kept, over)
    yield* troubles.drop(replaced)
    yield* troubles.free(freedBy(events), now)
    yield* troubles.endMutes(endedMutes(events), now)
    const freed = yield* troubles.endMaintenance(changedWindows(events), now)
    if (freed.length > 0) yield* outages.showLater(freed)
    return { sent, waited }
  })
})

/** Sends up to 100 alerts of one workspace that nothing keeps back any more: no parent in trouble, no maintenance, no mute. */
export const makeReviewKeptBack = Effect.gen(function*() {
  const troubles = yield* KeptBackTroubles
  const alarms = yield* Alarms

  const reviewSome: DueStep = Effect.fnUntraced(function*(now, except, of) {
    const due = yield* troubles.takeDue(now, except)
    const [first] = due
    if (first === undefined) return false
    const { workspaceId } = first
    of(workspaceId)
    const reviewed = due.map((alert) => ({ ...alert, ...reviewAlert(alert, now) }))
    yield* troubles.lookAgain(workspaceId, reviewed)
    const released = reviewed.filter((alert) => alert.released)
    if (released.length === 0) return true
    yield* troubles.release(workspaceId, released.map(({ eventId }) => eventId))
    for (const { incidentId } of released) {
      if (incidentId !== null) yield* alarms.arm("incident", workspaceId, incidentId, pagesAt(now))
    }
    return true
  })
  return reviewSome
})
