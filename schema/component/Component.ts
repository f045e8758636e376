/** A component of a status page: what visitors see, and the source of its status. */
import { Schema } from "effect"
import { formed, fromTarget, list, name, optional, orNull, text, textLike, Timestamp, whole } from "../Fields.ts"
import { ComponentId, GroupId, MonitorId, PageId } from "../Ids.ts"

export const ComponentStatus = Schema.Literal("operational", "degraded", "partial_outage", "major_outage", "maintenance")
export type ComponentStatus = typeof ComponentStatus.Type

/** The status a component shows. `unknown` means that no report has arrived yet, or none recently enough. */
export const EffectiveStatus = Schema.Literal(...ComponentStatus.literals, "unknown")
export type EffectiveStatus = typeof EffectiveStatus.Type

export const Aggregate = Schema.Literal("worst", "majority")
export type Aggregate = typeof Aggregate.Type

export const ComponentKey = formed(
  /^[a-z0-9][a-z0-9_.-]{0,62}$/,
  "Expected lower-case letters, digits, dots, hyphens and underscores, at most 63, such as checkout",
  "checkout"
)

const ManifestSource = Schema.Struct({
  monitorId: MonitorId,
  key: text(120).annotations({ description: "Key or name", examples: ["checkout"] })
})

const settings = {
  key: optional(ComponentKey, "Default a slug of the name"),
  description: optional(Schema.NullOr(text(500))),
  group: optional(Schema.NullOr(text(80)), "Name or id; created if it does not exist"),
  monitorIds: optional(list(MonitorId, 20), "Monitors that set the status", [
    MonitorId.make("mon_01k9x2m4q8e7s9v3bthn5wza6c")
  ]),
  aggregate: optional(Aggregate),
  push: optional(Schema.Boolean, "Whether pushes to pushUrl set the status"),
  pushTtlSec: optional(
    Schema.NullOr(whole(60, 604_800)),
    "Unknown after so long without a push"
  ),
  manual: optional(Schema.Boolean),
  manifest: optional(Schema.NullOr(ManifestSource), "Entry of a manifest monitor that sets the status", {
    monitorId: MonitorId.make("mon_01k9x2m4q8e7s9v3bthn5wza6c"),
    key: "api"
  }),
  showUptime: optional(Schema.Boolean),
  showResponseTimes: optional(Schema.Boolean),
  hidden: optional(Schema.Boolean),
  order: optional(whole(0, 10_000)),
  confirmations: optional(
    whole(1, 10),
    "Worse reports before one takes effect; default 2"
  )
}

export const ComponentInput = Schema.Struct({
  name: name(100).annotations({ examples: ["Checkout"] }),
  ...settings
}).annotations({ identifier: "ComponentInput" })
export type ComponentInput = typeof ComponentInput.Type

export const ComponentUpdate = Schema.Struct({
  name: optional(name(100).annotations({ examples: ["Checkout"] })),
  ...settings
}).annotations({ identifier: "ComponentUpdate" })
export type ComponentUpdate = typeof ComponentUpdate.Type

export const OverrideInput = Schema.Struct({
  status: orNull(
    ComponentStatus,
    "null clears the override",
    "operational"
  ),
  reason: optional(text(300), "Note for the team", "False alarm")
}).annotations({ identifier: "OverrideInput" })
export type OverrideInput = typeof OverrideInput.Type

export const Component = Schema.Struct({
  id: ComponentId,
  pageId: PageId,
  name: textLike("Checkout"),
  key: textLike("checkout"),
  description: Schema.NullOr(Schema.String),
  group: Schema.NullOr(GroupId),
  monitorIds: Schema.Array(MonitorId).annotations({ description: "Monitors that the status follows" }),
  aggregate: Aggregate,
  push: Schema.Boolean,
  pushTtlSec: Schema.NullOr(Schema.Int),
  pushUrl: orNull(
    Schema.String,
    "URL to push the status to. Keep it secret: its token is the only credential. Null for callers with a read-only key"
  ),
  manifest: Schema.NullOr(ManifestSource),
  confirmations: Schema.Int,
  manual: Schema.Boolean,
  showUptime: Schema.Boolean,
  showResponseTimes: Schema.Boolean,
  hidden: Schema.Boolean,
  order: Schema.Int,
  status: EffectiveStatus,
  statusMessage: fromTarget(Schema.NullOr(Schema.String)).annotations({
    description: "Message of the report that set the status"
  }),
  override: orNull(
    Schema.Struct({ status: ComponentStatus, reason: orNull(Schema.String, "Why it was set; null if nobody said") }),
    "Status that a person has fixed; null without one",
    null
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotations({ identifier: "Component" })
export type Component = typeof Component.Type
