/** Escalation policies: who is paged about an incident, level by level, until someone acknowledges it. */
import { Schema } from "effect"
import { list, name, optional, textLike, Timestamp, whole } from "../Fields.ts"
import { ChannelId, MonitorId, PageId, PolicyId, ScheduleId, UserId } from "../Ids.ts"
import { pagingWarnings } from "./Schedule.ts"
import { Urgency } from "./Way.ts"

export const EscalationTarget = Schema.Union(
  Schema.Struct({ type: Schema.Literal("channel"), id: ChannelId }),
  Schema.Struct({ type: Schema.Literal("schedule"), id: ScheduleId }),
  Schema.Struct({ type: Schema.Literal("user"), id: UserId })
).annotations({
  identifier: "EscalationTarget",
  description: "An alert channel, the person on call of a schedule, or a member; people are paged by their contact ways"
})
export type EscalationTarget = typeof EscalationTarget.Type

export const EscalationLevel = Schema.Struct({
  afterMinutes: whole(0, 1440).annotations({
    description: "Since the level before, unacknowledged"
  }),
  urgency: optional(Urgency, "Default by the incident"),
  targets: list(EscalationTarget, 20).pipe(Schema.minItems(1)).annotations({ description: "Who is paged" })
}).annotations({ identifier: "EscalationLevel" })
export type EscalationLevel = typeof EscalationLevel.Type

const policyName = name(80).annotations({ examples: ["Platform"] })
const levels = list(EscalationLevel, 10).pipe(Schema.minItems(1)).annotations({
  description: "In the order of paging"
})

const settings = {
  isDefault: optional(Schema.Boolean, "For all other incidents"),
  monitorIds: optional(list(MonitorId, 250), "Monitors whose incidents it escalates"),
  pageIds: optional(list(Schema.String, 20), "Ids or slugs of pages whose incidents it escalates", ["acme"]),
  repeat: optional(whole(0, 5), "Repetitions of all levels; default 0"),
  repeatAfterMinutes: optional(whole(1, 1440), "Default 30")
}

export const PolicyInput = Schema.Struct({ name: policyName, levels, ...settings }).annotations({
  identifier: "EscalationPolicyInput"
})
export type PolicyInput = typeof PolicyInput.Type

export const PolicyUpdate = Schema.Struct({ name: optional(policyName), levels: optional(levels), ...settings }).annotations({
  identifier: "EscalationPolicyUpdate"
})
export type PolicyUpdate = typeof PolicyUpdate.Type

export const policyFields = {
  id: PolicyId,
  name: textLike("Platform"),
  isDefault: Schema.Boolean,
  monitorIds: Schema.Array(MonitorId),
  pageIds: Schema.Array(PageId),
  levels: Schema.Array(EscalationLevel).annotations({ description: "In the order of paging" }),
  repeat: Schema.Int,
  repeatAfterMinutes: Schema.Int,
  createdAt: Timestamp,
  updatedAt: Timestamp
}

const StoredPolicy = Schema.Struct(policyFields)
export type StoredPolicy = typeof StoredPolicy.Type

export const Policy = Schema.Struct({ ...policyFields, warnings: pagingWarnings }).annotations({
  identifier: "EscalationPolicy"
})
export type Policy = typeof Policy.Type
