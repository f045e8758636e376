/** The ids of every resource: a prefix and the 26 lowercase Crockford base32 characters of a UUIDv7, so they sort by time. */
import { Schema } from "effect"

const id = <Brand extends string>(brand: Brand, prefix: string) =>
  Schema.String.pipe(
    Schema.brand(brand),
    Schema.annotations({ identifier: brand, description: `Starts with ${prefix}_ and sorts by time of creation` })
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
