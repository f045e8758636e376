/** The operations on postmortems. */
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { FlagText, optional } from "../Fields.ts"
import { IncidentId } from "../Ids.ts"
import { GenerateInput, Postmortem, PostmortemInput, PublishInput } from "../incident/Postmortem.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"
import { ReachesOut } from "./parts/Hints.ts"

const incidentId = HttpApiSchema.param("id", IncidentId)

export const generatePostmortem = HttpApiEndpoint.post("generate_postmortem")`/incidents/${incidentId}/postmortem`
  .setPayload(GenerateInput)
  .addSuccess(Postmortem)
  .addError(Schema.Union(wire.notFound, wire.planLimit, wire.unavailable))
  .middleware(WriteAccess)
  .annotate(ReachesOut, true)
  .annotate(OpenApi.Summary, "Generate a postmortem")
  .annotate(
    OpenApi.Description,
    "AI writes a new version. With mode template, returns a draft without AI that is not saved. Without an AI provider, " +
      "fails with unavailable, and error.details.template is the draft."
  )

export const getPostmortem = HttpApiEndpoint.get("get_postmortem")`/incidents/${incidentId}/postmortem`
  .setUrlParams(Schema.Struct({ history: optional(FlagText, "Include the text of every version") }))
  .addSuccess(Postmortem)
  .addError(wire.notFound)
  .middleware(ReadAccess)
  .annotate(OpenApi.Summary, "Get a postmortem")
  .annotate(OpenApi.Description, "Fails with not_found if the incident has none yet.")

export const savePostmortem = HttpApiEndpoint.put("save_postmortem")`/incidents/${incidentId}/postmortem`
  .setPayload(PostmortemInput)
  .addSuccess(Postmortem)
  .addError(Schema.Union(wire.notFound, wire.conflict))
  .middleware(WriteAccess)
  .annotate(OpenApi.Summary, "Save a postmortem")
  .annotate(
    OpenApi.Description,
    "Creates a new version. With baseVersion, fails with conflict if somebody saved another version since."
  )

export const publishPostmortem = HttpApiEndpoint.post("publish_postmortem")`/incidents/${incidentId}/postmortem/publish`
  .setPayload(PublishInput)
  .addSuccess(Postmortem)
  .addError(Schema.Union(wire.notFound, wire.conflict, wire.validationFailed))
  .middleware(WriteAccess)
  .annotate(OpenApi.Summary, "Publish a postmortem")
  .annotate(
    OpenApi.Description,
    "Posts the public summary, or body, as a public update. The text must not contain hostnames, " +
      "IP addresses, error output or terms that the page avoids."
  )
