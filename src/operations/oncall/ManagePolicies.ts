/** Creates, updates, lists and deletes escalation policies. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import type { PageId, PolicyId, WorkspaceId } from "../../../schema/Ids.ts"
import type { EscalationLevel, EscalationTarget, Policy, PolicyInput, PolicyUpdate } from "../../../schema/oncall/Policy.ts"
import { type Refusal, validationFailure } from "../../domain/Refusal.ts"
import { storable } from "../../domain/Storable.ts"
import { unknownMonitor, unknownPage } from "../../domain/UnknownReference.ts"
import { Policies, type PolicySettings } from "../../store/oncall/Policies.ts"
import { type PolicyReferences, PolicyScopes } from "../../store/oncall/PolicyScopes.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"

const noPolicy = (id: PolicyId) =>
  new NotFound({
    message: `No escalation policy ${id} in this workspace`,
    hint: "List escalation policies with GET /api/v1/escalation-policies"
  })

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

/** What a policy refers to, each with its kind. What it named before may be gone meanwhile, and an update that keeps it must still work. */
const keptIds = (before: Policy | null): ReadonlyArray<string> =>
  before === null
    ? []
    : [
      ...before.monitorIds.map((id) => `monitor ${id}`),
      ...before.pageIds,
      ...before.levels.flatMap(({ targets }) => targets.map(({ id, type }) => `${type} ${id}`))
    ]

export class ManagePolicies extends Effect.Service<ManagePolicies>()("belltower/ManagePolicies", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const policies = yield* Policies
    const scopes = yield* PolicyScopes
    const quotas = yield* Quotas

    /** The pages by id; fails with `validation_failed` for anything that does not exist in the workspace. */
    const settle = Effect.fnUntraced(
      function*(workspaceId: WorkspaceId, input: Pick<PolicyUpdate, "levels" | "monitorIds" | "pageIds">, before: Policy | null) {
        const pageNames = (input.pageIds ?? []).map(storable)
        const targets = (input.levels ?? []).flatMap((level) => level.targets)
        const references: PolicyReferences = { targets, monitorIds: input.monitorIds ?? [], pages: pageNames }
        const { found, pages } = yield* scopes.known(workspaceId, references)
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

    /**
     * Fails with `plan_limit` without the on-call feature, and with `validation_failed` for an unknown target, monitor or page, or
     * above the cap. The first policy is the default unless the input says otherwise.
     */
    const create = Effect.fn("ManagePolicies.create")(function*(workspaceId: WorkspaceId, input: PolicyInput) {
      return yield* Effect.gen(function*() {
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
        return yield* policies.insert(workspaceId, settings, yield* DateTime.now)
      }).pipe(sql.withTransaction, Effect.catchTag("SqlError", Effect.die))
    })

    const existing = (id: PolicyId, found: Effect.Effect<Option.Option<Policy>>) =>
      Effect.flatMap(found, Option.match({ onNone: () => Effect.fail(noPolicy(id)), onSome: Effect.succeed }))

    /** Updates the given fields. Fails with `not_found`, and with `validation_failed` like `create`. */
    const update = Effect.fn("ManagePolicies.update")(function*(workspaceId: WorkspaceId, id: PolicyId, input: PolicyUpdate) {
      return yield* Effect.gen(function*() {
        // Serializes updates that move the default from one policy to another.
        yield* quotas.hold(workspaceId)
        const before = yield* existing(id, policies.find(workspaceId, id))
        const pageIds = yield* settle(workspaceId, input, before)
        const { createdAt: _, id: __, updatedAt: ___, ...settings } = before
        const after: PolicySettings = { ...settings, ...input, pageIds: input.pageIds === undefined ? before.pageIds : pageIds }
        return yield* existing(id, policies.update(workspaceId, id, after, yield* DateTime.now))
      }).pipe(sql.withTransaction, Effect.catchTag("SqlError", Effect.die))
    })

    const remove = Effect.fn("ManagePolicies.remove")(function*(workspaceId: WorkspaceId, id: PolicyId) {
      if (!(yield* policies.remove(workspaceId, id))) return yield* noPolicy(id)
    })

    return { list: policies.list, create, update, remove }
  })
}) {}
