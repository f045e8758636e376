/** Resource ids: a prefix and a UUIDv7 as 26 lowercase Crockford base32 characters, so that ids sort by creation time. */
import { Schema } from "effect"

/** Shared by all ids, so that the examples of related records refer to each other. */
const example = "01k9x2m4q8e7s9v3bthn5wza6c"

const id = <Brand extends string>(brand: Brand, prefix: string) =>
  Schema.String.annotations({ examples: [`${prefix}_${example}`] }).pipe(
    Schema.brand(brand),
    Schema.annotations({ identifier: brand, description: `Starts with ${prefix}_ and sorts by creation time` })
  )

export const MonitorId = id("MonitorId", "mon")
export type MonitorId = typeof MonitorId.Type
export const CheckId = id("CheckId", "chk")
export type CheckId = typeof CheckId.Type
export const PageId = id("PageId", "pg")
export type PageId = typeof PageId.Type
export const ComponentId = id("ComponentId", "cmp")
export type ComponentId = typeof ComponentId.Type
export const GroupId = id("GroupId", "grp")
export type GroupId = typeof GroupId.Type
export const IncidentId = id("IncidentId", "inc")
export type IncidentId = typeof IncidentId.Type
export const UpdateId = id("UpdateId", "upd")
export type UpdateId = typeof UpdateId.Type
export const TemplateId = id("TemplateId", "tpl")
export type TemplateId = typeof TemplateId.Type
export const ChannelId = id("ChannelId", "ch")
export type ChannelId = typeof ChannelId.Type
export const EventId = id("EventId", "evt")
export type EventId = typeof EventId.Type
export const WorkspaceId = id("WorkspaceId", "ws")
export type WorkspaceId = typeof WorkspaceId.Type
export const ApiKeyId = id("ApiKeyId", "key")
export type ApiKeyId = typeof ApiKeyId.Type
export const DeliveryId = id("DeliveryId", "dlv")
export type DeliveryId = typeof DeliveryId.Type
export const UserId = id("UserId", "usr")
export type UserId = typeof UserId.Type
export const SessionId = id("SessionId", "ses")
export type SessionId = typeof SessionId.Type
export const InvitationId = id("InvitationId", "inv")
export type InvitationId = typeof InvitationId.Type
export const AuditId = id("AuditId", "aud")
export type AuditId = typeof AuditId.Type
export const MailId = id("MailId", "mail")
export type MailId = typeof MailId.Type
