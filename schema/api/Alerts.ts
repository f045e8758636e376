/** Alert channels, and the deliveries to them. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { ChannelInput, ChannelUpdate, ChannelWithSecret, ListedChannel } from "../alert/Channel.ts"
import { Delivery, DeliveryStatus, ReplayInput } from "../alert/Delivery.ts"
import { wire } from "../Errors.ts"
import { fromTarget, optional, wholeText } from "../Fields.ts"
import { ChannelId, DeliveryId, EventId } from "../Ids.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"
import { all, created, deleted, paged } from "./parts/Answers.ts"
import { counted } from "./parts/Counted.ts"
import { Hinted, PrivateAnswer, ReachesOut } from "./parts/Hints.ts"

const listDeliveries = HttpApiEndpoint.get("list_deliveries", "/deliveries")
  .setUrlParams(Schema.Struct({
    channelId: optional(ChannelId, "Only to this channel"),
    status: optional(DeliveryStatus, "Only with this status"),
    before: optional(DeliveryId, "next of the page before"),
    limit: optional(wholeText(1, 200), "Maximum number of deliveries; default 50")
  }))
  .addSuccess(paged(Delivery, DeliveryId))
  .middleware(ReadAccess)
  .annotate(OpenApi.Summary, "List deliveries to alert channels")
  .annotate(OpenApi.Description, "Newest first; kept for 30 days after they end.")

const replayDelivery = HttpApiEndpoint.post("replay_delivery")`/deliveries/${HttpApiSchema.param("id", DeliveryId)}/replay`
  .addSuccess(Delivery)
  .addError(Schema.Union(wire.notFound, wire.conflict))
  .middleware(WriteAccess)
  .annotate(Hinted, { heardOutside: true })
  .annotate(OpenApi.Summary, "Deliver an event again")
  .annotate(
    OpenApi.Description,
    "Sends the same body with the same webhook-id, with all attempts again. Fails with conflict if it is due now."
  )

const replayDeliveries = HttpApiEndpoint.post("replay_deliveries", "/deliveries/replay")
  .setPayload(ReplayInput)
  .addSuccess(Schema.Struct({
    replayed: Schema.Int.annotations({ description: "How many are due again" }),
    more: Schema.Boolean.annotations({ description: "Whether there are more; call again" })
  }))
  .middleware(WriteAccess)
  .annotate(Hinted, { heardOutside: true })
  .annotate(OpenApi.Summary, "Deliver events again since a time")
  .annotate(
    OpenApi.Description,
    "For receivers that lost events. Replays what was created after since; at most 1,000 deliveries in a call, the oldest first."
  )

const channelId = HttpApiSchema.param("id", ChannelId)

export class Alerts extends HttpApiGroup.make("Alerts")
  .annotate(OpenApi.Description, "Alert channels: where a team receives events.")
  .add(
    HttpApiEndpoint.get("list_channels", "/channels")
      .addSuccess(all(ListedChannel))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List alert channels")
  )
  .add(
    HttpApiEndpoint.post("create_channel", "/channels")
      .setPayload(ChannelInput)
      .addSuccess(created(ChannelWithSecret, "CreatedChannel"), { status: 201 })
      .addError(wire.validationFailed)
      .middleware(WriteAccess)
      .annotate(PrivateAnswer, true)
      .annotate(OpenApi.Summary, "Create an alert channel")
      .annotate(
        OpenApi.Description,
        "Unless isDefault is false, every monitor created later gets this channel. To attach it to others, call update_monitor " +
          "with channelIds. For a webhook, the response contains the signing secret, once. Call test_channel to check delivery."
      )
  )
  .add(
    HttpApiEndpoint.patch("update_channel")`/channels/${channelId}`
      .setPayload(ChannelUpdate)
      .addSuccess(ChannelWithSecret)
      .addError(Schema.Union(wire.notFound, wire.validationFailed))
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Update an alert channel")
      .annotate(OpenApi.Description, "rotateSecret returns a new signing secret once.")
  )
  .add(
    HttpApiEndpoint.del("delete_channel")`/channels/${channelId}`
      .setUrlParams(Schema.Struct(counted))
      .addSuccess(deleted(ChannelId))
      .addError(Schema.Union(wire.notFound, wire.validationFailed))
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Delete an alert channel")
      .annotate(OpenApi.Description, "Also deletes its pending deliveries.")
  )
  .add(
    HttpApiEndpoint.post("test_channel")`/channels/${channelId}/test`
      .addSuccess(Schema.Struct({
        eventId: EventId,
        delivered: Schema.Boolean,
        captured: Schema.Boolean.annotations({
          description: "Whether the mail was kept in Belltower and reached nobody, because no mail server is set"
        }),
        statusCode: Schema.NullOr(Schema.Int),
        error: fromTarget(Schema.NullOr(Schema.String))
      }))
      .addError(Schema.Union(wire.notFound, wire.validationFailed))
      .middleware(WriteAccess)
      .annotate(ReachesOut, true)
      .annotate(OpenApi.Summary, "Test an alert channel")
      .annotate(OpenApi.Description, "Sends test.ping to this channel and returns the result.")
  )
  .add(listDeliveries)
  .add(replayDelivery)
  .add(replayDeliveries)
{}
