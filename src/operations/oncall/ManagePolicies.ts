/** Creates, updates, lists and deletes escalation policies. */
import { DateTime, Effect } from "effect"
import type { PageId, PolicyId, UserId, WorkspaceId } from "../../../schema/Ids.ts"
import type {
  EscalationLevel,
  EscalationTarget,
  Policy,
  PolicyInput,
  PolicyUpdate,
  StoredPolicy
} from "../../../schema/oncall/Policy.ts"
import { pagingWarnings, targetWarnings } from "../../domain/oncall/PagingWarnings.ts"
import { namedInRotation } from "../../domain/oncall/Rotation.ts"
import { type Refusal, validationFailure } from "../../domain/Refusal.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import { unknownMonitor, unknownPage } from "../../domain/UnknownReference.ts"
import { makePersonWays } from "../../services/paging/PersonWays.ts"
import { Channels } from "../../store/alert/Channels.ts"
import { MailMode } from "../../store/mail/MailMode.ts"
import { OnCallPeople } from "../../store/oncall/OnCallPeople.ts"
import { Policies, type PolicyReferences, type PolicySettings } from "../../store/oncall/Policies.ts"
import { Schedules } from "../../store/oncall/Schedules.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { orNoSuch, removed } from "../NoSuch.ts"

const defaultRepeatAfterMinutes = 30

const nouns = { channel: "alert channel", schedule: "on-call schedule", user: "member" } as const satisfies Record<
  EscalationTarget["type"],
  string
>

const lists = {
  channel: "/api/v1/channels",
  schedule: "/api/v1/oncall/schedules",
  user: "/api/v1/oncall/members"
} as const satisfies Record<EscalationTarget["type"], string>

const targetRefusals = (levels: ReadonlyArray<EscalationLevel>, known: ReadonlySet<string>): ReadonlyArray<Refusal> =>
  levels.flatMap(({ targets }, level) =>
    targets.flatMap(({ id, type }, index) =>
      known.has(`${type} ${id}`)
        ? []
        : [{
          path: `levels.${level}.targets.${index}.id`,
          message: `No ${nouns[type]} ${id} in this workspace`,
          hint: `List ${nouns[type]}s with GET ${lists[type]}`
        }]
    )
  )

const monitorRefusals = (ids: ReadonlyArray<string>, known: ReadonlySet<string>): ReadonlyArray<Refusal> =>
  ids.flatMap((id, index) => known.has(`monitor ${id}`) ? [] : [unknownMonitor(`monitorIds.${index}`, id)])

/** The ids that a policy refers to. Some may be gone meanwhile, and an update that keeps them must still work. */
const keptIds = (before: StoredPolicy | null): ReadonlyArray<string> =>
  before === null
    ? []
    : [
      ...before.monitorIds.map((id) => `monitor ${id}`),
      ...before.pageIds,
      ...before.levels.flatMap(({ targets }) => targets.map(({ id, type }) => `${type} ${id}`))
    ]

/**
 * Adds to each policy whom of those that it names no page reaches, members and the participants of schedules, and which of its targets
 * are gone or disabled.
 */
const makeWithWarnings = Effect.gen(function*() {
  const schedules = yield* Schedules
  const channels = yield* Channels
  const stored = yield* Policies
  const people = yield* OnCallPeople
  const withWays = yield* makePersonWays
  const mode = yield* MailMode

  return Effect.fnUntraced(function*(workspaceId: WorkspaceId, policies: ReadonlyArray<StoredPolicy>) {
    const participants = new Map((yield* schedules.list(workspaceId)).map((row) => [row.id, namedInRotation(row)]))
    const namedIn = ({ levels }: StoredPolicy): ReadonlyArray<UserId> =>
      levels.flatMap(({ targets }) =>
        targets.flatMap((target) =>
          target.type === "user" ? [target.id] : target.type === "schedule" ? participants.get(target.id) ?? [] : []
        )
      )
    const members = yield* withWays(workspaceId, yield* people.some(workspaceId, policies.flatMap(namedIn)))
    const mailed = (yield* mode) === "sent"
    const targets = policies.flatMap(({ levels }) => levels.flatMap((level) => level.targets))
    const known = new Set((yield* stored.known(workspaceId, { targets, monitorIds: [], pages: [] })).found)
    const channelIds = targets.flatMap((target) => target.type === "channel" ? [target.id] : [])
    const enabled = new Map<string, boolean>(
      (yield* channels.enabled(workspaceId, channelIds)).map(({ id, works }) => [id, works])
    )
    return policies.map((policy): Policy => ({
      ...policy,
      warnings: [...targetWarnings(policy.levels, known, enabled), ...pagingWarnings(namedIn(policy), members, mailed)]
    }))
  })
})

export class ManagePolicies extends Effect.Service<ManagePolicies>()("belltower/ManagePolicies", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const policies = yield* Policies
    const quotas = yield* Quotas
    const withWarnings = yield* makeWithWarnings
    const warned = (workspaceId: WorkspaceId, policy: StoredPolicy) =>
      Effect.map(withWarnings(workspaceId, [policy]), ([record]): Policy => record ?? { ...policy, warnings: [] })

    /** The pages by id; fails with `validation_failed` for anything that does not exist in the workspace. */
    const settle = Effect.fnUntraced(
      function*(
        workspaceId: WorkspaceId,
        input: Pick<PolicyUpdate, "levels" | "monitorIds" | "pageIds">,
        before: StoredPolicy | null
      ) {
        const pageNames = (input.pageIds ?? []).map(storable)
        const targets = (input.levels ?? []).flatMap((level) => level.targets)
        const references: PolicyReferences = { targets, monitorIds: input.monitorIds ?? [], pages: pageNames }
        const { found, pages } = yield* policies.known(workspaceId, references)
        const known = new Set([...found, ...keptIds(before)])
        const pageIds = pageNames.map((name) => pages.find(({ id, slug }) => id === name || slug === name)?.id ?? null)
        const refusals = [
          ...targetRefusals(input.levels ?? [], known),
          ...monitorRefusals(input.monitorIds ?? [], known),
          ...pageIds.flatMap((id, index) =>
            id === null && !known.has(pageNames[index] ?? "")
              ? [unknownPage(`pageIds.${index}`, pageNames[index] ?? "")]
              : []
          )
        ]
        if (refusals.length > 0) return yield* validationFailure(refusals)
        return [...new Set(pageIds.filter((id): id is PageId => id !== null))]
      }
    )

    /** The first policy is the default. Fails with `plan_limit`, and with `validation_failed` for unknown ids and above the cap. */
    const create = Effect.fn("ManagePolicies.create")(function*(workspaceId: WorkspaceId, input: PolicyInput) {
      yield* quotas.takeOnCall(workspaceId, { policies: 1 })
      const pageIds = yield* settle(workspaceId, input, null)
      const isFirst = (yield* policies.list(workspaceId)).length === 0
      const settings: PolicySettings = {
        name: input.name,
        isDefault: input.isDefault ?? isFirst,
        monitorIds: [...new Set(input.monitorIds ?? [])],
        pageIds,
        levels: input.levels,
        repeat: input.repeat ?? 0,
        repeatAfterMinutes: input.repeatAfterMinutes ?? defaultRepeatAfterMinutes
      }
      return yield* warned(workspaceId, yield* policies.insert(workspaceId, settings, yield* DateTime.now))
    }, transaction)

    /** Updates the given fields. Fails with `not_found`, and with `validation_failed` like `create`. */
    const update = Effect.fn("ManagePolicies.update")(function*(workspaceId: WorkspaceId, id: PolicyId, input: PolicyUpdate) {
      // Serializes updates that move the default from one policy to another.
      yield* quotas.hold(workspaceId)
      const before = yield* orNoSuch("escalation policy", id, policies.find(workspaceId, id))
      const pageIds = yield* settle(workspaceId, input, before)
      const { createdAt: _, id: __, updatedAt: ___, ...settings } = before
      const after: PolicySettings = {
        ...settings,
        ...input,
        monitorIds: [...new Set(input.monitorIds ?? before.monitorIds)],
        pageIds: input.pageIds === undefined ? before.pageIds : pageIds
      }
      return yield* warned(
        workspaceId,
        yield* orNoSuch("escalation policy", id, policies.update(workspaceId, id, after, yield* DateTime.now))
      )
    }, transaction)

    const remove = Effect.fn("ManagePolicies.remove")((workspaceId: WorkspaceId, id: PolicyId) =>
      removed("escalation policy", id, policies.remove(workspaceId, id))
    )

    /** Oldest first. */
    const list = Effect.fn("ManagePolicies.list")(function*(workspaceId: WorkspaceId) {
      return yield* withWarnings(workspaceId, yield* policies.list(workspaceId))
    })

    return { list, create, update, remove }
  })
}) {}
