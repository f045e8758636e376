/** The things of a workspace as they are, in the terms of documents. */
import { mask } from "../../../schema/Mask.ts"
import type { EscalationTarget } from "../../../schema/oncall/Policy.ts"
import type { Fields } from "../../domain/plan/FieldChanges.ts"
import {
  channelFields,
  componentFields,
  groupEntry,
  keysOf,
  overrideFields,
  pageFields,
  policyFields,
  scheduleFields,
  type TargetFields,
  templateFields
} from "../../domain/plan/ThingFields.ts"
import type { StoredComponent } from "../../store/component/ComponentRows.ts"
import { addressOf, type WorkspaceState } from "./LoadWorkspace.ts"

type One<Key extends "channels" | "pages" | "schedules" | "policies" | "templates"> = WorkspaceState[Key] extends
  ReadonlyMap<string, infer Thing> ? Thing : never

export const keyIn = ({ keys }: WorkspaceState, kind: keyof WorkspaceState["keys"]) => (id: string) => keys[kind].keyOf.get(id)

export const currentChannel = (
  { channel: { createdAt: _, id: __, problem: ___, updatedAt: ____, ...channel } }: One<"channels">
): Fields => channelFields(channel)

export const currentGroups = ({ groups }: WorkspaceState, pageId: string) =>
  groups.filter((group) => group.pageId === pageId).map(groupEntry)

/** Only a hash of a password is stored, so documents have the mask for it. */
export const shownPassword = ({ passwordSetAt }: One<"pages">): string | null => (passwordSetAt === null ? null : mask)

export const currentPage = (state: WorkspaceState, page: One<"pages">): Fields =>
  pageFields({ ...page, password: shownPassword(page) }, currentGroups(state, page.id))

export const currentComponent = (state: WorkspaceState, component: StoredComponent): Fields => {
  const monitorKey = keyIn(state, "monitor")
  const { manifest } = component
  const mirror = manifest === null ? undefined : monitorKey(manifest.monitorId)
  return componentFields(component.name, component, {
    group: state.groups.find(({ id }) => id === component.group)?.name ?? null,
    monitors: keysOf(component.monitorIds, monitorKey),
    manifest: manifest === null || mirror === undefined ? null : { monitor: mirror, key: manifest.key }
  })
}

export const currentSchedule = (state: WorkspaceState, schedule: One<"schedules">): Fields =>
  scheduleFields({
    ...schedule,
    participants: keysOf(schedule.participants, addressOf(state)),
    // A layer of people who have left cannot be named.
    layers: schedule.layers
      .map((layer) => ({ ...layer, participants: keysOf(layer.participants, addressOf(state)) }))
      .filter(({ participants }) => participants.length > 0)
  })

/**
 * The overrides of a schedule with the addresses of their people. Those of people who have left cannot be named: they stay as
 * they are.
 */
export const namedOverrides = (state: WorkspaceState, scheduleId: string) => {
  const address = addressOf(state)
  return (state.overrides.get(scheduleId) ?? []).flatMap((override) => {
    const [user, instead] = [override.userId, override.insteadOf].map((id) => (id === null ? null : address(id)))
    return user === undefined || user === null || instead === undefined
      ? []
      : [{ ...override, user, named: { ...override, user, insteadOf: instead } }]
  })
}

export const currentOverrides = (state: WorkspaceState, scheduleId: string): ReadonlyArray<Fields> =>
  namedOverrides(state, scheduleId).map(({ named }) => overrideFields(named))

const targetEntry = (state: WorkspaceState, { id, type }: EscalationTarget): ReadonlyArray<TargetFields> => {
  const key = type === "user" ? addressOf(state)(id) : keyIn(state, type)(id)
  if (key === undefined) return []
  return [type === "user" ? { user: key } : type === "channel" ? { channel: key } : { schedule: key }]
}

export const currentPolicy = (state: WorkspaceState, policy: One<"policies">): Fields =>
  policyFields({
    ...policy,
    monitors: keysOf(policy.monitorIds, keyIn(state, "monitor")),
    pages: keysOf(policy.pageIds, keyIn(state, "page")),
    // A level whose targets are all gone cannot be written.
    levels: policy.levels
      .map(({ targets, ...level }) => ({ ...level, targets: targets.flatMap((target) => targetEntry(state, target)) }))
      .filter(({ targets }) => targets.length > 0)
  })

export const currentTemplate = (state: WorkspaceState, template: One<"templates">): Fields =>
  templateFields(
    template,
    template.componentIds.flatMap((id) => {
      const found = state.components.find((component) => component.id === id)
      const page = found === undefined ? undefined : keyIn(state, "page")(found.pageId)
      return found === undefined || page === undefined ? [] : [{ page, component: found.key }]
    })
  )
