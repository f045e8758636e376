/** The message to a page's subscribers about an event: fixed once, in each language, so that retries send the same. */
import { Schema } from "effect"
import { EffectiveStatus } from "../../../schema/component/Component.ts"
import { EventType } from "../../../schema/event/Event.ts"
import { optional } from "../../../schema/Fields.ts"
import { EventId, PageId } from "../../../schema/Ids.ts"
import { PublicIncident, PublicUpdate } from "../../../schema/incident/Incident.ts"
import type { Language } from "../../../schema/page/Page.ts"
import type { SubscriberType, SubscriptionKind } from "../../../schema/subscriber/Subscriber.ts"
import { MailLook } from "../page/MailLook.ts"

const BroadcastPage = Schema.Struct({
  id: PageId,
  slug: Schema.String,
  name: Schema.String,
  url: Schema.String,
  status: EffectiveStatus,
  statusText: Schema.String,
  api: Schema.String
})

const Content = Schema.Struct({
  page: BroadcastPage,
  data: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  /** The message for people, whose titles and facts are in the subscriber's language. */
  told: Schema.Struct({
    title: Schema.String,
    /** The update, as Markdown. */
    text: Schema.String,
    /** Sentences of the service about it: its time, and what is affected. Missing in what an older release wrote. */
    notes: optional(Schema.Array(Schema.String)),
    facts: Schema.Array(Schema.Struct({ label: Schema.String, value: Schema.String })),
    link: Schema.String
  })
})
export type Content = typeof Content.Type

/** The data of `incident.*` and `maintenance.*`, as webhooks receive it. */
export const IncidentData = Schema.Struct({
  incident: PublicIncident,
  update: PublicUpdate.pipe(Schema.omit("public")),
  durationMinutes: optional(Schema.Int),
  durationText: optional(Schema.String)
})

export const BroadcastContents = Schema.Struct({
  id: EventId,
  type: EventType,
  timestamp: Schema.String,
  tone: Schema.Literal("down", "degraded", "good", "notice"),
  /** The facts that decide which subscribers receive the event. */
  news: Schema.Struct({
    audience: Schema.Literal("all", "webhooks"),
    /** Null if it is not about an incident. */
    incidentId: Schema.NullOr(Schema.String),
    /** True if the incident had ended before, such as when its postmortem is published. */
    isAfterEnd: Schema.Boolean,
    /** The components of the page that it concerns; none means the page as a whole. */
    componentIds: Schema.Array(Schema.String)
  }),
  /** True if the event ends its incident. */
  ends: Schema.Boolean,
  /** The look of mails. Missing in what an older release wrote. */
  look: optional(MailLook),
  /** The span of the event, if its trace is recorded. */
  traceparent: optional(Schema.String),
  byLanguage: Schema.Record({ key: Schema.String, value: Content })
})
export type BroadcastContents = typeof BroadcastContents.Type

/** A language that nobody had when the event went out falls back to English, which is always there. */
export const contentIn = ({ byLanguage }: BroadcastContents, language: Language): Content | undefined =>
  byLanguage[language] ?? byLanguage.en

interface Interest {
  readonly type: SubscriberType
  /** Empty for all components. */
  readonly componentIds: ReadonlyArray<string>
  /** Empty for all kinds. */
  readonly kinds: ReadonlyArray<SubscriptionKind>
  /** The only incident; null for all. */
  readonly incidentId: string | null
}

/** The kinds of news that a subscriber chooses among. An update after the end of an incident is its postmortem. */
export const kindOf = ({ news, type }: Pick<BroadcastContents, "news" | "type">): SubscriptionKind => {
  if (type.startsWith("component.")) return "components"
  if (type.startsWith("maintenance.")) return "maintenance"
  return news.isAfterEnd ? "postmortems" : "incidents"
}

/** True if a subscriber receives an event, by the event's audience, kind, incident and components. */
export const hears = (
  { componentIds, incidentId, kinds, type }: Interest,
  contents: Pick<BroadcastContents, "news" | "type">
): boolean => {
  const { news } = contents
  if (kinds.length > 0 && !kinds.includes(kindOf(contents))) return false
  if (news.audience === "webhooks" && type !== "webhook") return false
  if (incidentId !== null && (incidentId !== news.incidentId || news.isAfterEnd)) return false
  return componentIds.length === 0 || news.componentIds.length === 0 || news.componentIds.some((id) => componentIds.includes(id))
}
