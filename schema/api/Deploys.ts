/** Deploy markers. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Deploy, DeployInput } from "../deploy/Deploy.ts"
import { wire } from "../Errors.ts"
import { optional, text, Timestamp, wholeText } from "../Fields.ts"
import { DeployId, IdPrefixes, IncidentId, MonitorId } from "../Ids.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"
import { created, deleted, paged } from "./parts/Answers.ts"

const listQuery = Schema.Struct({
  monitorId: optional(MonitorId, "Of this monitor and the whole workspace"),
  pageId: optional(text(60).annotations({ [IdPrefixes]: ["pg"] }), "Id or slug of a page", "acme"),
  incidentId: optional(IncidentId, "Deploys around this incident"),
  environment: optional(text(40), "Only this environment", "production"),
  since: optional(Timestamp, "At this time or later"),
  until: optional(Timestamp, "At this time or earlier"),
  before: optional(DeployId, "next of the page before"),
  limit: optional(wholeText(1, 500), "Default 50")
})

export class Deploys extends HttpApiGroup.make("Deploys")
  .annotate(OpenApi.Description, "Deploy markers, to compare incidents with.")
  .add(
    HttpApiEndpoint.post("create_deploy", "/deploys")
      .setPayload(DeployInput)
      .addSuccess(created(Deploy, "CreatedDeploy"), { status: 201 })
      .addError(wire.validationFailed)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Record a deploy")
      .annotate(OpenApi.Description, "Applies to the whole workspace unless narrowed by monitors, service or pages.")
  )
  .add(
    HttpApiEndpoint.get("list_deploys", "/deploys")
      .setUrlParams(listQuery)
      .addSuccess(paged(Deploy, DeployId))
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List deploys")
      .annotate(OpenApi.Description, "Newest first.")
  )
  .add(
    HttpApiEndpoint.del("delete_deploy")`/deploys/${HttpApiSchema.param("id", DeployId)}`
      .addSuccess(deleted(DeployId))
      .addError(wire.notFound)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Delete a deploy marker")
  )
{}
