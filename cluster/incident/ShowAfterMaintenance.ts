/** Shows an outage that began in a component's maintenance window, if it is still there once the window is over. */
import { Array, DateTime, Effect, Option } from "effect"
import type { WorkspaceId } from "../../schema/Ids.ts"
import { namesOf } from "../../src/domain/incident/ComponentOutage.ts"
import { isOver } from "../../src/domain/incident/IncidentMachine.ts"
import { earliest } from "../../src/domain/tools/time/Earliest.ts"
import { en } from "../../src/domain/words/en.ts"
import { IncidentWriter } from "../../src/services/incident/IncidentWriter.ts"
import type { LockedIncident } from "../../src/store/incident/IncidentRows.ts"
import { OutagesInMaintenance } from "../../src/store/incident/OutagesInMaintenance.ts"
import { type Follower, Followers } from "../../src/store/monitor/Followers.ts"
import { byService } from "./MaintenanceSteps.ts"

export const makeShowAfterMaintenance = Effect.gen(function*() {
  const outages = yield* OutagesInMaintenance
  const followers = yield* Followers
  const writer = yield* IncidentWriter

  /** Adds components to an incident, which thereby comes onto their pages. Returns the incident after that. */
  const show = Effect.fnUntraced(
    function*(workspaceId: WorkspaceId, incident: LockedIncident, free: ReadonlyArray<Follower>, now: DateTime.Utc) {
      const listed = new Set(incident.components.map(({ componentId }) => componentId))
      const added = free.filter(({ componentId }) => !listed.has(componentId))
      if (added.length === 0) return { incident, drafts: [] }
      const begun = yield* writer.begin(workspaceId, incident.id, added.map(({ componentId }) => componentId))
      if (Option.isNone(begun)) return { incident, drafts: [] }
      const { after, drafts } = yield* writer.apply(workspaceId, begun.value, {
        status: begun.value.status,
        components: [
          ...begun.value.components,
          ...added.map(({ componentId }) => ({ componentId, status: "major_outage" as const }))
        ],
        reach: { public: true, pageIds: [...new Set([...begun.value.pageIds, ...added.map(({ pageId }) => pageId)])] },
        body: en.investigating(namesOf(added.map(({ componentId, name }) => ({ id: componentId, name }))).join(", ")),
        at: now,
        ...byService
      })
      return { incident: after, drafts }
    }
  )

  /** In the caller's transaction, which holds the incident's lock. Returns the incident after it, its events, and when to look again. */
  return Effect.fn("ShowAfterMaintenance.take")(function*(workspaceId: WorkspaceId, incident: LockedIncident, now: DateTime.Utc) {
    const unchanged = { incident, drafts: [], nextAt: null }
    if (!incident.automatic || incident.monitorId === null) return unchanged
    const found = yield* outages.of(workspaceId, incident.id)
    if (Option.isNone(found)) return unchanged
    const { componentIds, showAt } = found.value
    if (!isOver(incident.status) && DateTime.greaterThan(showAt, now)) return { ...unchanged, nextAt: showAt }
    const following = isOver(incident.status)
      ? []
      : yield* followers.find([{ workspaceId, monitorId: incident.monitorId, checkedAt: null }])
    const hidden = following.filter(({ componentId, reports }) => reports && componentIds.includes(componentId))
    const [free, others] = Array.partition(hidden, ({ maintenanceUntil }) => maintenanceUntil !== null)
    const next = earliest(others.map(({ maintenanceUntil }) => maintenanceUntil))
    if (next === null) yield* outages.end(workspaceId, incident.id)
    else {
      yield* outages.save({
        workspaceId,
        id: incident.id,
        componentIds: others.map(({ componentId }) => componentId),
        showAt: next
      })
    }
    return { ...yield* show(workspaceId, incident, free, now), nextAt: next }
  })
})
