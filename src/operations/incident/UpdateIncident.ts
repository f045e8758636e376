/** Posts updates and internal notes on incidents and maintenance windows, and ends them. */
import { DateTime, Effect } from "effect"
import { Conflict } from "../../../schema/Errors.ts"
import type { IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import type { ProgressStatus } from "../../../schema/incident/Incident.ts"
import type { IncidentUpdateInput, ResolveInput } from "../../../schema/incident/IncidentInput.ts"
import { namesOf } from "../../domain/incident/ComponentOutage.ts"
import { endOf, isOver } from "../../domain/incident/IncidentMachine.ts"
import { endNote, reachAfter, reachesTooMany, withListed } from "../../domain/incident/ManualIncident.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { AiTexts } from "../../services/ai/AiTexts.ts"
import { IncidentWriter } from "../../services/incident/IncidentWriter.ts"
import { EventLog } from "../../store/event/EventLog.ts"
import { IncidentComponents } from "../../store/incident/IncidentComponents.ts"
import { Incidents } from "../../store/incident/Incidents.ts"
import { MaintenancePlans } from "../../store/incident/MaintenancePlans.ts"
import { orNoSuch } from "../NoSuch.ts"
import { makeTransaction } from "../Transaction.ts"
import { componentPath, makeIncidentScope, requireFewPages } from "./IncidentScope.ts"
import { makePolishNote } from "./PolishNote.ts"
import { makeRequireIncident } from "./RequireIncident.ts"
import { recordHint, statusAfter } from "./StatusAfter.ts"

/** An incident's record carries all of its updates. */
const mostUpdates = 500

const tooMany = validationFailure([{
  path: null,
  message: `An incident has at most ${mostUpdates} updates`,
  hint: "Resolve it and open another one"
}])

const ended = (status: ProgressStatus) => new Conflict({ message: `It is already ${status}`, hint: recordHint })

/** Only these changes can change what components show. */
const touchesComponents = ({ components, status }: IncidentUpdateInput): boolean =>
  (components ?? []).length > 0 || status === "resolved" || status === "in_progress" || status === "completed"

export class UpdateIncident extends Effect.Service<UpdateIncident>()("belltower/UpdateIncident", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const incidents = yield* Incidents
    const affected = yield* IncidentComponents
    const events = yield* EventLog
    const writer = yield* IncidentWriter
    const plans = yield* MaintenancePlans
    const scope = yield* makeIncidentScope
    const polish = yield* makePolishNote
    const require = yield* makeRequireIncident

    /** An incident before it is locked: a text is polished outside of the transaction. */
    const seenOf = (workspaceId: WorkspaceId, id: IncidentId) => orNoSuch("incident", id, incidents.peek(workspaceId, id))

    const requireRoom = (workspaceId: WorkspaceId, id: IncidentId) =>
      Effect.flatMap(incidents.updateCount(workspaceId, id), (count) => count < mostUpdates ? Effect.void : tooMany)

    /**
     * Posts an update; a public one brings the incident onto the pages of the components that it lists. Fails with `not_found`, with
     * `conflict` for a status that would reopen it, with `validation_failed` for a status of the other kind, an unknown component or
     * too many pages, and, if the text is to be polished, with `unavailable` if no AI provider answers and with `plan_limit` if the
     * month's AI texts are used up.
     */
    const post = Effect.fn("UpdateIncident.post")(
      function*(workspaceId: WorkspaceId, id: IncidentId, input: IncidentUpdateInput) {
        const listed = input.components ?? []
        const seen = yield* seenOf(workspaceId, id)
        const componentIds = listed.map(({ componentId }) => componentId)
        const listedOn = yield* scope(workspaceId, { pageIds: [], componentIds, pathOf: componentPath })
        const about = { ...seen, status: input.status ?? seen.status, components: withListed(seen.components, listed) }
        const note = input.polish ?? false
          ? yield* polish(workspaceId, about, input.message, input.public ?? true)
          : { body: input.message, ai: false }
        yield* Effect.gen(function*() {
          const begun = writer.begin(workspaceId, id, touchesComponents(input) ? componentIds : null)
          const locked = yield* orNoSuch("incident", id, begun)
          const status = yield* statusAfter(locked, input.status ?? null)
          yield* requireRoom(workspaceId, id)
          const reach = isOver(locked.status) ? locked : reachAfter(locked, listedOn, input.public)
          if (reachesTooMany(locked, reach)) yield* requireFewPages(reach.pageIds.length, "components")
          if (input.endSeries ?? false) yield* plans.endSeries(workspaceId, id)
          const { drafts } = yield* writer.apply(workspaceId, locked, {
            ...note,
            status,
            components: listed.length === 0 ? locked.components : withListed(locked.components, listed),
            reach,
            at: yield* DateTime.now,
            public: input.public ?? true,
            byPerson: true,
            manual: true,
            notify: input.notify ?? true
          })
          if (drafts.length > 0) yield* events.append(workspaceId, drafts)
        }).pipe(transaction)
        return yield* require(workspaceId, id)
      }
    )

    /** Also completes a maintenance window. Fails with `not_found`, with `conflict` if it is over, and as `post` does. */
    const resolve = Effect.fn("UpdateIncident.resolve")(function*(workspaceId: WorkspaceId, id: IncidentId, input: ResolveInput) {
      const message = input.message?.trim() ?? ""
      const seen = yield* seenOf(workspaceId, id)
      const written = message === "" ? null : { body: message, ai: false }
      const note = written !== null && (input.polish ?? false)
        ? yield* polish(workspaceId, { ...seen, status: endOf[seen.kind] }, message, true)
        : written
      yield* Effect.gen(function*() {
        const locked = yield* orNoSuch("incident", id, writer.begin(workspaceId, id, []))
        if (isOver(locked.status)) return yield* ended(locked.status)
        const now = yield* DateTime.now
        const names = namesOf(yield* affected.affected(workspaceId, id))
        const { drafts } = yield* writer.apply(workspaceId, locked, {
          ...(note ?? { body: endNote(locked.kind, names, locked.startedAt, now), ai: false }),
          status: endOf[locked.kind],
          components: locked.components,
          at: now,
          public: true,
          byPerson: note !== null,
          manual: true,
          notify: true
        })
        yield* events.append(workspaceId, drafts)
      }).pipe(transaction)
      return yield* require(workspaceId, id)
    })

    return { post, resolve }
  }),
  dependencies: [IncidentWriter.Default, AiTexts.Default, MaintenancePlans.Default]
}) {}
