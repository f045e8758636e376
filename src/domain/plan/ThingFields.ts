/** The things of a workspace as documents write them: references are keys, and defaults are filled in. */
import { DateTime, Struct } from "effect"
import type { Channel } from "../../../schema/alert/Channel.ts"
import type { Layer } from "../../../schema/oncall/Rotation.ts"
import type { Override } from "../../../schema/oncall/Schedule.ts"
import type { Page } from "../../../schema/page/Page.ts"
import type { GroupEntry, PolicyEntry } from "../../../schema/plan/WorkspaceDocument.ts"
import { type ComponentSettings, defaultConfirmations } from "../component/ComponentSettings.ts"
import type { TemplateSettings } from "../incident/IncidentTemplate.ts"
import { isProbed } from "../monitor/kinds.ts"
import type { MonitorSettings } from "../monitor/settings/MonitorSettings.ts"
import type { PageFields } from "../page/PageEdit.ts"
import { type Fields, withoutEmpty } from "./FieldChanges.ts"

/** The key of a thing by its id; undefined for one that is gone. */
type KeyOf = (id: string) => string | undefined

export const keysOf = (ids: ReadonlyArray<string>, keyOf: KeyOf): ReadonlyArray<string> => ids.flatMap((id) => keyOf(id) ?? [])

/** `channels` and `dependsOn` are keys; null leaves the channels to the default. Without repetitions, `confirmAfterSec` is 0. */
export const monitorFields = (
  settings: MonitorSettings,
  channels: ReadonlyArray<string> | null,
  dependsOn: ReadonlyArray<string>
): Fields => {
  const { channelIds: _, dependsOn: __, secrets, target, ...others } = settings
  const confirmAfterSec = isProbed(target) ? others.confirmAfterSec ?? 0 : null
  // The period that is stored with a schedule stands for it in earlier releases.
  const rhythm = target.kind === "heartbeat" && (target.schedule ?? null) !== null ? { periodSec: null } : {}
  const fields = { ...others, ...target, ...rhythm, ...secrets, confirmAfterSec }
  return withoutEmpty({ ...fields, dependsOn, ...(channels === null ? {} : { channels }) }, ["channels"])
}

/** The settings of a channel as its record shows them. */
export const channelFields = (channel: Omit<Channel, "id" | "problem" | "createdAt" | "updatedAt">): Fields =>
  withoutEmpty({ ...channel })

export interface PageSettled extends PageFields {
  /** The mask for a password that stays, as the document writes it; null for none. */
  readonly password: string | null
}

/** Absent and false mean the same. */
const seoFields = ({ noindex, ...seo }: Page["seo"]): Page["seo"] => (noindex === true ? { ...seo, noindex } : seo)

export const pageFields = (page: PageSettled, groups: ReadonlyArray<GroupEntry>): Fields =>
  withoutEmpty({
    ...Struct.pick(
      page,
      "name",
      "slug",
      "description",
      "customDomain",
      "visibility",
      "password",
      "theme",
      "branding",
      "settings"
    ),
    seo: seoFields(page.seo),
    groups
  })

export const groupEntry = (
  { collapsed, description, name }: { readonly name: string; readonly description?: string | null; readonly collapsed?: boolean }
): GroupEntry => ({
  name: name.trim(),
  ...(description === undefined || description === null || description === "" ? {} : { description }),
  ...(collapsed === true ? { collapsed } : {})
})

/** Groups as an edit of a page takes them. */
export const groupsInput = (groups: ReadonlyArray<GroupEntry>) => ({
  groups: groups.map(({ collapsed = false, description = null, name }) => ({ name, description, collapsed }))
})

/** A component's references, by keys and names. */
interface ComponentRefs {
  readonly group: string | null
  readonly monitors: ReadonlyArray<string>
  readonly manifest: { readonly monitor: string; readonly key: string } | null
}

export const componentFields = (
  name: string,
  { aggregate, confirmations, description, hidden, manifest, push, pushTtlSec, showResponseTimes, showUptime }: ComponentSettings,
  refs: ComponentRefs
): Fields =>
  withoutEmpty({
    name,
    description,
    group: refs.group,
    monitors: refs.monitors,
    aggregate,
    ...(push ? { push } : {}),
    pushTtlSec,
    ...(push || manifest !== null || confirmations !== defaultConfirmations ? { confirmations } : {}),
    manifest: refs.manifest,
    showUptime,
    showResponseTimes,
    hidden
  })

interface LayerSettled extends Partial<Omit<Layer, "participants" | "startDay">> {
  readonly startDay: string | null
  readonly participants: ReadonlyArray<string>
}

interface ScheduleSettled extends Omit<LayerSettled, "name" | "beside"> {
  readonly name: string
  readonly timezone: string
  readonly layers: ReadonlyArray<LayerSettled>
}

const timeOf = (
  at: DateTime.Utc | null | undefined
): string | null => (at === null || at === undefined ? null : DateTime.formatIso(at))

/** Fields that have their defaults are left out. */
const turnFields = ({ activeFrom, activeUntil, atOnce, hours, turnLength, turnUnit }: Omit<LayerSettled, "name" | "beside">) => ({
  turnUnit: turnUnit === "week" ? null : turnUnit,
  turnLength: turnLength === 1 ? null : turnLength,
  atOnce: atOnce === 1 ? null : atOnce,
  hours,
  activeFrom: timeOf(activeFrom),
  activeUntil: timeOf(activeUntil)
})

/** Its hand-off is written out, so that a document says the same when that of the schedule changes. */
const layerFields = ({ handoffDay, handoffTime }: ScheduleSettled) => (layer: LayerSettled): Fields =>
  withoutEmpty({
    ...Struct.pick(layer, "name", "startDay", "participants"),
    handoffDay: layer.handoffDay ?? handoffDay,
    handoffTime: layer.handoffTime ?? handoffTime,
    ...turnFields(layer),
    beside: layer.beside === true ? true : null
  })

export const scheduleFields = (settled: ScheduleSettled): Fields =>
  withoutEmpty({
    ...Struct.pick(settled, "name", "timezone", "handoffDay", "handoffTime", "startDay", "participants"),
    ...turnFields(settled),
    layers: settled.layers.map(layerFields(settled))
  })

/** An override in the form of `OverrideEntry`. */
export const overrideFields = (
  { end, insteadOf, note, start, user }: Pick<Override, "start" | "end" | "note"> & {
    readonly user: string
    readonly insteadOf: string | null
  }
): Fields => withoutEmpty({ user, insteadOf, start: DateTime.formatIso(start), end: DateTime.formatIso(end), note })

interface PolicySettled extends Omit<Required<typeof PolicyEntry.Encoded>, "key" | "isDefault"> {
  readonly isDefault: boolean | null
}

export type TargetFields = PolicySettled["levels"][number]["targets"][number]

export const policyFields = (settled: PolicySettled): Fields =>
  withoutEmpty(Struct.pick(settled, "name", "isDefault", "monitors", "pages", "levels", "repeat", "repeatAfterMinutes"))

export const templateFields = (
  { body, componentStatus, impact, kind, name, order, status, title }: TemplateSettings,
  components: ReadonlyArray<{ readonly page: string; readonly component: string }>
): Fields => withoutEmpty({ name, kind, title, body, status, impact, components, componentStatus, order })
