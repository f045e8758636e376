/** How people are paged: their contact ways, their personal rules, and the log of what was tried. */
import { Schema } from "effect"
import { clockTime, fromTarget, httpUrl, list, optional, orNull, text, textLike, Timestamp, timezone, whole } from "../Fields.ts"
import { ChannelId, IncidentId, PagingId, PolicyId, UserId, WayId } from "../Ids.ts"
import { PhoneNumber } from "../people/Person.ts"

/** Every kind of way. Email needs no record of its own: it is the confirmed address that the person signs in with. */
export const WayKind = Schema.Literal("email", "push", "sms", "voice", "slack", "telegram", "discord").annotations({
  identifier: "WayKind",
  description: "email: the confirmed address that the person signs in with; push: a notification of a browser or phone"
})
export type WayKind = typeof WayKind.Type

/** The kinds that have records. */
export const AddedWayKind = Schema.Literal("push", "sms", "voice", "slack", "telegram", "discord")
export type AddedWayKind = typeof AddedWayKind.Type

export const Urgency = Schema.Literal("high", "low").annotations({
  identifier: "Urgency",
  description: "Which of a person's lists of steps is followed"
})
export type Urgency = typeof Urgency.Type

/** The address fields of each kind. Each way kind picks those that it takes. */
export const wayAddress = {
  phone: PhoneNumber.annotations({ description: "Phone number of an sms or voice way", examples: ["+4930123456"] }),
  endpoint: httpUrl(2000).annotations({
    description: "Of a push subscription",
    examples: ["https://push.example.com/send/abc"]
  }),
  p256dh: text(200).annotations({ description: "Of a push subscription" }),
  auth: text(100).annotations({ description: "Of a push subscription" }),
  member: text(80).annotations({
    description: "slack: member id; default by the email. discord: user id",
    examples: ["U012AB3CD"]
  }),
  chatId: text(40).annotations({ description: "telegram: default by a link that the person opens" })
}

const label = text(80).annotations({ description: "Such as the device", examples: ["Sam's phone"] })

export const ContactWayInput = Schema.Struct({
  kind: AddedWayKind.annotations({ description: "The kind of way" }),
  label: optional(label),
  phone: optional(wayAddress.phone),
  endpoint: optional(wayAddress.endpoint),
  p256dh: optional(wayAddress.p256dh),
  auth: optional(wayAddress.auth),
  member: optional(wayAddress.member),
  chatId: optional(wayAddress.chatId)
}).annotations({ identifier: "ContactWayInput" })
export type ContactWayInput = typeof ContactWayInput.Type

export const ContactWay = Schema.Struct({
  id: orNull(WayId, "Null for email, which needs no record"),
  userId: UserId.annotations({ description: "The person" }),
  kind: WayKind.annotations({ description: "The kind of way" }),
  label: textLike("Sam's phone", "Its name for people"),
  shown: textLike("+49 ••• 456", "The address, mostly hidden"),
  verifiedAt: orNull(Timestamp, "When the person proved that it is theirs; null until then. Nobody is paged by it before"),
  usable: Schema.Boolean.annotations({ description: "Whether pages go there now" }),
  problem: orNull(fromTarget(Schema.String), "Why pages do not go there; null if they do"),
  link: optional(
    textLike("https://t.me/acme_bot?start=AZqx"),
    "Of a telegram way without chatId: the person opens it and presses Start, which proves the way. Given once"
  ),
  createdAt: Timestamp
}).annotations({ identifier: "ContactWay" })
export type ContactWay = typeof ContactWay.Type

/** When in the week a step counts: by the working hours of the rules. */
const During = Schema.Literal("any", "working", "off").annotations({
  description: "any: always; working: in the working hours; off: outside them. Default any"
})

export const PagingStep = Schema.Struct({
  by: WayKind.annotations({ description: "Each verified way of this kind" }),
  wayId: optional(WayId, "Only this way"),
  afterMinutes: whole(0, 60).annotations({ description: "While unacknowledged" }),
  during: optional(During)
}).annotations({ identifier: "PagingStep" })
export type PagingStep = typeof PagingStep.Type

const day = whole(0, 6).annotations({ description: "0 for Monday to 6 for Sunday" })

export const WorkingHours = Schema.Struct({
  timezone: timezone(64),
  days: list(day, 7).pipe(Schema.minItems(1)).annotations({
    description: "0 is Monday",
    examples: [[0, 1, 2, 3, 4]]
  }),
  from: clockTime("Local start, HH:MM", "09:00"),
  to: clockTime("Local time at which they end, HH:MM; before from: on the next day", "17:00")
}).annotations({ identifier: "WorkingHours" })
export type WorkingHours = typeof WorkingHours.Type

const steps = list(PagingStep, 20).pipe(Schema.minItems(1)).annotations({
  examples: [[{ by: "push", afterMinutes: 0 }, { by: "email", afterMinutes: 2 }]]
})

/** The rules of a person. Times of quiet never hold a page: a step counts at its time, or another one does. */
export const PagingRules = Schema.Struct({
  high: steps.annotations({ description: "The steps for pages of high urgency" }),
  low: steps.annotations({ description: "The steps for pages of low urgency" }),
  workingHours: Schema.NullOr(WorkingHours).annotations({ description: "Needed by steps with during; null for none" }),
  isDefault: Schema.Boolean.annotations({ description: "Whether these are the rules of everybody who has set none" })
}).annotations({ identifier: "PagingRules" })
export type PagingRules = typeof PagingRules.Type

export const PagingRulesInput = Schema.Struct({
  high: optional(steps, "Default as they are"),
  low: optional(steps, "Default as they are"),
  workingHours: optional(Schema.NullOr(WorkingHours), "null removes them"),
  reset: optional(Schema.Boolean, "true returns to the default rules")
}).annotations({ identifier: "PagingRulesInput" })
export type PagingRulesInput = typeof PagingRulesInput.Type

export const PagingState = Schema.Literal("planned", "sending", "handed_over", "received", "failed", "not_needed").annotations({
  description: "planned: due at dueAt; handed_over: the service took it; received: it says that the person's device did; " +
    "not_needed: the incident was acknowledged or ended first, or the person was paged again"
})
export type PagingState = typeof PagingState.Type

/** One page to one person by one way: planned, then tried. */
export const Paging = Schema.Struct({
  id: PagingId,
  incidentId: IncidentId.annotations({ description: "The incident" }),
  user: Schema.Struct({
    id: UserId,
    name: Schema.NullOr(textLike("Sam Field")),
    email: orNull(textLike("sam@example.com"), "Null if the account was deleted")
  }).annotations({ description: "The person" }),
  level: Schema.Int.annotations({ description: "Level of the escalation policy, from 1; 0 for a hand-over" }),
  round: Schema.Int.annotations({ description: "1 for the first time, 2 for the first repetition or the second hand-over" }),
  step: Schema.Int.annotations({ description: "Place among the person's steps, from 1" }),
  urgency: Urgency.annotations({ description: "Which list of the person's steps was followed" }),
  by: WayKind.annotations({ description: "The kind of way" }),
  wayId: orNull(WayId, "The way; null for email"),
  label: textLike("Sam's phone", "The way's name when it was planned"),
  state: PagingState,
  error: fromTarget(Schema.NullOr(Schema.String)).annotations({
    description: "Why it failed or waits for a retry; null if neither"
  }),
  dueAt: Timestamp.annotations({ description: "When it is or was due" }),
  handedOverAt: orNull(Timestamp, "When the service took it"),
  receivedAt: orNull(Timestamp, "When the person's device took it, as the service says; null if it does not say")
}).annotations({ identifier: "Paging" })
export type Paging = typeof Paging.Type

/** The level of the escalation policy that is paged next. */
const NextLevel = Schema.Struct({
  level: Schema.Int.annotations({ description: "1 for the first level" }),
  round: Schema.Int.annotations({ description: "1 for the first time, 2 for the first repetition" }),
  at: orNull(Timestamp, "When, unless somebody acknowledges first; null while the incident is acknowledged"),
  people: Schema.Array(
    Schema.Struct({ id: UserId, name: Schema.NullOr(textLike("Sam Field")), email: textLike("sam@example.com") })
  )
    .annotations({ description: "Whom it would page now" }),
  channelIds: Schema.Array(ChannelId).annotations({ description: "The channels that it would alert", examples: [[]] })
}).annotations({ identifier: "NextLevel" })

const Escalation = Schema.Struct({
  policy: Schema.Struct({ id: PolicyId, name: textLike("Platform") }).annotations({ description: "The policy that applies" }),
  levels: Schema.Int.annotations({ description: "How many levels it has" }),
  next: orNull(NextLevel, "Null once the last level was paged for the last time")
}).annotations({ identifier: "IncidentEscalation" })

/** Who was paged about an incident by what, and what happens next. */
export const IncidentPagings = Schema.Struct({
  data: Schema.Array(Paging).annotations({ description: "By dueAt" }),
  next: Schema.Null,
  escalation: orNull(Escalation, "Null if no policy applies, and once the incident is over"),
  pagesWait: Schema.Boolean.annotations({
    description: "Whether what is planned waits: for a mute, maintenance, or a monitor that this one depends on"
  })
}).annotations({ identifier: "IncidentPagings" })
export type IncidentPagings = typeof IncidentPagings.Type

/** A person's ways as those see them who may, and the key by which a browser subscribes. */
export const ContactWays = Schema.Struct({
  data: Schema.Array(ContactWay).annotations({ description: "Email first, then the others, oldest first" }),
  next: Schema.Null,
  kinds: Schema.Array(AddedWayKind).annotations({
    description: "The kinds beside email that can be added here",
    examples: [["push", "sms", "voice"]]
  }),
  pushKey: orNull(
    textLike("BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"),
    "Key of this server for push subscriptions (applicationServerKey), base64url; null if it pushes nothing"
  )
}).annotations({ identifier: "ContactWays" })
export type ContactWays = typeof ContactWays.Type

export const VerifyWayInput = Schema.Struct({
  code: optional(text(20), "Without it a new one is sent", "123456")
}).annotations({ identifier: "VerifyWayInput" })
export type VerifyWayInput = typeof VerifyWayInput.Type

export const WayTest = Schema.Struct({
  delivered: Schema.Boolean.annotations({ description: "Whether the service took the message" }),
  error: fromTarget(Schema.NullOr(Schema.String)).annotations({ description: "Why not; null if it did" }),
  latencyMs: Schema.Int.annotations({ description: "Duration of the attempt" })
}).annotations({ identifier: "WayTest" })
export type WayTest = typeof WayTest.Type
