/** A workspace as one document: the language of exports, imports and plans. Things are named by keys, never by ids. */
import { Schema, Struct } from "effect"
import { ChannelInput } from "../alert/Channel.ts"
import { ComponentInput, ComponentKey } from "../component/Component.ts"
import { list, name, optional, text } from "../Fields.ts"
import { TemplateInput } from "../incident/Template.ts"
import { MonitorInput } from "../monitor/Monitor.ts"
import { EscalationLevel, PolicyInput } from "../oncall/Policy.ts"
import { inTurn, layerInput, layersOf } from "../oncall/Rotation.ts"
import { OverrideInput, ScheduleInput } from "../oncall/Schedule.ts"
import { PageInput } from "../page/Page.ts"
import { EmailAddress } from "../people/Person.ts"

export const DocumentKind = Schema.Literal("channel", "schedule", "monitor", "page", "component", "policy", "template")
export type DocumentKind = typeof DocumentKind.Type

const key = ComponentKey.annotations({
  description: "Names it in the document and stays the same when the name changes",
  examples: ["checkout"]
})

const keys = (what: string, max: number) =>
  list(key, max).annotations({ description: `Keys of ${what}`, examples: [["checkout"]] })

const email = EmailAddress.annotations({ description: "Address of a member" })

export const MonitorEntry = Schema.Struct({
  key,
  ...Struct.omit(MonitorInput.fields, "channelIds", "dependsOn"),
  channels: optional(keys("its alert channels; default those with isDefault", 50)),
  dependsOn: optional(keys("monitors that it needs: while one is down, its alerts wait", 10))
}).annotations({ identifier: "MonitorEntry" })
export type MonitorEntry = typeof MonitorEntry.Type

export const ChannelEntry = Schema.Struct({
  key,
  ...Struct.omit(ChannelInput.fields, "attachExisting")
}).annotations({ identifier: "ChannelEntry" })
export type ChannelEntry = typeof ChannelEntry.Type

export const ComponentEntry = Schema.Struct({
  key,
  ...Struct.omit(ComponentInput.fields, "key", "group", "monitorIds", "manifest", "order"),
  group: optional(text(80), "Name of its group", "Shop"),
  monitors: optional(keys("monitors that determine the status", 20)),
  manifest: optional(
    Schema.Struct({ monitor: key, key: text(120).annotations({ examples: ["api"] }) }),
    "Manifest monitor, and the entry of its document that determines the status"
  )
}).annotations({ identifier: "ComponentEntry" })
export type ComponentEntry = typeof ComponentEntry.Type

const GroupEntry = Schema.Struct({
  name: name(80).annotations({ examples: ["Shop"] }),
  description: optional(text(300), "Text below the name"),
  collapsed: optional(Schema.Boolean, "Whether it is folded until a visitor opens it")
})
export type GroupEntry = typeof GroupEntry.Type

export const PageEntry = Schema.Struct({
  key,
  ...PageInput.fields,
  groups: optional(list(GroupEntry, 1000), "Groups in order; absent leaves them as they are"),
  components: optional(list(ComponentEntry, 1000), "Components in order; absent leaves them as they are")
}).annotations({ identifier: "PageEntry" })
export type PageEntry = typeof PageEntry.Type

const OverrideEntry = Schema.Struct({
  user: email,
  insteadOf: optional(EmailAddress, "Address of the member whose place alone it takes"),
  ...Struct.omit(OverrideInput.fields, "userId", "insteadOf")
})
export type OverrideEntry = typeof OverrideEntry.Type

const LayerEntry = Schema.Struct({ ...layerInput, participants: inTurn(email, "Addresses of members") })

export const ScheduleEntry = Schema.Struct({
  key,
  ...Struct.omit(ScheduleInput.fields, "participants", "layers"),
  participants: inTurn(email, "Addresses of members"),
  layers: optional(layersOf(LayerEntry)),
  overrides: optional(
    list(OverrideEntry, 1000),
    "Overrides that have not ended; of two that overlap, the later in the list wins. Absent leaves them as they are; those that have ended are left out"
  )
}).annotations({ identifier: "ScheduleEntry" })
export type ScheduleEntry = typeof ScheduleEntry.Type

const TargetEntry = Schema.Union(
  Schema.Struct({ channel: key }),
  Schema.Struct({ schedule: key }),
  Schema.Struct({ user: email })
)
export type TargetEntry = typeof TargetEntry.Type

const LevelEntry = Schema.Struct({
  ...Struct.omit(EscalationLevel.fields, "targets"),
  targets: list(TargetEntry, 20).pipe(Schema.minItems(1)).annotations({
    description: "Who is paged: the key of a channel or a schedule, or the address of a member"
  })
})

export const PolicyEntry = Schema.Struct({
  key,
  ...Struct.omit(PolicyInput.fields, "levels", "monitorIds", "pageIds"),
  levels: list(LevelEntry, 10).pipe(Schema.minItems(1)).annotations({
    description: "In the order of paging"
  }),
  monitors: optional(keys("monitors whose incidents it applies to", 250)),
  pages: optional(keys("pages whose incidents it applies to", 20))
}).annotations({ identifier: "PolicyEntry" })
export type PolicyEntry = typeof PolicyEntry.Type

export const TemplateEntry = Schema.Struct({
  key,
  ...Struct.omit(TemplateInput.fields, "componentIds"),
  components: optional(
    list(Schema.Struct({ page: key, component: key }), 200),
    "Components to use by default: the key of each on its page"
  )
}).annotations({ identifier: "TemplateEntry" })
export type TemplateEntry = typeof TemplateEntry.Type

export const mostEntries = 10_000

/** A section that is absent is left as it is. */
export const WorkspaceDocument = Schema.Struct({
  version: optional(Schema.Literal(1), "Version of the format"),
  channels: optional(list(ChannelEntry, mostEntries), "Alert channels"),
  schedules: optional(list(ScheduleEntry, mostEntries), "On-call schedules"),
  monitors: optional(list(MonitorEntry, mostEntries), "Monitors"),
  pages: optional(list(PageEntry, mostEntries), "Status pages"),
  policies: optional(list(PolicyEntry, mostEntries), "Escalation policies"),
  templates: optional(list(TemplateEntry, mostEntries), "Incident templates")
}).annotations({
  identifier: "WorkspaceDocument",
  description: "The configuration of a workspace. Secrets are [hidden], which keeps the stored value where one exists"
})
export type WorkspaceDocument = typeof WorkspaceDocument.Type
