/** The audit log: who changed what in a workspace, when, and from where. Entries never contain request or response bodies. */
import { Schema } from "effect"
import { described, orNull, textLike, Timestamp } from "../Fields.ts"
import { AuditId } from "../Ids.ts"

export const AuditVia = Schema.Literal("api", "mcp", "dashboard", "link", "slack", "telegram", "discord").annotations({
  description: "Surface that the call came through; slack, telegram and discord: a button of a message"
})
export type AuditVia = typeof AuditVia.Type

export const AuditActor = Schema.Struct({
  type: Schema.Literal("key", "user").annotations({ description: "Whether a key or a person made it" }),
  id: textLike("key_01k9x2m4q8e7s9v3bthn5wza6c", "Id of the key or the person"),
  name: orNull(Schema.String, "Name of the key, or email address of the person, at the time of the call"),
  parent: orNull(Schema.Struct({ id: Schema.String, name: Schema.String }), "Key that this delegated key was created with")
}).annotations({ identifier: "AuditActor" })
export type AuditActor = typeof AuditActor.Type

export const AuditEntry = Schema.Struct({
  id: AuditId,
  at: Timestamp,
  operation: textLike("create_monitor", "Operation id"),
  target: orNull(Schema.String, "Id of the resource that was changed or created"),
  actor: described(AuditActor, "Who made the change"),
  via: AuditVia,
  outcome: Schema.Literal("done", "unknown").annotations({
    description: "unknown: the server stopped before it recorded the result; check whether the change happened"
  }),
  ip: orNull(Schema.String, "IP address of the client", "203.0.113.7")
}).annotations({ identifier: "AuditEntry" })
export type AuditEntry = typeof AuditEntry.Type
