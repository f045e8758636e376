/** Keeps events back whose monitors depend on others that are down, or are in maintenance, and lets go of what waited for these events. */
import { type DateTime, Effect } from "effect"
import type { WorkspaceEvent } from "../../schema/event/Event.ts"
import { freedBy, maintainedUntil, monitorsInTrouble, siftEvents } from "../../src/domain/alert/DependentAlerts.ts"
import { DependentTroubles } from "../../src/store/alert/DependentTroubles.ts"
import { OutagesInMaintenance } from "../../src/store/incident/OutagesInMaintenance.ts"

export const makeSiftEvents = Effect.gen(function*() {
  const troubles = yield* DependentTroubles
  const outages = yield* OutagesInMaintenance

  /** Returns the events that are sent now, in the caller's transaction, and which of them have waited. */
  return Effect.fn("DependentEvents.sift")(function*(events: ReadonlyArray<WorkspaceEvent>, now: DateTime.Utc) {
    const workspaceIds = [...new Set(events.map(({ workspaceId }) => workspaceId))]
    const dependents = yield* troubles.find(workspaceIds, monitorsInTrouble(events), now)
    const { kept, over, replaced, sent, waited } = siftEvents(events, dependents)
    yield* troubles.save(workspaceIds, kept, over)
    yield* troubles.drop(replaced)
    yield* troubles.free(freedBy(events), now)
    const freed = yield* troubles.endMaintenance(maintainedUntil(events), now)
    if (freed.length > 0) yield* outages.showLater(freed)
    return { sent, waited }
  })
})
