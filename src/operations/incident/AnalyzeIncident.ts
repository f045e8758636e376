/** Has AI analyze an incident and stores its report. */
import { Effect } from "effect"
import type { IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import { AiTexts } from "../../services/ai/AiTexts.ts"
import { KeepReports } from "../../services/ai/KeepReports.ts"
import { makeRequireIncident } from "./RequireIncident.ts"

export class AnalyzeIncident extends Effect.Service<AnalyzeIncident>()("belltower/AnalyzeIncident", {
  effect: Effect.gen(function*() {
    const texts = yield* AiTexts
    const { keep } = yield* KeepReports
    const require = yield* makeRequireIncident

    /** Adds a report, of which customers read a summary or a neutral text. Fails with `not_found`, `plan_limit` and `unavailable`. */
    const analyze = Effect.fn("AnalyzeIncident.analyze")(function*(workspaceId: WorkspaceId, id: IncidentId) {
      const incident = yield* require(workspaceId, id)
      yield* keep(workspaceId, id, yield* texts.report(workspaceId, incident, "analysis", "caller", null), null)
      return yield* require(workspaceId, id)
    })

    return { analyze }
  }),
  dependencies: [AiTexts.Default, KeepReports.Default]
}) {}
