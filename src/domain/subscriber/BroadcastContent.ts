/** The message to a page's subscribers about an event: fixed once, in each language, so that retries send the same. */
import { Schema } from "effect"
import { EffectiveStatus } from "../../../schema/component/Component.ts"
import { EventType } from "../../../schema/event/Event.ts"
import { optional } from "../../../schema/Fields.ts"
import { EventId, PageId } from "../../../schema/Ids.ts"
import { PublicIncident, PublicUpdate } from "../../../schema/incident/Incident.ts"
import type { Language } from "../../../schema/page/Page.ts"

const BroadcastPage = Schema.Struct({
  id: PageId,
  slug: Schema.String,
  name: Schema.String,
  url: Schema.String,
  status: EffectiveStatus,
  statusText: Schema.String,
  api: Schema.String
})

/** The message for people, whose titles and facts are in the subscriber's language. */
const Told = Schema.Struct({
  title: Schema.String,
  text: Schema.String,
  facts: Schema.Array(Schema.Struct({ label: Schema.String, value: Schema.String })),
  link: Schema.String
})

const Content = Schema.Struct({
  page: BroadcastPage,
  data: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  told: Told
})
export type Content = typeof Content.Type

/** Of `incident.*` and `maintenance.*`, as webhooks receive it. */
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
  news: Schema.Struct({
    audience: Schema.Literal("all", "webhooks"),
    incidentId: Schema.NullOr(Schema.String),
    isAfterEnd: Schema.Boolean,
    componentIds: Schema.Array(Schema.String)
  }),
  /** Whether the event ends its incident. */
  ends: Schema.Boolean,
  byLanguage: Schema.Record({ key: Schema.String, value: Content })
})
export type BroadcastContents = typeof BroadcastContents.Type

/** A language that nobody had when the event went out falls back to English, which is always there. */
export const contentIn = ({ byLanguage }: BroadcastContents, language: Language): Content | undefined =>
  byLanguage[language] ?? byLanguage.en
