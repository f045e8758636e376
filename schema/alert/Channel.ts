/** An alert channel: where a team receives events. */
import { Schema } from "effect"
import { eventTypes } from "../event/EventData.ts"
import {
  described,
  filled,
  fromTarget,
  headerMap,
  httpUrl,
  list,
  name,
  optional,
  orNull,
  text,
  textLike,
  Timestamp,
  ValueNoun
} from "../Fields.ts"
import { ChannelId } from "../Ids.ts"
import { mask } from "../Mask.ts"
import { EmailAddress } from "../people/Person.ts"
import { QuietHours, QuietHoursInput } from "./QuietHours.ts"

export const ChannelType = Schema.Literal(
  "email",
  "webhook",
  "slack",
  "discord",
  "telegram",
  "teams",
  "pagerduty",
  "opsgenie",
  "ntfy"
)
export type ChannelType = typeof ChannelType.Type

const eventPatterns: ReadonlyArray<string> = [
  ...eventTypes,
  ...new Set(eventTypes.map((type) => `${type.split(".")[0] ?? type}.*`)),
  "*"
]

/** An event type, `*`, or a prefix such as `component.*`. */
const EventPattern = Schema.Literal(...eventPatterns).annotations({
  [ValueNoun]: "event type",
  jsonSchema: { type: "string", minLength: 1 },
  examples: ["monitor.*"]
})

/** Every setting by name. Each channel kind picks the settings it accepts. */
export const channelSetting = {
  emails: list(EmailAddress, 20).annotations({ description: "Recipients" }),
  url: httpUrl(1000).annotations({ examples: ["https://hooks.example.com/belltower"] }),
  headers: headerMap.annotations({ description: "Of a webhook" }),
  botToken: filled(text(200)),
  chatId: filled(text(100)),
  appSecret: filled(text(200)),
  buttons: Schema.Boolean.annotations({ description: "Whether a Telegram channel has buttons" }),
  token: filled(text(200)),
  topic: filled(text(64)).annotations({ description: "Of ntfy" })
}

/** The settings of all channel types. Each channel kind decides which of them it accepts and requires; null removes a stored one. */
export const ChannelSettings = Schema.Struct({
  emails: optional(channelSetting.emails),
  url: optional(
    Schema.NullOr(channelSetting.url),
    "Of a webhook, Slack, Discord or Teams",
    "https://hooks.example.com/belltower"
  ),
  headers: optional(channelSetting.headers),
  botToken: optional(Schema.NullOr(channelSetting.botToken), "Of a bot or app"),
  chatId: optional(Schema.NullOr(channelSetting.chatId), "Where the bot posts"),
  appSecret: optional(Schema.NullOr(channelSetting.appSecret), "Slack signing secret or Discord public key"),
  buttons: optional(channelSetting.buttons),
  token: optional(Schema.NullOr(channelSetting.token), "Of PagerDuty, Opsgenie or ntfy"),
  topic: optional(channelSetting.topic)
})
export type ChannelSettings = typeof ChannelSettings.Type

const common = {
  ...ChannelSettings.fields,
  events: optional(
    Schema.NullOr(list(EventPattern, 30)),
    "Event types, component.* or *; null for the defaults"
  ),
  isDefault: optional(Schema.Boolean, "Whether new monitors get it; default true"),
  groupAlerts: optional(
    Schema.Boolean,
    "Whether alerts within a minute are one message; default by type"
  ),
  quietHours: optional(
    Schema.NullOr(QuietHoursInput),
    "Alerts wait in these hours; a summary follows"
  ),
  enabled: optional(Schema.Boolean)
}

const channelName = name(80).annotations({ examples: ["On-call webhook"] })

export const ChannelInput = Schema.Struct({
  name: channelName,
  type: ChannelType.annotations({ examples: ["webhook"] }),
  ...common,
  attachExisting: optional(Schema.Boolean, "Attach it to monitors without a channel")
}).annotations({
  identifier: "ChannelInput"
})
export type ChannelInput = typeof ChannelInput.Type

export const ChannelUpdate = Schema.Struct({
  name: optional(channelName),
  type: optional(ChannelType),
  ...common,
  rotateSecret: optional(Schema.Boolean, "Returns a new signing secret once")
}).annotations({ identifier: "ChannelUpdate" })
export type ChannelUpdate = typeof ChannelUpdate.Type

/** The settings as the record shows them. Secret settings are masked or omitted. */
export const ShownSettings = Schema.Struct({
  url: orNull(textLike("https://hooks.example.com/belltower"), "Where the channel sends to; its secret parts are masked"),
  headers: Schema.Record({ key: Schema.String, value: Schema.String }).annotations({
    description: `Custom headers by name, each with the value ${mask}. An update that sends it keeps the stored value`
  }),
  emails: optional(Schema.Array(Schema.String), "Recipients of an email channel"),
  botToken: optional(Schema.String, "Masked bot token"),
  chatId: optional(Schema.String, "Chat or channel that the bot posts to"),
  appSecret: optional(Schema.String, `Secret of the app, as ${mask}`),
  buttons: optional(Schema.Boolean, "Whether the messages of a Telegram channel have buttons"),
  token: optional(Schema.String, `Key or token of the service, as ${mask}`),
  topic: optional(Schema.String)
})
export type ShownSettings = typeof ShownSettings.Type

/** A fault that lasts: an unknown webhook, a chat that was deleted. Its next delivery, and new settings, erase it. */
const ChannelProblem = Schema.Struct({
  message: fromTarget(
    textLike("Answered 404 Not Found: Discord does not know this webhook; create a new one", "What is wrong and what to do")
  ),
  since: described(Timestamp, "When a delivery found it first")
})

export const Channel = Schema.Struct({
  id: ChannelId,
  name: textLike("On-call webhook"),
  type: ChannelType.annotations({ examples: ["webhook"] }),
  ...ShownSettings.fields,
  events: orNull(Schema.Array(Schema.String), "Event types that it receives; null for those that are on by default"),
  isDefault: Schema.Boolean,
  groupAlerts: Schema.Boolean.annotations({ description: "Whether what follows an alert within a minute becomes one message" }),
  quietHours: orNull(QuietHours, "Hours in which alerts wait; null for none"),
  enabled: Schema.Boolean,
  problem: optional(ChannelProblem, "Why nothing arrives until somebody acts; absent if nothing is known to be wrong"),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotations({ identifier: "Channel" })
export type Channel = typeof Channel.Type

export const ListedChannel = Schema.Struct({
  ...Channel.fields,
  identicalTo: Schema.Array(ChannelId).annotations({
    description: "Channels with the same settings, at most 20, oldest first. Each of them is sent what it receives"
  })
}).annotations({ identifier: "ListedChannel" })
export type ListedChannel = typeof ListedChannel.Type

/** A channel with its signing secret. Only creation and rotation return it. */
export const ChannelWithSecret = Schema.Struct({
  ...Channel.fields,
  signingSecret: optional(textLike("whsec_<base64>"), "Signing secret in the form whsec_<base64>. Returned only once")
}).annotations({ identifier: "ChannelWithSecret" })
export type ChannelWithSecret = typeof ChannelWithSecret.Type
