/** Has AI analyze an incident and stores its report. */
import { DateTime, Effect } from "effect"
import type { IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import type { AiReport } from "../../../schema/incident/AiReport.ts"
import { publicTextRefusals } from "../../domain/page/PublicTextGuard.ts"
import { Ai } from "../../external/ai/AiProvider.ts"
import { Incidents } from "../../store/incident/Incidents.ts"
import { aiNotConfigured, makeWritingRules } from "./PolishNote.ts"
import { makeRequireIncident } from "./RequireIncident.ts"

export class AnalyzeIncident extends Effect.Service<AnalyzeIncident>()("belltower/AnalyzeIncident", {
  effect: Effect.gen(function*() {
    const incidents = yield* Incidents
    const rulesOf = yield* makeWritingRules
    const require = yield* makeRequireIncident

    /**
     * Adds a report. Its public summary becomes the incident's if customers may read it. Fails with `not_found`, and with
     * `unavailable` if no AI provider answers.
     */
    const analyze = Effect.fn("AnalyzeIncident.analyze")(function*(workspaceId: WorkspaceId, id: IncidentId) {
      const incident = yield* require(workspaceId, id)
      const ai = yield* Ai
      if (ai === null) return yield* aiNotConfigured("Reports need an AI provider; the incident is unchanged")
      const report: AiReport = { ...(yield* ai.analyze(incident)), at: yield* DateTime.now }
      const { avoidTerms } = yield* rulesOf(workspaceId, incident.pageIds)
      const refusals = publicTextRefusals("publicSummary", report.publicSummary, { avoidTerms, confidential: [] })
      yield* incidents.addReport(workspaceId, id, report, refusals.length === 0 ? report.publicSummary : null)
      return yield* require(workspaceId, id)
    })

    return { analyze }
  })
}) {}
