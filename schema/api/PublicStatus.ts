/** The public status of a page, readable without a key. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { FlagText, optional, orNull, textLike, Timestamp, TimestampZ, wholeText } from "../Fields.ts"
import { IncidentId } from "../Ids.ts"
import { PublicIncident } from "../incident/Incident.ts"
import { PublicPage } from "../page/PublicPage.ts"
import { ResponseTimeRange, ResponseTimes } from "../page/ResponseTimes.ts"
import { getSubscription, subscribe, unsubscribe, updateSubscription } from "./Subscriptions.ts"

const slug = HttpApiSchema.param(
  "slug",
  textLike("acme", "Slug of the page")
)

const incidentId = HttpApiSchema.param("id", IncidentId)
const component = HttpApiSchema.param(
  "component",
  textLike("api", "Id or key of the component")
)

export class PublicStatus extends HttpApiGroup.make("Public status")
  .annotate(OpenApi.Description, "The status of public pages, readable without a key.")
  .add(
    HttpApiEndpoint.get("public_page_status")`/public/pages/${slug}`
      .setUrlParams(
        Schema.Struct({
          history: optional(
            FlagText,
            "Whether to include the uptime of each day; default true. The response is many times smaller without it"
          )
        })
      )
      .addSuccess(PublicPage)
      .addError(Schema.Union(wire.notFound, wire.unavailable))
      .annotate(OpenApi.Summary, "Get the status of a public status page")
      .annotate(
        OpenApi.Description,
        "Cached for 30 seconds. Incidents have their newest 20 updates."
      )
  )
  .add(subscribe)
  .add(getSubscription)
  .add(updateSubscription)
  .add(unsubscribe)
  .add(
    HttpApiEndpoint.get("public_list_incidents")`/public/pages/${slug}/incidents`
      .setUrlParams(
        Schema.Struct({
          limit: optional(wholeText(1, 100), "Incidents per page; default 20"),
          before: optional(TimestampZ, "Only incidents that began before this time")
        })
      )
      .addSuccess(
        Schema.Struct({
          data: Schema.Array(PublicIncident),
          next: orNull(Timestamp, "Value of before for the next page; null at the end")
        })
      )
      .addError(Schema.Union(wire.notFound, wire.unavailable))
      .annotate(OpenApi.Summary, "List the incidents of a public status page")
      .annotate(
        OpenApi.Description,
        "Incidents and maintenance windows, newest first, with 20 updates each."
      )
  )
  .add(
    HttpApiEndpoint.get("public_get_incident")`/public/pages/${slug}/incidents/${incidentId}`
      .addSuccess(PublicIncident)
      .addError(Schema.Union(wire.notFound, wire.unavailable))
      .annotate(OpenApi.Summary, "Get an incident of a public status page")
  )
  .add(
    HttpApiEndpoint.get("public_response_times")`/public/pages/${slug}/components/${component}/response-times`
      .setUrlParams(Schema.Struct({ range: optional(ResponseTimeRange, "How far back; default 24h") }))
      .addSuccess(ResponseTimes)
      .addError(Schema.Union(wire.notFound, wire.unavailable))
      .annotate(OpenApi.Summary, "Get a component's response times")
      .annotate(
        OpenApi.Description,
        "Only for components that follow monitors, where the page and the component publish response times. Oldest bucket first."
      )
  )
{}
