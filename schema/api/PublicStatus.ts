/** What anyone may read of a public status page. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { FlagText, optional } from "../Fields.ts"
import { PublicPage } from "../page/PublicPage.ts"

const slug = HttpApiSchema.param(
  "slug",
  Schema.String.annotations({ description: "The page's slug", examples: ["acme"] })
)

export class PublicStatus extends HttpApiGroup.make("Public status")
  .annotate(OpenApi.Description, "What anyone may read of a public status page, without a key.")
  .add(
    HttpApiEndpoint.get("public_page_status")`/public/pages/${slug}`
      .setUrlParams(
        Schema.Struct({
          history: optional(
            FlagText.annotations({
              description: "The uptime of each day; default true. false makes the answer many times shorter"
            })
          )
        })
      )
      .addSuccess(PublicPage)
      .addError(wire.notFound)
      .addError(wire.unavailable)
      .annotate(OpenApi.Summary, "Get the status of a public page")
      .annotate(OpenApi.Description, "Served from a cache: polling faster than every 30 s gains nothing.")
  )
{}
