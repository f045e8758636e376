/** Resource ids: a prefix and a UUIDv7 as 26 lowercase Crockford base32 characters, so that ids sort by creation time. */
import { Schema } from "effect"

/** Shared by all ids, so that the examples of related records refer to each other. */
const example = "01k9x2m4q8e7s9v3bthn5wza6c"

/** Names the prefixes of the ids that a field takes. */
export const IdPrefixes = Symbol.for("belltower/IdPrefixes")

const nouns = new Map<string, string>()

/** The noun, with its article, for ids of a prefix; undefined if there are no such ids. */
export const nounOf = (prefix: string): string | undefined => nouns.get(prefix)

const id = <Brand extends string>(brand: Brand, prefix: string, noun: string) => {
  nouns.set(prefix, noun)
  const description = `Starts with ${prefix}_ and sorts by creation time`
  const examples = [`${prefix}_${example}`] as const
  return Schema.String.annotations({ examples }).pipe(
    Schema.brand(brand),
    Schema.annotations({
      identifier: brand,
      description,
      jsonSchema: { type: "string", minLength: 1, description, examples },
      [IdPrefixes]: [prefix]
    })
  )
}

export const MonitorId = id("MonitorId", "mon", "a monitor")
export type MonitorId = typeof MonitorId.Type
export const CheckId = id("CheckId", "chk", "a check")
export type CheckId = typeof CheckId.Type
export const RunId = id("RunId", "run", "a run of a job")
export type RunId = typeof RunId.Type
export const PageId = id("PageId", "pg", "a status page")
export type PageId = typeof PageId.Type
export const ComponentId = id("ComponentId", "cmp", "a component")
export type ComponentId = typeof ComponentId.Type
export const GroupId = id("GroupId", "grp", "a component group")
export type GroupId = typeof GroupId.Type
export const IncidentId = id("IncidentId", "inc", "an incident")
export type IncidentId = typeof IncidentId.Type
export const UpdateId = id("UpdateId", "upd", "an incident update")
export type UpdateId = typeof UpdateId.Type
export const TemplateId = id("TemplateId", "tpl", "an incident template")
export type TemplateId = typeof TemplateId.Type
export const SubscriberId = id("SubscriberId", "sub", "a subscriber")
export type SubscriberId = typeof SubscriberId.Type
export const ChannelId = id("ChannelId", "ch", "an alert channel")
export type ChannelId = typeof ChannelId.Type
export const EventId = id("EventId", "evt", "an event")
export type EventId = typeof EventId.Type
export const WorkspaceId = id("WorkspaceId", "ws", "a workspace")
export type WorkspaceId = typeof WorkspaceId.Type
export const ApiKeyId = id("ApiKeyId", "key", "an API key")
export type ApiKeyId = typeof ApiKeyId.Type
export const DeliveryId = id("DeliveryId", "dlv", "a delivery")
export type DeliveryId = typeof DeliveryId.Type
export const ScheduleId = id("ScheduleId", "sch", "an on-call schedule")
export type ScheduleId = typeof ScheduleId.Type
export const OverrideId = id("OverrideId", "ovr", "an on-call override")
export type OverrideId = typeof OverrideId.Type
export const PolicyId = id("PolicyId", "pol", "an escalation policy")
export type PolicyId = typeof PolicyId.Type
export const WayId = id("WayId", "way", "a contact way")
export type WayId = typeof WayId.Type
export const PagingId = id("PagingId", "pgn", "a page to a person")
export type PagingId = typeof PagingId.Type
export const DrillId = id("DrillId", "drl", "a drill")
export type DrillId = typeof DrillId.Type
export const DocumentId = id("DocumentId", "doc", "a document")
export type DocumentId = typeof DocumentId.Type
export const DeployId = id("DeployId", "dep", "a deploy marker")
export type DeployId = typeof DeployId.Type
export const ImageId = id("ImageId", "img", "an image")
export type ImageId = typeof ImageId.Type
export const MuteId = id("MuteId", "mute", "a mute")
export type MuteId = typeof MuteId.Type
export const UserId = id("UserId", "usr", "a person")
export type UserId = typeof UserId.Type
export const SessionId = id("SessionId", "ses", "a session")
export type SessionId = typeof SessionId.Type
export const InvitationId = id("InvitationId", "inv", "an invitation")
export type InvitationId = typeof InvitationId.Type
export const ImportId = id("ImportId", "imp", "an import job")
export type ImportId = typeof ImportId.Type
export const PlanId = id("PlanId", "plan", "a plan")
export type PlanId = typeof PlanId.Type
export const AuditId = id("AuditId", "aud", "an audit log entry")
export type AuditId = typeof AuditId.Type
export const MailId = id("MailId", "mail", "an email")
export type MailId = typeof MailId.Type
export const ProbeId = id("ProbeId", "prb", "a probe")
export type ProbeId = typeof ProbeId.Type
export const ProbeTokenId = id("ProbeTokenId", "prt", "a token for probes")
export type ProbeTokenId = typeof ProbeTokenId.Type
