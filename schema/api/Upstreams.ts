/** The status of third parties, readable without a key. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { wire } from "../Errors.ts"
import { textLike } from "../Fields.ts"
import { UpstreamService, UpstreamStatus } from "../upstream/Upstream.ts"
import { all } from "./parts/Answers.ts"

const service = HttpApiSchema.param(
  "service",
  textLike("github", "Slug of the third party")
)
const component = HttpApiSchema.param(
  "component",
  textLike("api", "Slug; all for the whole service")
)

export class Upstreams extends HttpApiGroup.make("Upstream status")
  .annotate(OpenApi.Description, "The published status of third parties, and what their callers should do now.")
  .add(
    HttpApiEndpoint.get("list_upstreams", "/upstreams")
      .addSuccess(all(UpstreamService))
      .annotate(OpenApi.Summary, "List third parties")
      .annotate(OpenApi.Description, "Those whose status is known, by name.")
  )
  .add(
    HttpApiEndpoint.get("upstream_status")`/upstreams/${service}/${component}`
      .addSuccess(UpstreamStatus)
      .addError(wire.notFound)
      .annotate(OpenApi.Summary, "Get the status of a third party")
      .annotate(OpenApi.Description, "What it publishes, read every 2 minutes, and whether its API answers us.")
  )
{}
