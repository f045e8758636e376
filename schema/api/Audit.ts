/** The audit log, beside what the specification lists. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { AuditEntry } from "../access/Audit.ts"
import { wire } from "../Errors.ts"
import { optional, text, Timestamp, wholeText } from "../Fields.ts"
import { AuditId } from "../Ids.ts"
import { LeastRole, ReadAccess } from "./Access.ts"

export class Audit extends HttpApiGroup.make("Audit")
  .annotate(OpenApi.Description, "Who changed what, when, and from where.")
  .add(
    HttpApiEndpoint.get("list_audit_log", "/audit")
      .setUrlParams(Schema.Struct({
        before: optional(AuditId.annotations({ description: "Only entries older than this one" })),
        limit: optional(wholeText(1, 500).annotations({ description: "How many at most; default 100" })),
        actor: optional(
          text(64).annotations({
            description: "A key or a person by id; a key's delegated keys count as the key",
            examples: ["key_01k9x2m4q8e7s9v3bthn5wza6c"]
          })
        ),
        operation: optional(text(64).annotations({ description: "An operation by id", examples: ["delete_monitor"] })),
        from: optional(Timestamp.annotations({ description: "Not before this instant" })),
        to: optional(Timestamp.annotations({ description: "Before this instant" }))
      }))
      .addSuccess(Schema.Struct({
        data: Schema.Array(AuditEntry),
        next: Schema.NullOr(AuditId).annotations({ description: "Feed back in as before; null at the end" })
      }))
      .addError(wire.validationFailed)
      .middleware(ReadAccess)
      .annotate(LeastRole, "admin")
      .annotate(OpenApi.Summary, "Read the audit log, newest first")
      .annotate(
        OpenApi.Description,
        "Every operation that changed something has an entry, and so has every sign-in. Entries are kept for a year."
      )
  )
{}
