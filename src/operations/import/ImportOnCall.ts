/** Makes the schedules and escalation policies of a document. People are found by their addresses. */
import { Array as Arr, DateTime, Effect } from "effect"
import { ChannelId, MonitorId, ScheduleId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { EscalationTarget } from "../../../schema/oncall/Policy.ts"
import type { TargetEntry } from "../../../schema/plan/WorkspaceDocument.ts"
import type { FoundPolicy, FoundSchedule } from "../../domain/import/Inventory.ts"
import { noMember } from "../../domain/import/OnCallTargets.ts"
import { hasEnded } from "../../domain/oncall/Overrides.ts"
import { OnCallPeople } from "../../store/oncall/OnCallPeople.ts"
import { ManagePolicies } from "../oncall/ManagePolicies.ts"
import { ManageSchedules } from "../oncall/ManageSchedules.ts"

const notImported = (what: string) => Effect.fail({ message: `${what} was not imported` })

type IdOf = (ref: string) => string | undefined

/** Finds the id of a member by the address. */
const makeMemberIds = Effect.gen(function*() {
  const people = yield* OnCallPeople

  return Effect.fnUntraced(function*(workspaceId: WorkspaceId) {
    const ids = new Map((yield* people.members(workspaceId)).map(({ email, id }) => [email.toLowerCase(), id]))
    return (address: string) => {
      const found = ids.get(address)
      return found === undefined ? Effect.fail({ message: noMember(address) }) : Effect.succeed(found)
    }
  })
})

const makeImportSchedule = Effect.gen(function*() {
  const schedules = yield* ManageSchedules
  const memberIds = yield* makeMemberIds

  return Effect.fn("ImportOnCall.schedule")(function*(workspaceId: WorkspaceId, { entry }: FoundSchedule) {
    const { key: _, layers = [], overrides = [], participants, ...settings } = entry
    const idOf = yield* memberIds(workspaceId)
    const ids = (addresses: Arr.NonEmptyReadonlyArray<string>) => Effect.all(Arr.map(addresses, idOf))
    const { id } = yield* schedules.create(workspaceId, {
      ...settings,
      participants: yield* ids(participants),
      layers: yield* Effect.forEach(
        layers,
        (layer) => Effect.map(ids(layer.participants), (people) => ({ ...layer, participants: people }))
      )
    })
    const now = yield* DateTime.now
    const added = yield* Effect.forEach(
      overrides.filter((one) => !hasEnded(one, now)),
      ({ insteadOf, user, ...override }) =>
        Effect.gen(function*() {
          const instead = insteadOf === undefined ? {} : { insteadOf: yield* idOf(insteadOf) }
          return { ...override, ...instead, userId: yield* idOf(user) }
        })
    )
    yield* schedules.editOverrides(workspaceId, id, { removed: [], added })
    return id
  })
})

const makeImportPolicy = Effect.gen(function*() {
  const policies = yield* ManagePolicies
  const memberIds = yield* makeMemberIds

  const target = Effect.fnUntraced(function*(workspaceId: WorkspaceId, entry: TargetEntry, idOf: IdOf) {
    if ("user" in entry) {
      const member = yield* memberIds(workspaceId)
      return { type: "user", id: yield* member(entry.user) } satisfies EscalationTarget
    }
    const ref = "channel" in entry ? `channel:${entry.channel}` : `schedule:${entry.schedule}`
    const id = idOf(ref)
    if (id === undefined) return yield* notImported(`The ${ref.replace(":", " ")}, which it pages,`)
    return "channel" in entry
      ? { type: "channel", id: ChannelId.make(id) } satisfies EscalationTarget
      : { type: "schedule", id: ScheduleId.make(id) } satisfies EscalationTarget
  })

  return Effect.fn("ImportOnCall.policy")(function*(workspaceId: WorkspaceId, { entry }: FoundPolicy, idOf: IdOf) {
    const { key: _, levels, monitors = [], pages = [], ...settings } = entry
    const found = yield* Effect.forEach(levels, ({ targets, ...level }) =>
      Effect.map(
        Effect.forEach(targets, (one) => target(workspaceId, one, idOf)),
        (paged) => ({ ...level, targets: paged })
      ))
    const { id } = yield* policies.create(workspaceId, {
      ...settings,
      levels: found,
      monitorIds: monitors.flatMap((key) => idOf(`monitor:${key}`) ?? []).map((id) => MonitorId.make(id)),
      pageIds: pages.flatMap((key) => idOf(`page:${key}`) ?? [])
    })
    return id
  })
})

export const makeImportOnCall = Effect.all({ schedule: makeImportSchedule, policy: makeImportPolicy })
