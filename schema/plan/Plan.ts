/** A plan: the differences between a workspace and the document that describes how it should be. */
import { Schema } from "effect"
import { map, optional, orNull, textLike, Timestamp } from "../Fields.ts"
import { PlanId } from "../Ids.ts"
import { DocumentKind } from "./WorkspaceDocument.ts"

/** Members of a document itself, of whatever service. */
const mostSections = 1000

/** Bytes of a document that is sent as text. */
const largestDocument = 4 * 1024 * 1024

/** A document as a caller sends it: a text of at most `most` characters in YAML or JSON, or the object itself. */
export const documentField = (most: number, description: string, example: string) =>
  Schema.Union(
    Schema.String.pipe(Schema.maxLength(most)),
    map(Schema.String, Schema.Unknown, mostSections)
  ).annotations({ description, jsonSchema: { description, type: ["string", "object"], examples: [example] } })

export const PlanInput = Schema.Struct({
  document: documentField(
    largestDocument,
    "As export_workspace gives it: YAML, JSON or an object",
    "monitors:\n  - {key: shop, name: Shop, url: https://shop.example.com}"
  ),
  prune: optional(Schema.Boolean, "Delete what earlier plans made and it no longer lists; default false"),
  merge: optional(Schema.Boolean, "Items keep what they omit; else each is a whole declaration")
}).annotations({ identifier: "PlanInput" })
export type PlanInput = typeof PlanInput.Type

const value = (description: string, example: number) =>
  Schema.Unknown.annotations({
    description,
    jsonSchema: { description, type: ["string", "number", "boolean", "array", "object"], items: {}, examples: [example] }
  })

const FieldChange = Schema.Struct({
  path: textLike("intervalSec", "Dotted name of the field; overrides for each one added or removed"),
  from: optional(value("Value now; absent for none", 60)),
  to: optional(value("Value afterwards; absent for none", 30))
})

export const PlannedChange = Schema.Struct({
  action: Schema.Literal("create", "update", "delete").annotations({ description: "What becomes of the thing" }),
  kind: DocumentKind.annotations({ description: "What the thing is" }),
  key: textLike("checkout", "Key in the document; of a component, after the key of its page"),
  id: orNull(textLike("mon_01k9x2m4q8e7s9v3bthn5wza6c"), "Null until it is created"),
  name: textLike("Checkout", "Name in the document"),
  fields: Schema.Array(FieldChange).annotations({ description: "Changed fields; secrets are masked, long values cut" })
}).annotations({ identifier: "PlannedChange" })
export type PlannedChange = typeof PlannedChange.Type

export const Plan = Schema.Struct({
  id: PlanId,
  expiresAt: Timestamp.annotations({ description: "Until when it can be applied" }),
  appliedAt: orNull(Timestamp, "When it was applied; null before", null),
  create: Schema.Int.annotations({ description: "Things to create" }),
  update: Schema.Int.annotations({ description: "Things to change" }),
  delete: Schema.Int.annotations({ description: "Things to delete" }),
  unchanged: Schema.Int.annotations({ description: "Things that are as the document says" }),
  changes: Schema.Array(PlannedChange).annotations({ description: "In the order in which they are applied" }),
  notes: Schema.Array(Schema.String).annotations({ description: "What the document leaves as it is" })
}).annotations({ identifier: "Plan" })
export type Plan = typeof Plan.Type
