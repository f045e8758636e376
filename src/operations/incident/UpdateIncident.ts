/** Posts updates and internal notes on incidents and maintenance windows, and ends them. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Either } from "effect"
import { IncidentWriter } from "../../../cluster/incident/IncidentWriter.ts"
import { Conflict, ValidationFailed } from "../../../schema/Errors.ts"
import type { IncidentId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import type { ProgressStatus } from "../../../schema/incident/Incident.ts"
import type { IncidentUpdateInput, ResolveInput } from "../../../schema/incident/IncidentInput.ts"
import { endOf, isOver, moved, type Standing } from "../../domain/incident/IncidentMachine.ts"
import { endNote, withListed } from "../../domain/incident/ManualIncident.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { EventLog } from "../../store/event/EventLog.ts"
import { IncidentComponents } from "../../store/incident/IncidentComponents.ts"
import { Incidents } from "../../store/incident/Incidents.ts"
import { componentPath, makeIncidentScope } from "./IncidentScope.ts"
import { makePolishNote } from "./PolishNote.ts"
import { makeRequireIncident, orNoIncident } from "./RequireIncident.ts"

/** An incident's record carries all of its updates. */
const mostUpdates = 500

const tooMany = validationFailure([{
  path: "message",
  message: `An incident has at most ${mostUpdates} updates`,
  hint: "Resolve it and open another one"
}])

const ended = (status: ProgressStatus) =>
  new Conflict({
    message: `It is already ${status}`,
    hint: "To add to its record, post an update without a status"
  })

const statusAfter = (standing: Standing, wanted: ProgressStatus | null) =>
  Either.mapLeft(moved(standing, wanted), ({ _tag, message }) =>
    _tag === "OtherKind"
      ? new ValidationFailed({ message, details: [{ path: "status", message }] })
      : new Conflict({ message, hint: "To add to its record, post an update without a status" }))

/** Only these changes can change what components show. */
const touchesComponents = ({ components, status }: IncidentUpdateInput): boolean =>
  (components ?? []).length > 0 || status === "resolved" || status === "in_progress" || status === "completed"

export class UpdateIncident extends Effect.Service<UpdateIncident>()("belltower/UpdateIncident", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const incidents = yield* Incidents
    const affected = yield* IncidentComponents
    const events = yield* EventLog
    const writer = yield* IncidentWriter
    const scope = yield* makeIncidentScope
    const polish = yield* makePolishNote
    const require = yield* makeRequireIncident

    /** The pages of an incident, before it is locked: a text is polished outside of the transaction. */
    const pagesOf = (workspaceId: WorkspaceId, id: IncidentId) =>
      Effect.flatMap(incidents.peek(workspaceId, id), (found) =>
        Effect.map(orNoIncident(id, found), ({ pageIds }): ReadonlyArray<PageId> =>
          pageIds))

    const requireRoom = (workspaceId: WorkspaceId, id: IncidentId) =>
      Effect.flatMap(incidents.updateCount(workspaceId, id), (count) => count < mostUpdates ? Effect.void : tooMany)

    /**
     * Posts an update. Fails with `not_found`, with `conflict` for a status that would reopen it, with `validation_failed` for
     * a status of the other kind or an unknown component, and with `unavailable` if polishing has no provider.
     */
    const post = Effect.fn("UpdateIncident.post")(
      function*(workspaceId: WorkspaceId, id: IncidentId, input: IncidentUpdateInput) {
        const listed = input.components ?? []
        const pageIds = yield* pagesOf(workspaceId, id)
        const componentIds = listed.map(({ componentId }) => componentId)
        yield* scope(workspaceId, { pageIds: [], componentIds, pathOf: componentPath })
        const note = yield* polish(workspaceId, pageIds, input.message, input.polish ?? false)
        yield* Effect.gen(function*() {
          const found = yield* writer.begin(workspaceId, id, touchesComponents(input) ? componentIds : null)
          const locked = yield* orNoIncident(id, found)
          const status = yield* statusAfter(locked, input.status ?? null)
          yield* requireRoom(workspaceId, id)
          const { drafts } = yield* writer.apply(workspaceId, locked, {
            ...note,
            status,
            components: listed.length === 0 ? locked.components : withListed(locked.components, listed),
            at: yield* DateTime.now,
            public: input.public ?? true,
            byPerson: true,
            notify: input.notify ?? true
          })
          if (drafts.length > 0) yield* events.append(workspaceId, drafts)
        }).pipe(sql.withTransaction, Effect.catchTag("SqlError", Effect.die))
        return yield* require(workspaceId, id)
      }
    )

    /**
     * Resolves an incident, or completes a maintenance window. Without a message, the note says what recovered after how long.
     * Fails with `not_found`, with `conflict` if it is over, and with `unavailable` if polishing has no provider.
     */
    const resolve = Effect.fn("UpdateIncident.resolve")(function*(workspaceId: WorkspaceId, id: IncidentId, input: ResolveInput) {
      const message = input.message?.trim() ?? ""
      const pageIds = yield* pagesOf(workspaceId, id)
      const note = message === "" ? null : yield* polish(workspaceId, pageIds, message, input.polish ?? false)
      yield* Effect.gen(function*() {
        const locked = yield* orNoIncident(id, yield* writer.begin(workspaceId, id, []))
        if (isOver(locked.status)) return yield* ended(locked.status)
        const now = yield* DateTime.now
        const names = (yield* affected.affected(workspaceId, id)).map(({ name }) => name)
        const { drafts } = yield* writer.apply(workspaceId, locked, {
          ...(note ?? { body: endNote(locked.kind, [...new Set(names)], locked.startedAt, now), ai: false }),
          status: endOf[locked.kind],
          components: locked.components,
          at: now,
          public: true,
          byPerson: note !== null,
          notify: true
        })
        yield* events.append(workspaceId, drafts)
      }).pipe(sql.withTransaction, Effect.catchTag("SqlError", Effect.die))
      return yield* require(workspaceId, id)
    })

    return { post, resolve }
  }),
  dependencies: [IncidentWriter.Default]
}) {}
