/** A delivery: one event on its way to one alert channel. */
import { Schema } from "effect"
import { described, fromTarget, optional, orNull, textLike, Timestamp } from "../Fields.ts"
import { ChannelId, DeliveryId, EventId } from "../Ids.ts"

export const DeliveryStatus = Schema.Literal("due", "delivered", "captured", "dead").annotations({
  description: "captured: its mail was kept in Belltower and reached nobody, because no mail server is set"
})
export type DeliveryStatus = typeof DeliveryStatus.Type

/** The progress of a delivery. Until its rows exist, only its event is stored. */
const DeliveryStage = Schema.Literal("queued", "attempting", "retrying", "delivered", "captured", "dead").annotations({
  description: "queued before the first attempt, retrying between two; attempting: a worker holds the queue of its channel"
})

export const Delivery = Schema.Struct({
  id: DeliveryId,
  channelId: described(ChannelId, "The alert channel"),
  eventId: EventId,
  eventType: orNull(textLike("monitor.down"), "Null once the event is deleted"),
  status: DeliveryStatus,
  stage: DeliveryStage,
  attempts: Schema.Int,
  statusCode: orNull(Schema.Int, "Of the last attempt; null without an HTTP response"),
  error: fromTarget(Schema.NullOr(Schema.String)),
  latencyMs: orNull(Schema.Int, "Duration of the last attempt"),
  nextAttemptAt: orNull(Timestamp, "Null once it is delivered, captured or dead"),
  createdAt: Timestamp,
  finishedAt: Schema.NullOr(Timestamp)
}).annotations({ identifier: "Delivery" })
export type Delivery = typeof Delivery.Type

export const ReplayInput = Schema.Struct({
  since: Timestamp,
  channelId: optional(ChannelId),
  status: optional(Schema.Literal("delivered", "captured", "dead"), "Default dead")
}).annotations({ identifier: "ReplayInput" })
export type ReplayInput = typeof ReplayInput.Type
