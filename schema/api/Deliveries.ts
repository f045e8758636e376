/** The operations on deliveries to alert channels. */
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Delivery, DeliveryStatus, ReplayInput } from "../alert/Delivery.ts"
import { wire } from "../Errors.ts"
import { optional, wholeText } from "../Fields.ts"
import { ChannelId, DeliveryId } from "../Ids.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"
import { paged } from "./Answers.ts"

const deliveryId = HttpApiSchema.param("id", DeliveryId)

export const listDeliveries = HttpApiEndpoint.get("list_deliveries", "/deliveries")
  .setUrlParams(Schema.Struct({
    channelId: optional(ChannelId, "Returns only those to this channel"),
    status: optional(DeliveryStatus, "Returns only those with this status"),
    before: optional(DeliveryId, "Returns only older ones; next is the value to send"),
    limit: optional(wholeText(1, 200), "Maximum number of deliveries; default 50")
  }))
  .addSuccess(paged(Delivery, DeliveryId))
  .middleware(ReadAccess)
  .annotate(OpenApi.Summary, "List deliveries to alert channels")
  .annotate(OpenApi.Description, "Newest first; kept for 30 days after they end.")

export const replayDelivery = HttpApiEndpoint.post("replay_delivery")`/deliveries/${deliveryId}/replay`
  .addSuccess(Delivery)
  .addError(Schema.Union(wire.notFound, wire.conflict))
  .middleware(WriteAccess)
  .annotate(OpenApi.Summary, "Deliver an event again")
  .annotate(
    OpenApi.Description,
    "Sends the same body with the same webhook-id, with all attempts again. Fails with conflict while it is due."
  )

export const replayDeliveries = HttpApiEndpoint.post("replay_deliveries", "/deliveries/replay")
  .setPayload(ReplayInput)
  .addSuccess(Schema.Struct({
    replayed: Schema.Int.annotations({ description: "How many are due again" }),
    more: Schema.Boolean.annotations({ description: "Whether there are more; call again" })
  }))
  .middleware(WriteAccess)
  .annotate(OpenApi.Summary, "Deliver events again since a time")
  .annotate(
    OpenApi.Description,
    "For receivers that lost events. Replays what was created after since; at most 1,000 deliveries in a call, the oldest first."
  )
