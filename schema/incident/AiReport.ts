/** An analysis of an incident that the AI provider wrote, for the team only. */
import { Schema } from "effect"
import { textLike, Timestamp } from "../Fields.ts"

export const AiReport = Schema.Struct({
  at: Timestamp,
  analysis: textLike("The payment API times out since the deploy at 07:58."),
  likelyCauses: Schema.Array(Schema.String).annotations({ examples: [["The deploy at 07:58"]] }),
  suggestedActions: Schema.Array(Schema.String).annotations({ examples: [["Roll the deploy back"]] }),
  publicSummary: textLike("Payments are slow. We are working on it."),
  severity: textLike("major")
}).annotations({ identifier: "AiReport" })
export type AiReport = typeof AiReport.Type
