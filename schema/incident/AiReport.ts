/** An analysis of an incident that the AI provider wrote, for the team only. Targets may have influenced its texts. */
import { Schema } from "effect"
import { fromTarget, textLike, Timestamp } from "../Fields.ts"

export const AiReport = Schema.Struct({
  at: Timestamp,
  analysis: fromTarget(textLike("The payment API times out since the deploy at 07:58.", "What AI made of it, for the team")),
  likelyCauses: fromTarget(Schema.Array(Schema.String).annotations({ examples: [["The deploy at 07:58"]] })),
  suggestedActions: fromTarget(Schema.Array(Schema.String).annotations({ examples: [["Roll the deploy back"]] })),
  publicSummary: fromTarget(textLike("Payments are slow. We are working on it.")),
  severity: textLike("major", "How severe AI judges it to be")
}).annotations({ identifier: "AiReport" })
export type AiReport = typeof AiReport.Type
