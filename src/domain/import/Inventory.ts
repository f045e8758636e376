/** The findings of an import, in Belltower's terms. */
import type { DateTime } from "effect"
import type { ChannelInput } from "../../../schema/alert/Channel.ts"
import type { ComponentInput, ComponentStatus } from "../../../schema/component/Component.ts"
import type { Incident, IncidentUpdate } from "../../../schema/incident/Incident.ts"
import type { MonitorInput } from "../../../schema/monitor/Monitor.ts"
import type { PageInput } from "../../../schema/page/Page.ts"
import type { GroupEntry, PolicyEntry, ScheduleEntry, TemplateEntry } from "../../../schema/plan/WorkspaceDocument.ts"

interface Found {
  /** Names it in previews, exclusions and later imports: the same at every read. */
  readonly ref: string
  readonly name: string
  /** The parts that cannot be carried, and those changed to fit. */
  readonly notes: ReadonlyArray<string>
}

export interface FoundMonitor extends Found {
  /** Null if it cannot be carried at all; the notes say why. */
  readonly input: MonitorInput | null
  /** The channels that it alerts; null if the source leaves that to a default or does not say. */
  readonly channelRefs: ReadonlyArray<string> | null
  /** The monitors that it needs, which come before it. */
  readonly dependsOnRefs?: ReadonlyArray<string>
}

export interface FoundChannel extends Found {
  readonly input: ChannelInput | null
}

export interface FoundComponent extends Found {
  readonly input: ComponentInput | null
  readonly monitorRefs: ReadonlyArray<string>
  /** The key of a manifest monitor that it follows; null if none mirrors its source. */
  readonly manifest: { readonly monitorRef: string; readonly key: string } | null
  /** The status that its source shows, for components that no monitor observes. */
  readonly status: ComponentStatus | null
}

export interface FoundPage extends Found {
  readonly input: PageInput | null
  /** The groups in order; empty if the components name all there is to know. */
  readonly groups?: ReadonlyArray<GroupEntry>
  readonly components: ReadonlyArray<FoundComponent>
}

export type FoundUpdate = Pick<IncidentUpdate, "status" | "body" | "at">

/** A past or open incident, or a maintenance window. */
export interface FoundIncident
  extends Found, Pick<Incident, "kind" | "status" | "impact" | "startedAt" | "resolvedAt" | "scheduledStart" | "scheduledEnd">
{
  readonly pageRefs: ReadonlyArray<string>
  /** How the window comes again; null if it does not. `firstStart` has its clock time and begins its counting. */
  readonly series: { readonly rule: string; readonly timezone: string; readonly firstStart: DateTime.Utc } | null
  readonly components: ReadonlyArray<{ readonly ref: string; readonly status: ComponentStatus }>
  /** Oldest first. */
  readonly updates: ReadonlyArray<FoundUpdate>
}

interface FoundEntry extends Found {
  /** Null if the workspace has no room for it; the notes say why. */
  readonly input?: null
}

/** An on-call schedule; its participants are addresses of members. */
export interface FoundSchedule extends FoundEntry {
  readonly entry: ScheduleEntry
}

/** An escalation policy. Its keys are refs without their kind. */
export interface FoundPolicy extends FoundEntry {
  readonly entry: PolicyEntry
}

/** An incident template. Its components are refs without their kind. */
export interface FoundTemplate extends FoundEntry {
  readonly entry: TemplateEntry
}

export interface Inventory {
  readonly monitors: ReadonlyArray<FoundMonitor>
  readonly channels: ReadonlyArray<FoundChannel>
  readonly pages: ReadonlyArray<FoundPage>
  readonly incidents: ReadonlyArray<FoundIncident>
  readonly schedules: ReadonlyArray<FoundSchedule>
  readonly policies: ReadonlyArray<FoundPolicy>
  readonly templates: ReadonlyArray<FoundTemplate>
  /** On things that are not carried and belong to none of the above. */
  readonly warnings: ReadonlyArray<string>
}

export const emptyInventory: Inventory = {
  monitors: [],
  channels: [],
  pages: [],
  incidents: [],
  schedules: [],
  policies: [],
  templates: [],
  warnings: []
}
