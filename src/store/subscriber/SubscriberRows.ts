/** The row of a subscriber: its record, its secrets, and the inputs of its next step. */
import type { SqlClient, Statement } from "@effect/sql"
import { Schema } from "effect"
import { ComponentId, IncidentId, PageId, SubscriberId, WorkspaceId } from "../../../schema/Ids.ts"
import { mask } from "../../../schema/Mask.ts"
import { Language } from "../../../schema/page/Page.ts"
import { type Subscriber, SubscriberStatus, SubscriberType, SubscriptionKind } from "../../../schema/subscriber/Subscriber.ts"

export const SubscriberRow = Schema.Struct({
  id: SubscriberId,
  workspaceId: WorkspaceId,
  pageId: PageId,
  type: SubscriberType,
  status: SubscriberStatus,
  language: Language,
  email: Schema.NullOr(Schema.String),
  host: Schema.NullOr(Schema.String),
  sealed: Schema.String,
  componentIds: Schema.Array(ComponentId),
  kinds: Schema.Array(SubscriptionKind),
  incidentId: Schema.NullOr(IncidentId),
  incidentEndedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** Whether its target may be at a private address that all workspaces reach. */
  reachesPrivate: Schema.Boolean,
  agent: Schema.NullOr(Schema.String),
  deadDeliveries: Schema.Int,
  isGone: Schema.Boolean,
  createdAt: Schema.DateTimeUtcFromDate,
  updatedAt: Schema.DateTimeUtcFromDate
})
export type SubscriberRow = typeof SubscriberRow.Type

/**
 * The columns of a row; the table's alias is `s`. The end of a subscription's incident is known from the incident itself, since
 * subscribers are not notified of each end, and by `incident_ended_at` if they were notified later.
 */
export const subscriberColumns = `
  s.id, s.workspace_id as "workspaceId", s.page_id as "pageId", s.type, s.status, s.language, s.email, s.host, s.sealed,
  s.component_ids as "componentIds", s.kinds, s.incident_id as "incidentId", coalesce(s.incident_ended_at, (
    select i.resolved_at from incidents i where i.id = s.incident_id and i.workspace_id = s.workspace_id
  )) as "incidentEndedAt", s.reaches_private as "reachesPrivate", s.agent,
  s.dead_deliveries as "deadDeliveries", s.is_gone as "isGone", s.created_at as "createdAt", s.updated_at as "updatedAt"`

/** The columns that the delivery of an event needs: it reads tens of thousands of rows. */
export const ReachedRow = SubscriberRow.pick(
  "id",
  "type",
  "language",
  "email",
  "host",
  "sealed",
  "componentIds",
  "kinds",
  "incidentId",
  "reachesPrivate"
)
export type ReachedRow = typeof ReachedRow.Type

/** The columns of such a row; the table's alias is `s`. */
export const reachedColumns = `
  s.id, s.type, s.language, s.email, s.host, s.sealed, s.component_ids as "componentIds", s.kinds,
  s.incident_id as "incidentId", s.reaches_private as "reachesPrivate"`

/**
 * Whether a subscriber may hear of the page, a condition of queries whose alias of subscribers is `s`: of a private page, those whose
 * address is a member's, and those who subscribed with its present password. The page's columns are read once, not for each row.
 */
export const mayHear = (sql: SqlClient.SqlClient, pageId: PageId): Statement.Fragment =>
  sql`((select visibility = 'public' from pages where id = ${pageId})
    or s.knew_password and (select password_set_at from pages where id = ${pageId}) <= s.created_at
    or s.type = 'email' and exists (
      select from users u join memberships m on m.user_id = u.id
      where u.email = s.email and m.workspace_id = s.workspace_id
    ))`

/** The record: a URL may be a secret as a whole, so only its origin is shown. */
export const subscriberOf = (row: SubscriberRow): Subscriber => ({
  id: row.id,
  type: row.type,
  status: row.status,
  pageId: row.pageId,
  email: row.email,
  url: row.host === null ? null : `${row.host}/${mask}`,
  components: row.componentIds,
  kinds: row.kinds,
  incident: row.incidentId,
  language: row.language,
  agent: row.agent,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt
})

export const SubscriberSecrets = Schema.parseJson(
  Schema.Struct({ url: Schema.NullOr(Schema.String), signing: Schema.NullOr(Schema.String), manage: Schema.String })
)
export type SubscriberSecrets = typeof SubscriberSecrets.Type
