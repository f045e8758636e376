/** Stores a report that AI has written, with everything that follows from it, in one transaction. */
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import type { EventDraft } from "../../../schema/event/EventData.ts"
import type { EventId, IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import { Links } from "../../links/Links.ts"
import { ReportRequests } from "../../store/ai/ReportRequests.ts"
import { EventLog } from "../../store/event/EventLog.ts"
import type { LockedIncident } from "../../store/incident/IncidentRows.ts"
import { Incidents } from "../../store/incident/Incidents.ts"
import { inTransaction } from "../../store/postgres/Transaction.ts"
import { IncidentWriter } from "../incident/IncidentWriter.ts"
import type { WrittenReport } from "./AiTexts.ts"
import { makePublicRules } from "./PublicWriting.ts"

/** The event that a report completes. */
interface Asking {
  readonly eventId: EventId
  readonly phase: "opening" | "recovery"
}

export class KeepReports extends Effect.Service<KeepReports>()("belltower/KeepReports", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const incidents = yield* Incidents
    const events = yield* EventLog
    const requests = yield* ReportRequests
    const writer = yield* IncidentWriter
    const links = yield* Links
    const rulesOf = yield* makePublicRules

    /**
     * Informs customers, if every page of the incident wants that. The update by rules said already what a neutral text would
     * say, so a summary that the guard replaced is not posted.
     */
    const postPublicSummary = Effect.fnUntraced(
      function*(workspaceId: WorkspaceId, locked: LockedIncident, { passed, report }: WrittenReport) {
        if (!passed || !locked.public || locked.resolvedAt !== null) return []
        if (!(yield* rulesOf(workspaceId, locked)).allowsUpdates) return []
        const { drafts } = yield* writer.apply(workspaceId, locked, {
          status: locked.status,
          components: locked.components,
          body: report.publicSummary,
          at: report.at,
          public: true,
          ai: true,
          byPerson: false,
          manual: false,
          notify: true
        })
        return drafts
      }
    )

    /** Without effect if the incident was deleted meanwhile. `asking` is null for a report that a person asked for. */
    const keep = Effect.fn("KeepReports.keep")(
      function*(workspaceId: WorkspaceId, id: IncidentId, written: WrittenReport, asking: Asking | null) {
        const locked = yield* writer.begin(workspaceId, id, null)
        if (Option.isNone(locked)) return
        const { report } = written
        yield* incidents.addReport(workspaceId, id, report, report.publicSummary)
        if (asking === null) return
        const { eventId, phase } = asking
        yield* requests.complete(workspaceId, eventId, report)
        const posted = phase === "opening" ? yield* postPublicSummary(workspaceId, locked.value, written) : []
        const after = yield* incidents.find(workspaceId, id, links.incident)
        const drafts: ReadonlyArray<EventDraft> = Option.match(after, {
          onNone: () => posted,
          onSome: (incident) => [...posted, { type: "incident.analyzed", data: { incident, phase, ai: report } }]
        })
        yield* events.append(workspaceId, drafts)
      },
      inTransaction(sql)
    )

    return { keep }
  }),
  dependencies: [IncidentWriter.Default, ReportRequests.Default]
}) {}
