/** The audit log: who changed what in a workspace, when, and from where. Never what the request or its answer held. */
import { Schema } from "effect"
import { textLike, Timestamp } from "../Fields.ts"
import { AuditId } from "../Ids.ts"

export const AuditVia = Schema.Literal("api", "mcp", "dashboard", "link").annotations({
  description: "The surface that it came through"
})
export type AuditVia = typeof AuditVia.Type

export const AuditActor = Schema.Struct({
  type: Schema.Literal("key", "user"),
  id: textLike("key_01k9x2m4q8e7s9v3bthn5wza6c").annotations({ description: "The id of the key or the person" }),
  name: Schema.NullOr(Schema.String).annotations({ description: "The key's name, or the person's mail address, at that time" }),
  parent: Schema.NullOr(Schema.Struct({ id: Schema.String, name: Schema.String })).annotations({
    description: "The key that delegated to the key"
  })
}).annotations({ identifier: "AuditActor" })
export type AuditActor = typeof AuditActor.Type

export const AuditEntry = Schema.Struct({
  id: AuditId,
  at: Timestamp,
  operation: Schema.String.annotations({ description: "The id of the operation", examples: ["create_monitor"] }),
  target: Schema.NullOr(Schema.String).annotations({ description: "The id of what it changed or made" }),
  actor: AuditActor,
  via: AuditVia,
  outcome: Schema.Literal("done", "unknown").annotations({
    description: "unknown: it was begun, and whatever ran it died before it could tell; look whether it happened"
  }),
  ip: Schema.NullOr(Schema.String).annotations({ description: "The client's address", examples: ["203.0.113.7"] })
}).annotations({ identifier: "AuditEntry" })
export type AuditEntry = typeof AuditEntry.Type
