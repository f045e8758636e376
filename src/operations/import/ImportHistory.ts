/** Writes incidents and maintenance windows of another service with their own times, without notifications. */
import { Effect } from "effect"
import type { ComponentId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import type { SetComponent } from "../../../schema/incident/Incident.ts"
import { caughtUp } from "../../domain/import/CaughtUp.ts"
import type { FoundIncident, FoundUpdate } from "../../domain/import/Inventory.ts"
import { IncidentWriter } from "../../services/incident/IncidentWriter.ts"
import { IncidentComponents } from "../../store/incident/IncidentComponents.ts"
import { type IncidentDraft, Incidents, type UpdateDraft } from "../../store/incident/Incidents.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"

const withoutText = "Imported without a text."

const updateOf = (update: FoundUpdate): UpdateDraft => ({
  status: update.status,
  body: update.body,
  at: update.at,
  ai: false,
  public: true,
  byPerson: true,
  notify: false
})

const draftOf = (
  found: FoundIncident,
  pageIds: ReadonlyArray<PageId>,
  components: ReadonlyArray<SetComponent>
): IncidentDraft => ({
  kind: found.kind,
  automatic: false,
  monitorId: null,
  public: true,
  title: found.name,
  status: found.updates[0]?.status ?? found.status,
  impact: found.impact,
  components,
  pageIds,
  startedAt: found.startedAt,
  scheduledStart: found.scheduledStart,
  scheduledEnd: found.scheduledEnd,
  // The other service names the components that it affects, if there are any.
  wholePageIds: [],
  notify: true
})

export const makeImportHistory = Effect.gen(function*() {
  const incidents = yield* Incidents
  const writer = yield* IncidentWriter
  const pages = yield* IncidentComponents
  const clock = yield* DatabaseClock

  /** In the caller's transaction. One that is over changes no component; one that goes on shows from now, and ends as ours do. */
  return Effect.fn("ImportHistory.write")(function*(
    workspaceId: WorkspaceId,
    source: FoundIncident,
    pageIds: ReadonlyArray<PageId>,
    idOf: (ref: string) => ComponentId | null
  ) {
    const found = caughtUp(source, yield* clock.now)
    const components = found.components.flatMap(({ ref, status }) => {
      const componentId = idOf(ref)
      return componentId === null ? [] : [{ componentId, status }]
    })
    const draft = draftOf(found, pageIds, components)
    const [first = { status: found.status, body: withoutText, at: found.startedAt }, ...later] = found.updates
    const { impact, resolvedAt, startedAt, status } = found
    if (resolvedAt === null) {
      const plan = found.series === null ? null : { ...found.series, remindMinutes: [], message: first.body }
      return yield* writer.carry(workspaceId, { ...draft, status }, [updateOf(first), ...later.map(updateOf)], plan)
    }
    const id = yield* incidents.insertAt(workspaceId, draft, startedAt)
    for (const update of [first, ...later]) yield* incidents.addUpdate(workspaceId, id, updateOf(update))
    yield* incidents.save(workspaceId, id, { status, impact, startedAt, resolvedAt, components })
    yield* pages.notifyPages(workspaceId, pageIds)
    return id
  })
})
