/** The operations that describe a workspace as one document and bring it to what a document says. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { optional, text } from "../Fields.ts"
import { PlanId } from "../Ids.ts"
import { Plan, PlanInput } from "../plan/Plan.ts"
import { WorkspaceDocument } from "../plan/WorkspaceDocument.ts"
import { WriteAccess } from "./Access.ts"
import { Counted } from "./parts/Counted.ts"
import { Hinted, LargestBody, OtherForm, ReachesOut } from "./parts/Hints.ts"

/** A document of the largest size, as a JSON string. */
const largestBody = 8 * 1024 * 1024

/** The media type of an export as text (RFC 9512). */
export const exportedText = "application/yaml"

export class Plans extends HttpApiGroup.make("Plans")
  .annotate(OpenApi.Description, "Keep the configuration of a workspace in a file: plan, apply, export")
  .add(
    HttpApiEndpoint.post("plan_changes", "/plan")
      .setPayload(PlanInput)
      .addSuccess(Plan, { status: 201 })
      .addError(Schema.Union(wire.validationFailed, wire.unavailable))
      .middleware(WriteAccess)
      .annotate(LargestBody, largestBody)
      // A thread reads the document, and no transaction should wait for it.
      .annotate(ReachesOut, true)
      .annotate(Hinted, { heardOutside: false })
      .annotate(OpenApi.Summary, "Plan changes from a document")
      .annotate(OpenApi.Description, "Compares the workspace with a document and changes nothing; apply_plan applies the result")
  )
  .add(
    HttpApiEndpoint.post("apply_plan")`/plan/${HttpApiSchema.param("id", PlanId)}/apply`
      .setPayload(Counted)
      .addSuccess(Plan)
      .addError(Schema.Union(wire.notFound, wire.conflict, wire.planLimit, wire.validationFailed))
      .middleware(WriteAccess)
      .annotate(Hinted, { destroys: true })
      .annotate(OpenApi.Summary, "Apply a plan")
      .annotate(OpenApi.Description, "Makes all changes or none; conflict if the workspace has changed since")
  )
  .add(
    HttpApiEndpoint.get("export_workspace", "/export")
      .setUrlParams(Schema.Struct({
        format: optional(Schema.Literal("json", "yaml"), "yaml: as a text; default json", "yaml"),
        search: optional(text(100), "Only what has this in its key or name", "shop")
      }))
      .addSuccess(WorkspaceDocument)
      .addError(wire.validationFailed)
      .middleware(WriteAccess)
      .annotate(OtherForm, exportedText)
      .annotate(OpenApi.Summary, "Export the workspace")
      .annotate(
        OpenApi.Description,
        "The configuration as a document for plans, without secrets and history"
      )
  )
{}
