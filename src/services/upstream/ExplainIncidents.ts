/** Links incidents of monitors with the incidents of third parties that likely caused them, whichever is known first. */
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import type { IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import type { CatalogueEntry } from "../../../schema/upstream/Catalogue.ts"
import { likelyCause } from "../../domain/upstream/LikelyCause.ts"
import type { SourceIncident } from "../../domain/upstream/Reading.ts"
import { UpstreamSettings } from "../../external/upstream/UpstreamSettings.ts"
import { Incidents } from "../../store/incident/Incidents.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { inTransaction } from "../../store/postgres/Transaction.ts"
import { LikelyCauses, type Unexplained } from "../../store/upstream/LikelyCauses.ts"

export class ExplainIncidents extends Effect.Service<ExplainIncidents>()("belltower/ExplainIncidents", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const causes = yield* LikelyCauses
    const incidents = yield* Incidents
    const clock = yield* DatabaseClock
    const { catalogue } = yield* UpstreamSettings

    /** Informs the team by a note, because the alert went out before the cause was known. */
    const note = Effect.fnUntraced(function*(workspaceId: WorkspaceId, id: IncidentId, body: string) {
      const locked = yield* incidents.lock(workspaceId, id)
      if (Option.isNone(locked)) return
      const { status } = locked.value
      const draft = { status, body, at: yield* clock.now, public: false, ai: false, byPerson: false, notify: false }
      yield* incidents.addUpdate(workspaceId, id, draft)
    })

    const explain = Effect.fn("ExplainIncidents.explain")(
      function*(entry: CatalogueEntry, incident: SourceIncident, { component, id, startedAt, workspaceId }: Unexplained) {
        const cause = likelyCause(startedAt, [{ ...incident, service: entry.service, component }], catalogue)
        if (cause === null || !(yield* causes.tag(workspaceId, id, cause))) return
        yield* note(workspaceId, id, `Likely upstream: ${entry.name} reports "${incident.title}"`)
      },
      inTransaction(sql)
    )

    return {
      /** The likely causes of outages of monitors, in order; null where none is known. */
      likely: Effect.fn("ExplainIncidents.likely")(function*(outages: ReadonlyArray<Omit<Unexplained, "id" | "component">>) {
        const known = yield* causes.candidates(
          [...new Set(outages.map(({ workspaceId }) => workspaceId))],
          outages.map(({ startedAt }) => startedAt)
        )
        return outages.map(({ startedAt, workspaceId }) =>
          likelyCause(startedAt, known.filter((candidate) => candidate.workspaceId === workspaceId), catalogue)
        )
      }),
      /** Tags open incidents of all workspaces that depend on a service, for incidents of it that have just become known. */
      withNew: Effect.fn("ExplainIncidents.withNew")(function*(entry: CatalogueEntry, fresh: ReadonlyArray<SourceIncident>) {
        for (const incident of fresh) {
          const ours = yield* causes.unexplained(entry.service, incident.startedAt)
          yield* Effect.forEach(ours, (one) => explain(entry, incident, one), { discard: true })
        }
      })
    }
  }),
  dependencies: [LikelyCauses.Default, Incidents.Default]
}) {}
