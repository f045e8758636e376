/** The public status of a page, and the subscriptions of visitors: without a key, by the manage token. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { FlagText, optional, orNull, textLike, Timestamp, TimestampZ, wholeText } from "../Fields.ts"
import { IncidentId, SubscriberId } from "../Ids.ts"
import { PublicIncident } from "../incident/Incident.ts"
import { PublicPage } from "../page/PublicPage.ts"
import { ResponseTimeRange, ResponseTimes } from "../page/ResponseTimes.ts"
import { Subscribed, SubscribeInput, Subscriber, SubscriptionUpdate } from "../subscriber/Subscriber.ts"
import { AddressLimit, subscriptions } from "./parts/AddressLimit.ts"
import { deleted } from "./parts/Answers.ts"
import { ReachesOut } from "./parts/Hints.ts"

const slug = HttpApiSchema.param(
  "slug",
  textLike("acme", "Page slug")
)

const component = HttpApiSchema.param(
  "component",
  textLike("api", "Id or key of the component")
)

const subscriberId = HttpApiSchema.param("id", SubscriberId)

const token = Schema.Struct({
  token: textLike("h0mQ2vT7", "The manage token")
})

const subscribe = HttpApiEndpoint.post("public_subscribe")`/public/pages/${slug}/subscribers`
  .setPayload(SubscribeInput)
  .addSuccess(Subscribed, { status: 201 })
  .addError(Schema.Union(wire.notFound, wire.forbidden, wire.planLimit, wire.validationFailed, wire.rateLimited))
  .annotate(AddressLimit, subscriptions)
  .annotate(ReachesOut, true)
  .annotate(OpenApi.Summary, "Subscribe to a status page")
  .annotate(
    OpenApi.Description,
    "A webhook first gets a POST with type subscription.verify and a challenge, which it repeats in its answer. An email " +
      "subscription stays pending until the link in a mail is confirmed. Limit: 20 an hour per IP address."
  )

const getSubscription = HttpApiEndpoint.get("public_get_subscription")`/public/subscribers/${subscriberId}`
  .setUrlParams(token)
  .addSuccess(Subscriber)
  .addError(wire.notFound)
  .annotate(OpenApi.Summary, "Get a subscription")

const updateSubscription = HttpApiEndpoint.patch("public_update_subscription")`/public/subscribers/${subscriberId}`
  .setPayload(SubscriptionUpdate)
  .addSuccess(Subscriber)
  .addError(Schema.Union(wire.notFound, wire.conflict, wire.validationFailed))
  .annotate(OpenApi.Summary, "Choose what a subscription sends")

const unsubscribe = HttpApiEndpoint.del("public_unsubscribe")`/public/subscribers/${subscriberId}`
  .setUrlParams(token)
  .addSuccess(deleted(SubscriberId))
  .addError(wire.notFound)
  .annotate(OpenApi.Summary, "Unsubscribe")

export class PublicStatus extends HttpApiGroup.make("Public status")
  .annotate(OpenApi.Description, "The status of public pages, readable without a key.")
  .add(
    HttpApiEndpoint.get("public_page_status")`/public/pages/${slug}`
      .setUrlParams(Schema.Struct({
        history: optional(
          FlagText,
          "Uptime of each day; default true"
        )
      }))
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
      .setUrlParams(Schema.Struct({
        limit: optional(wholeText(1, 100), "Incidents per page; default 20"),
        before: optional(TimestampZ, "Only incidents that began before this time")
      }))
      .addSuccess(Schema.Struct({
        data: Schema.Array(PublicIncident),
        next: orNull(Timestamp, "Value of before for the next page; null at the end")
      }))
      .addError(Schema.Union(wire.notFound, wire.unavailable))
      .annotate(OpenApi.Summary, "List the incidents of a public status page")
      .annotate(
        OpenApi.Description,
        "Incidents and maintenance windows, newest first, with 20 updates each."
      )
  )
  .add(
    HttpApiEndpoint.get("public_get_incident")`/public/pages/${slug}/incidents/${HttpApiSchema.param("id", IncidentId)}`
      .addSuccess(PublicIncident)
      .addError(Schema.Union(wire.notFound, wire.unavailable))
      .annotate(OpenApi.Summary, "Get an incident of a public status page")
  )
  .add(
    HttpApiEndpoint.get("public_response_times")`/public/pages/${slug}/components/${component}/response-times`
      .setUrlParams(Schema.Struct({ range: optional(ResponseTimeRange, "Default 24h") }))
      .addSuccess(ResponseTimes)
      .addError(Schema.Union(wire.notFound, wire.unavailable))
      .annotate(OpenApi.Summary, "Get a component's response times")
      .annotate(
        OpenApi.Description,
        "Only for components that follow monitors, where the page and the component publish response times. Oldest bucket first."
      )
  )
{}
