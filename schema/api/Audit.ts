/** The audit log. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { AuditEntry } from "../access/Audit.ts"
import { wire } from "../Errors.ts"
import { optional, orNull, text, textBetween, Timestamp, wholeText } from "../Fields.ts"
import { AuditId, IdPrefixes } from "../Ids.ts"
import { LeastRole, ReadAccess } from "./Access.ts"

export class Audit extends HttpApiGroup.make("Audit")
  .annotate(OpenApi.Description, "The record of who changed what, when, and from where.")
  .add(
    HttpApiEndpoint.get("list_audit_log", "/audit")
      .setUrlParams(Schema.Struct({
        before: optional(AuditId, "next of the page before"),
        limit: optional(wholeText(1, 500), "Maximum number of entries; default 100"),
        actor: optional(
          text(64).annotations({ [IdPrefixes]: ["key", "usr"] }),
          "Id of a key or person",
          "key_01k9x2m4q8e7s9v3bthn5wza6c"
        ),
        operation: optional(textBetween(1, 64), "Operation id", "delete_monitor"),
        from: optional(Timestamp, "Inclusive"),
        to: optional(Timestamp, "Exclusive")
      }))
      .addSuccess(Schema.Struct({
        data: Schema.Array(AuditEntry),
        next: orNull(AuditId, "Pass as before to get the next page; null on the last page")
      }))
      .addError(wire.validationFailed)
      .middleware(ReadAccess)
      .annotate(LeastRole, "admin")
      .annotate(OpenApi.Summary, "List audit log entries")
      .annotate(
        OpenApi.Description,
        "Newest first. Every change and every sign-in has an entry. Entries are kept for one year."
      )
  )
{}
