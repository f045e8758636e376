/** The public status of a page, readable without a key. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { FlagText, optional } from "../Fields.ts"
import { PublicPage } from "../page/PublicPage.ts"

const slug = HttpApiSchema.param(
  "slug",
  Schema.String.annotations({ description: "Slug of the page", examples: ["acme"] })
)

export class PublicStatus extends HttpApiGroup.make("Public status")
  .annotate(OpenApi.Description, "The status of public pages, readable without a key.")
  .add(
    HttpApiEndpoint.get("public_page_status")`/public/pages/${slug}`
      .setUrlParams(
        Schema.Struct({
          history: optional(
            FlagText.annotations({
              description:
                "Whether to include the uptime of each day; default true. The response is many times smaller without it"
            })
          )
        })
      )
      .addSuccess(PublicPage)
      .addError(wire.notFound)
      .addError(wire.unavailable)
      .annotate(OpenApi.Summary, "Get the status of a public status page")
      .annotate(OpenApi.Description, "Responses are cached; polling more often than every 30 seconds returns nothing newer.")
  )
{}
