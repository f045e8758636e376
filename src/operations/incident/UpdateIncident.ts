/** Posts updates and internal notes on incidents and maintenance windows, previews them, and ends them. */
import { DateTime, Effect, Option } from "effect"
import type { UpdatePreview } from "../../../schema/api/Incidents.ts"
import { Conflict } from "../../../schema/Errors.ts"
import { type IncidentId, type PageId, UpdateId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { Incident, ProgressStatus, PublicUpdate } from "../../../schema/incident/Incident.ts"
import type { IncidentUpdateInput, ResolveInput } from "../../../schema/incident/IncidentInput.ts"
import { namesOf } from "../../domain/incident/ComponentOutage.ts"
import { endOf, isOver, keptWarnings, moved, type Standing } from "../../domain/incident/IncidentMachine.ts"
import {
  endNote,
  headlineAfter,
  headlineNote,
  type Reach,
  reachAfter,
  reachesTooMany,
  withListed
} from "../../domain/incident/ManualIncident.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { makePreviewNews } from "../../notify/subscriber/PreviewNews.ts"
import { AiTexts } from "../../services/ai/AiTexts.ts"
import { IncidentWriter } from "../../services/incident/IncidentWriter.ts"
import { EventLog } from "../../store/event/EventLog.ts"
import { IncidentComponents } from "../../store/incident/IncidentComponents.ts"
import { Incidents, type UpdateDraft } from "../../store/incident/Incidents.ts"
import { MaintenancePlans } from "../../store/incident/MaintenancePlans.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { orNoSuch } from "../NoSuch.ts"
import { componentPath, makeIncidentScope, requireFewPages } from "./IncidentScope.ts"
import { makePolishNote } from "./PolishNote.ts"
import { makeRequireIncident } from "./RequireIncident.ts"

/** An incident's record carries all of its updates. */
const mostUpdates = 500

const tooMany = validationFailure([{
  path: null,
  message: `An incident has at most ${mostUpdates} updates`,
  hint: "Resolve it and open another one"
}])

const ended = (status: ProgressStatus) =>
  new Conflict({ message: `It is already ${status}`, hint: "To add to its record, post an update" })

/** A note that the service writes beside an update. */
const internalNote = (status: ProgressStatus, body: string, at: DateTime.Utc): UpdateDraft => ({
  body,
  status,
  at,
  public: false,
  ai: false,
  byPerson: false,
  notify: false
})

/** Only these changes can change what components show. */
const touchesComponents = ({ components, status }: IncidentUpdateInput): boolean =>
  (components ?? []).length > 0 || status === "resolved" || status === "in_progress" || status === "completed"

/** The pages after an update that lists components on `listedOn`. Fails with `validation_failed` if they become too many. */
const reached = Effect.fnUntraced(
  function*(before: Standing & Reach, listedOn: ReadonlyArray<PageId>, wish: boolean | undefined) {
    const reach: Reach = isOver(before.status) ? before : reachAfter(before, listedOn, wish)
    if (reachesTooMany(before, reach)) yield* requireFewPages(reach.pageIds.length, "components")
    return reach
  }
)

const makePost = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const incidents = yield* Incidents
  const events = yield* EventLog
  const writer = yield* IncidentWriter
  const plans = yield* MaintenancePlans
  const scope = yield* makeIncidentScope
  const polish = yield* makePolishNote
  const require = yield* makeRequireIncident

  return Effect.fn("UpdateIncident.post")(
    function*(workspaceId: WorkspaceId, id: IncidentId, input: IncidentUpdateInput) {
      const listed = input.components ?? []
      // Not locked yet: a text is polished outside of the transaction.
      const seen = yield* orNoSuch("incident", id, incidents.peek(workspaceId, id))
      const componentIds = listed.map(({ componentId }) => componentId)
      const listedOn = yield* scope(workspaceId, { pageIds: [], componentIds, pathOf: componentPath, kept: seen.components })
      const wanted = input.status ?? null
      const about = {
        ...seen,
        ...headlineAfter(seen, input),
        status: moved(seen, wanted),
        components: withListed(seen.components, listed)
      }
      const note = input.polish ?? false
        ? yield* polish(workspaceId, about, input.message, input.public ?? true)
        : { body: input.message, ai: false }
      const warnings = yield* Effect.gen(function*() {
        const begun = writer.begin(workspaceId, id, touchesComponents(input) ? componentIds : null)
        const locked = yield* orNoSuch("incident", id, begun)
        if ((yield* incidents.updateCount(workspaceId, id)) >= mostUpdates) return yield* tooMany
        const reach = yield* reached(locked, listedOn, input.public)
        if (input.endSeries ?? false) yield* plans.endSeries(workspaceId, id)
        const at = yield* DateTime.now
        const headline = headlineAfter(locked, input)
        const changed = headlineNote(locked, headline)
        if (changed !== null) yield* incidents.addUpdate(workspaceId, id, internalNote(locked.status, changed, at))
        const { drafts } = yield* writer.apply(workspaceId, locked, {
          ...note,
          status: moved(locked, wanted),
          headline,
          components: listed.length === 0 ? locked.components : withListed(locked.components, listed),
          reach,
          at,
          public: input.public ?? true,
          byPerson: true,
          manual: true,
          notify: input.notify ?? locked.notify
        })
        if (drafts.length > 0) yield* events.append(workspaceId, drafts)
        return keptWarnings(locked, wanted)
      }).pipe(transaction)
      const incident = yield* require(workspaceId, id)
      return warnings.length === 0 ? incident : { ...incident, warnings: [...warnings, ...incident.warnings ?? []] }
    }
  )
})

const makeResolve = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const incidents = yield* Incidents
  const affected = yield* IncidentComponents
  const events = yield* EventLog
  const writer = yield* IncidentWriter
  const polish = yield* makePolishNote
  const require = yield* makeRequireIncident

  return Effect.fn("UpdateIncident.resolve")(function*(
    workspaceId: WorkspaceId,
    id: IncidentId,
    input: ResolveInput,
    internal: string | null = null
  ) {
    const message = input.message?.trim() ?? ""
    const seen = yield* orNoSuch("incident", id, incidents.peek(workspaceId, id))
    const written = message === "" ? null : { body: message, ai: false }
    const note = written !== null && (input.polish ?? false)
      ? yield* polish(workspaceId, { ...seen, status: endOf[seen.kind] }, message, true)
      : written
    yield* Effect.gen(function*() {
      const locked = yield* orNoSuch("incident", id, writer.begin(workspaceId, id, []))
      if (isOver(locked.status)) return yield* ended(locked.status)
      const now = yield* DateTime.now
      const names = namesOf(yield* affected.affected(workspaceId, id))
      if (internal !== null) {
        yield* incidents.addUpdate(workspaceId, id, internalNote(locked.status, internal, now))
      }
      const { drafts } = yield* writer.apply(workspaceId, locked, {
        ...(note ?? { body: endNote(locked.kind, names, locked.startedAt, now), ai: false }),
        status: endOf[locked.kind],
        components: locked.components,
        at: now,
        public: true,
        byPerson: note !== null,
        manual: true,
        notify: locked.notify
      })
      yield* events.append(workspaceId, drafts)
    }).pipe(transaction)
    return yield* require(workspaceId, id)
  })
})

const makePreview = Effect.gen(function*() {
  const scope = yield* makeIncidentScope
  const require = yield* makeRequireIncident
  const newsOf = yield* makePreviewNews

  return Effect.fn("UpdateIncident.preview")(
    function*(workspaceId: WorkspaceId, id: IncidentId, input: IncidentUpdateInput) {
      const incident = yield* require(workspaceId, id)
      const listed = input.components ?? []
      const componentIds = listed.map(({ componentId }) => componentId)
      const listedOn = yield* scope(workspaceId, { pageIds: [], componentIds, pathOf: componentPath, kept: incident.components })
      const status = moved(incident, input.status ?? null)
      const at = yield* DateTime.now
      const update: PublicUpdate = {
        id: UpdateId.make("upd_preview", { disableValidation: true }),
        status,
        body: input.message,
        at,
        ai: false,
        public: true
      }
      const reach = yield* reached(incident, listedOn, input.public)
      const after: Incident = {
        ...incident,
        ...headlineAfter(incident, input),
        public: reach.public,
        pageIds: reach.pageIds,
        status,
        resolvedAt: isOver(status) ? incident.resolvedAt ?? at : null,
        components: listed.length === 0 ? incident.components : withListed(incident.components, listed),
        updates: [...incident.updates, update]
      }
      const shows = reach.public && (input.public ?? true)
      const pages = yield* Effect.forEach(
        shows ? reach.pageIds : [],
        (pageId) =>
          Effect.map(
            newsOf(workspaceId, pageId, after, update),
            Option.map(({ mail, ...news }) => ({
              pageId,
              ...news,
              mail: (input.notify ?? incident.notify) === false ? null : { subject: mail.subject, text: mail.text }
            }))
          )
      )
      return { pages: pages.flatMap(Option.toArray) } satisfies UpdatePreview
    }
  )
})

export class UpdateIncident extends Effect.Service<UpdateIncident>()("belltower/UpdateIncident", {
  effect: Effect.all({
    /** Its `warnings` say if the status stays. Fails with `not_found`, `validation_failed`, and as polishing does. */
    post: makePost,
    /**
     * Also completes a maintenance window; `internal` is a note beside it. Fails with `not_found`, with `conflict` if it is over, and as
     * `post` does.
     */
    resolve: makeResolve,
    /** Fails as posting the update would: with `not_found` or `validation_failed`. */
    preview: makePreview
  }),
  dependencies: [IncidentWriter.Default, AiTexts.Default, MaintenancePlans.Default]
}) {}
