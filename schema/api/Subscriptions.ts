/** The operations of visitors on their subscriptions: without a key, by the manage token. */
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { textLike } from "../Fields.ts"
import { SubscriberId } from "../Ids.ts"
import { Subscribed, SubscribeInput, Subscriber, SubscriptionUpdate } from "../subscriber/Subscriber.ts"
import { AddressLimit, subscriptions } from "./AddressLimit.ts"
import { deleted } from "./Answers.ts"
import { ReachesOut } from "./Hints.ts"

const slug = HttpApiSchema.param(
  "slug",
  textLike("acme", "Slug of the page")
)

const id = HttpApiSchema.param("id", SubscriberId)

const token = Schema.Struct({
  token: textLike("h0mQ2vT7", "The manage token")
})

export const subscribe = HttpApiEndpoint.post("public_subscribe")`/public/pages/${slug}/subscribers`
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

export const getSubscription = HttpApiEndpoint.get("public_get_subscription")`/public/subscribers/${id}`
  .setUrlParams(token)
  .addSuccess(Subscriber)
  .addError(wire.notFound)
  .annotate(OpenApi.Summary, "Get a subscription")

export const updateSubscription = HttpApiEndpoint.patch("public_update_subscription")`/public/subscribers/${id}`
  .setPayload(SubscriptionUpdate)
  .addSuccess(Subscriber)
  .addError(Schema.Union(wire.notFound, wire.conflict, wire.validationFailed))
  .annotate(OpenApi.Summary, "Choose the components of a subscription")

export const unsubscribe = HttpApiEndpoint.del("public_unsubscribe")`/public/subscribers/${id}`
  .setUrlParams(token)
  .addSuccess(deleted(SubscriberId))
  .addError(wire.notFound)
  .annotate(OpenApi.Summary, "Unsubscribe")
