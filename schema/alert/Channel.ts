/** An alert channel: where a team hears of events. */
import { Schema } from "effect"
import { EventType } from "../event/Event.ts"
import { Flag, httpUrl, list, name, optional, text, textLike, Timestamp } from "../Fields.ts"
import { ChannelId } from "../Ids.ts"

export const ChannelType = Schema.Literal("email", "webhook", "slack", "discord", "telegram")
export type ChannelType = typeof ChannelType.Type

/** An event type, `*`, or a prefix such as `component.*`. */
const EventPattern = Schema.String.pipe(
  Schema.filter((value) =>
    value === "*" || EventType.literals.some((type) => type === value) ||
      EventType.literals.some((type) => value === `${type.split(".")[0]}.*`)
      ? true
      : "Expected an event type, a wildcard such as component.*, or *"
  ),
  Schema.annotations({ jsonSchema: {}, examples: ["monitor.*"] })
)

const settings = {
  emails: optional(
    list(Schema.String.pipe(Schema.pattern(/^[^\s@]+@[^\s@]+\.[^\s@]+$/), Schema.maxLength(254)), 20).annotations({
      description: "The recipients of an email channel"
    })
  ),
  url: optional(
    httpUrl(1000).annotations({
      description: "Where a webhook, Slack or Discord channel delivers to",
      examples: ["https://hooks.example.com/belltower"]
    })
  ),
  headers: optional(
    Schema.Record({ key: text(200), value: text(4000) }).annotations({
      description: "Sent with each delivery of a webhook channel"
    })
  ),
  botToken: optional(text(200).annotations({ description: "The bot of a Telegram channel" })),
  chatId: optional(text(100).annotations({ description: "The chat of a Telegram channel" })),
  events: optional(
    Schema.NullOr(list(EventPattern, 30)).annotations({
      description: "Event types, prefixes such as component.*, or *; null or an empty list means the default types"
    })
  ),
  isDefault: optional(Flag.annotations({ description: "Attached to new monitors automatically; default true" })),
  enabled: optional(Flag)
}

const channelName = name(80).annotations({ examples: ["On-call webhook"] })

export const ChannelInput = Schema.Struct({
  name: channelName,
  type: ChannelType.annotations({ examples: ["webhook"] }),
  ...settings
}).annotations({
  identifier: "ChannelInput"
})
export type ChannelInput = typeof ChannelInput.Type

export const ChannelUpdate = Schema.Struct({
  name: optional(channelName),
  type: optional(ChannelType),
  ...settings,
  rotateSecret: optional(Flag.annotations({ description: "A new signing secret, returned once" }))
}).annotations({ identifier: "ChannelUpdate" })
export type ChannelUpdate = typeof ChannelUpdate.Type

export const Channel = Schema.Struct({
  id: ChannelId,
  name: textLike("On-call webhook"),
  type: ChannelType.annotations({ examples: ["webhook"] }),
  url: Schema.NullOr(textLike("https://hooks.example.com/belltower")),
  headers: Schema.Array(Schema.String).annotations({ description: "Names of the custom headers; their values stay secret" }),
  events: Schema.NullOr(Schema.Array(Schema.String)),
  isDefault: Schema.Boolean,
  enabled: Schema.Boolean,
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotations({ identifier: "Channel" })
export type Channel = typeof Channel.Type

/** A channel with its signing secret, on creation and rotation only. */
export const ChannelWithSecret = Schema.Struct({
  ...Channel.fields,
  signingSecret: optional(textLike("whsec_<base64>").annotations({ description: "whsec_<base64>, shown this once" }))
}).annotations({ identifier: "ChannelWithSecret" })
export type ChannelWithSecret = typeof ChannelWithSecret.Type
