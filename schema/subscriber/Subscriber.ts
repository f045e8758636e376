/** A subscriber of a status page: who hears of it, how, of which kinds of news, and about which components. */
import { Schema } from "effect"
import { fromTarget, httpUrl, list, name, optional, orNull, text, textLike, Timestamp } from "../Fields.ts"
import { ComponentId, IncidentId, PageId, SubscriberId } from "../Ids.ts"
import { Language } from "../page/Page.ts"
import { EmailAddress } from "../people/Person.ts"

export const SubscriberType = Schema.Literal("email", "webhook", "slack", "discord")
export type SubscriberType = typeof SubscriberType.Type

export const SubscriberStatus = Schema.Literal("pending", "active", "unsubscribed", "disabled")
export type SubscriberStatus = typeof SubscriberStatus.Type

/** `postmortems` are updates of an incident that had ended before; `components` are changes of status, for webhooks. */
export const SubscriptionKind = Schema.Literal("incidents", "maintenance", "postmortems", "components")
export type SubscriptionKind = typeof SubscriptionKind.Type

const components = list(text(100), 200)

const kinds = list(SubscriptionKind, 10)

export const SubscribeInput = Schema.Struct({
  type: SubscriberType.annotations({ examples: ["webhook"] }),
  email: optional(EmailAddress, "Confirmed by a mail"),
  url: optional(httpUrl(1000), "Of any other subscription", "https://hooks.example.com/status"),
  components: optional(components, "Ids or keys; default all"),
  kinds: optional(kinds, "Kinds of news; default all. Only webhooks receive components"),
  agent: optional(text(80), "Your name", "release-bot"),
  incident: optional(text(60), "To hear only of this incident"),
  language: optional(Language, "Default that of the page")
}).annotations({ identifier: "SubscribeInput" })
export type SubscribeInput = typeof SubscribeInput.Type

export const SubscriptionUpdate = Schema.Struct({
  token: name(200).annotations({ description: "The manage token", examples: ["h0mQ2vT7"] }),
  components: optional(components, "Ids or keys; empty for all", ["api"]),
  kinds: optional(kinds, "Kinds of news; empty for all", ["incidents"])
}).annotations({ identifier: "SubscriptionUpdate" })
export type SubscriptionUpdate = typeof SubscriptionUpdate.Type

const shared = {
  id: SubscriberId,
  type: SubscriberType.annotations({ examples: ["webhook"] }),
  status: SubscriberStatus,
  pageId: PageId,
  email: Schema.NullOr(Schema.String),
  url: orNull(textLike("https://hooks.example.com/[hidden]"), "Only its origin is shown"),
  components: Schema.Array(ComponentId).annotations({ description: "Empty for all components" }),
  kinds: Schema.Array(SubscriptionKind).annotations({ description: "Kinds of news; empty for all" }),
  incident: Schema.NullOr(IncidentId),
  language: Language,
  agent: fromTarget(orNull(Schema.String, "Name that the subscriber gave")),
  createdAt: Timestamp,
  updatedAt: Timestamp
}

/** A subscriber as the workspace and the holder of the manage token see it. */
export const Subscriber = Schema.Struct(shared).annotations({ identifier: "Subscriber" })
export type Subscriber = typeof Subscriber.Type

export const Subscribed = Schema.Struct({
  ...shared,
  mail: orNull(
    Schema.Literal("sent", "captured"),
    "Of an email subscription, its confirmation. captured: it reaches nobody, because no mail server is set",
    "sent"
  ),
  manageToken: textLike("h0mQ2vT7", "Reads, changes and ends the subscription"),
  signingSecret: optional(textLike("whsec_<base64>"), "Of a webhook; returned only once")
}).annotations({ identifier: "Subscribed" })
export type Subscribed = typeof Subscribed.Type
