/** The data of events that one channel receives. */
import { Schema } from "effect"
import { optional, textLike } from "../Fields.ts"
import { ChannelId, EventId } from "../Ids.ts"

export const TestPing = Schema.Struct({
  message: Schema.String,
  channel: Schema.Struct({ id: ChannelId, name: Schema.String })
})

/** The channel that receives what was made of alerts that waited for it. */
export const NamedChannel = Schema.Struct({
  id: ChannelId,
  name: textLike("Team chat")
}).annotations({ description: "The channel that it is for" })

/** The alerts that waited for the end of a channel's quiet hours, the last about each subject. */
export const QuietEnded = Schema.Struct({
  channel: NamedChannel,
  url: optional(
    textLike("https://belltower.example/app?workspace=ws_01k9x2m4q8e7s9v3bthn5wza6c"),
    "The overview in the dashboard, which shows what is still wrong"
  ),
  count: Schema.Int.annotations({ description: "How many" }),
  alerts: Schema.Array(Schema.Struct({
    eventId: EventId.annotations({ description: "The event that waited" }),
    title: textLike("Checkout API is up again"),
    url: Schema.NullOr(textLike("https://belltower.example/app"))
  })).annotations({ description: "The last 100 of them, oldest first" })
})
