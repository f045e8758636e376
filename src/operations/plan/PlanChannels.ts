/** Compares the alert channels of a document with those of the workspace. */
import { Effect, Struct } from "effect"
import { ChannelSettings } from "../../../schema/alert/Channel.ts"
import { ChannelId } from "../../../schema/Ids.ts"
import type { ChannelEntry, WorkspaceDocument } from "../../../schema/plan/WorkspaceDocument.ts"
import { groupingProblems, groupsByDefault } from "../../domain/alert/AlertGroup.ts"
import { quietHoursOf } from "../../domain/alert/QuietHours.ts"
import { fieldChanges } from "../../domain/plan/FieldChanges.ts"
import { channelFields } from "../../domain/plan/ThingFields.ts"
import { EgressGuard, guardFor } from "../../egress/EgressGuard.ts"
import { channelKinds } from "../../notify/alert/channelKinds.ts"
import { ManageChannels } from "../alert/ManageChannels.ts"
import { currentChannel } from "./CurrentFields.ts"
import type { Findings } from "./Findings.ts"
import type { WorkspaceState } from "./LoadWorkspace.ts"
import { type Step, stepOf } from "./Step.ts"

const typeKept = { path: "type", message: "The type of a channel cannot be changed; give it a new key" }

/** An entry's fields besides the settings of its type, with defaults. */
const commonOf = ({ enabled, events, groupAlerts, isDefault, name, quietHours, type }: ChannelEntry) => ({
  name,
  events: events === undefined || events === null || events.length === 0 ? null : events,
  isDefault: isDefault ?? true,
  groupAlerts: groupAlerts ?? groupsByDefault(type),
  enabled: enabled ?? true,
  quietHours: quietHoursOf(quietHours)
})

export const makePlanChannels = Effect.gen(function*() {
  const manage = yield* ManageChannels
  const guard = yield* EgressGuard

  return Effect.fn("PlanChannels")(function*(state: WorkspaceState, document: WorkspaceDocument, findings: Findings) {
    const { workspaceId } = state
    const steps: Array<Step> = []
    for (const [index, entry] of (document.channels ?? []).entries()) {
      const at = `channels.${index}`
      const id = state.keys.channel.idOf.get(entry.key) ?? null
      const current = id === null ? null : state.channels.get(id) ?? null
      if (current !== null && current.channel.type !== entry.type) {
        findings.refuse(at, [typeKept])
        continue
      }
      const ofGrouping = groupingProblems(entry.type, entry.groupAlerts)
      if (ofGrouping.length > 0) {
        findings.refuse(at, ofGrouping)
        continue
      }
      const settings: ChannelSettings = Struct.pick(entry, ...Struct.keys(ChannelSettings.fields))
      const stored = { shown: current?.channel ?? {}, sealed: current?.secrets.settings ?? {} }
      const settled = yield* Effect.either(channelKinds[entry.type].settle(settings, stored))
      if (settled._tag === "Left") {
        findings.refuse(at, settled.left)
        continue
      }
      const { sealed, shown } = settled.right
      const common = commonOf(entry)
      // Sealed settings may differ where the record does not show them.
      const also = current === null ? [] : fieldChanges(
        Struct.pick(current.secrets.settings, ...Object.keys(sealed)),
        sealed
      )
      const to = channelFields({ ...shown, ...common, type: entry.type })
      const from = current === null ? null : currentChannel(current)
      const shownPaths = new Set(from === null ? [] : fieldChanges(from, to).map(({ path }) => path))
      steps.push(stepOf({
        kind: "channel",
        key: entry.key,
        id,
        name: entry.name,
        from,
        to,
        also: also.filter(({ path }) => !shownPaths.has(path)),
        hidden: new Set(Object.keys(sealed)),
        create: () => manage.create(workspaceId, { ...settings, ...common, type: entry.type }),
        update: (_, known) => manage.update(workspaceId, ChannelId.make(known), { ...settings, ...common })
      }))
    }
    return steps
  }, (work, { workspaceId }) => Effect.provideService(work, EgressGuard, guardFor(guard, { owner: workspaceId })))
})
