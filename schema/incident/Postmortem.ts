/** A postmortem: versioned markdown for the team, and a summary that customers may read. */
import { Schema } from "effect"
import { described, fromTargetIfAi, name, optional, orNull, text, textLike, Timestamp, whole } from "../Fields.ts"
import { IncidentId } from "../Ids.ts"

const markdown = fromTargetIfAi(textLike("# Postmortem: Slow checkout"))

export const PostmortemVersion = Schema.Struct({
  version: Schema.Int,
  at: Timestamp,
  by: textLike("ops@example.com", "Name of the API key, or email address of the person"),
  ai: Schema.Boolean.annotations({ description: "Whether AI wrote it" }),
  markdown: optional(markdown, "Text of this version; only with history=true"),
  publicSummary: optional(fromTargetIfAi(Schema.NullOr(Schema.String)), "Summary that customers may read; null without one")
}).annotations({ identifier: "PostmortemVersion" })
export type PostmortemVersion = typeof PostmortemVersion.Type

export const Postmortem = Schema.Struct({
  incidentId: described(IncidentId, "The incident"),
  version: orNull(Schema.Int, "Current version; null for a draft that was not saved"),
  markdown,
  publicSummary: fromTargetIfAi(Schema.NullOr(textLike("A deploy slowed checkouts down."))),
  ai: Schema.Boolean.annotations({ description: "Whether AI wrote the current version" }),
  published: orNull(
    Schema.Struct({ version: Schema.Int, at: Timestamp }).annotations({ description: "Version that was current then" }),
    "The last publication; null if there is none",
    null
  ),
  versions: Schema.Array(PostmortemVersion).annotations({ description: "Newest first; the newest 100 are kept" }),
  warnings: optional(
    Schema.Array(textLike("No status page shows this incident, because it names no page and no component")),
    "Says that no page shows what was published; missing if one does"
  )
}).annotations({ identifier: "Postmortem" })
export type Postmortem = typeof Postmortem.Type

export const PostmortemInput = Schema.Struct({
  markdown: name(60_000).annotations({ examples: ["# Postmortem: Slow checkout"] }),
  publicSummary: optional(
    text(5_000),
    "For customers; default as before",
    "A deploy slowed checkouts down."
  ),
  baseVersion: optional(whole(1, 2_147_483_647), "Version it is based on; a stale one conflicts")
}).annotations({ identifier: "PostmortemInput" })
export type PostmortemInput = typeof PostmortemInput.Type

export const GenerateInput = Schema.Struct({
  mode: optional(
    Schema.Literal("ai", "template"),
    "ai saves a new version; template saves nothing",
    "template"
  )
}).annotations({ identifier: "GeneratePostmortem" })
export type GenerateInput = typeof GenerateInput.Type

export const PublishInput = Schema.Struct({
  body: optional(
    name(10_000),
    "Default the public summary",
    "A deploy slowed checkouts down. We have rolled it back."
  ),
  notify: optional(Schema.Boolean, "Default true")
}).annotations({ identifier: "PublishPostmortem" })
export type PublishInput = typeof PublishInput.Type
