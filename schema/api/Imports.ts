/** The operations that move a workspace in from another service. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { optional, wholeText } from "../Fields.ts"
import { ImportId } from "../Ids.ts"
import { ImportInput, ImportJob, ImportPreview } from "../import/Import.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"
import { all } from "./parts/Answers.ts"
import { LargestBody, ReachesOut } from "./parts/Hints.ts"

/** A document of the largest size, as a JSON string. */
const largestBody = 12 * 1024 * 1024

export class Imports extends HttpApiGroup.make("Import")
  .annotate(
    OpenApi.Description,
    "Move in from another service, a status page or a file. Running again creates only what is new"
  )
  .add(
    HttpApiEndpoint.post("preview_import", "/import/preview")
      .setPayload(ImportInput)
      .addSuccess(ImportPreview)
      .addError(Schema.Union(wire.validationFailed, wire.unavailable))
      .middleware(ReadAccess)
      .annotate(ReachesOut, true)
      .annotate(LargestBody, largestBody)
      .annotate(OpenApi.Summary, "Preview an import")
      .annotate(
        OpenApi.Description,
        "What start_import would create, what exists and what cannot be carried, each with a ref for exclude"
      )
  )
  .add(
    HttpApiEndpoint.post("start_import", "/import")
      .setPayload(ImportInput)
      .addSuccess(ImportJob, { status: 202 })
      .addError(Schema.Union(wire.conflict, wire.validationFailed, wire.unavailable))
      .middleware(WriteAccess)
      .annotate(ReachesOut, true)
      .annotate(LargestBody, largestBody)
      .annotate(OpenApi.Summary, "Start an import")
      .annotate(
        OpenApi.Description,
        "Starts a background job; get_import_job shows its progress. Subscribers and channels are not told of what it imports"
      )
  )
  .add(
    HttpApiEndpoint.get("get_import_job")`/import/jobs/${HttpApiSchema.param("id", ImportId)}`
      .addSuccess(ImportJob)
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get an import job")
  )
  .add(
    HttpApiEndpoint.get("list_import_jobs", "/import/jobs")
      .setUrlParams(Schema.Struct({ limit: optional(wholeText(1, 100), "Number of jobs, newest first; default 20") }))
      .addSuccess(all(ImportJob))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List import jobs")
  )
{}
