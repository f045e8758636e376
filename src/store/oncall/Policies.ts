/** The rows of escalation policies, and which of the things that they name exist. */
import { SqlClient } from "@effect/sql"
import { type DateTime, Effect, Schema } from "effect"
import { type MonitorId, type PageId, PolicyId, type WorkspaceId } from "../../../schema/Ids.ts"
import { EscalationLevel, type EscalationTarget, policyFields, type StoredPolicy } from "../../../schema/oncall/Policy.ts"
import { mint } from "../Mint.ts"
import { pagesNamed } from "../page/Pages.ts"
import { arrayText } from "../postgres/ArrayText.ts"
import { findAll } from "../postgres/Queries.ts"
import { settingsTable } from "../SettingsTable.ts"

const PolicyRow = Schema.Struct({
  ...policyFields,
  createdAt: Schema.DateTimeUtcFromDate,
  updatedAt: Schema.DateTimeUtcFromDate
})

/** The caller's part of a policy. */
export type PolicySettings = Omit<StoredPolicy, "id" | "createdAt" | "updatedAt">

/** The records that a policy names: channels, people and schedules as targets, monitors and pages. */
export interface PolicyReferences {
  readonly targets: ReadonlyArray<EscalationTarget>
  readonly monitorIds: ReadonlyArray<string>
  /** Ids or slugs. */
  readonly pages: ReadonlyArray<string>
}

interface IncidentScope {
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId | null
  readonly pageIds: ReadonlyArray<PageId>
}

const columns = `
  id, name, is_default as "isDefault", monitor_ids as "monitorIds", page_ids as "pageIds", levels, repeat,
  repeat_after_minutes as "repeatAfterMinutes", created_at as "createdAt", updated_at as "updatedAt"`

const encodeLevels = Schema.encodeSync(Schema.parseJson(Schema.Array(EscalationLevel)))

export class Policies extends Effect.Service<Policies>()("belltower/Policies", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const matching = findAll(
      Schema.Struct({
        ordinal: Schema.Int,
        id: PolicyId,
        ofMonitor: Schema.Boolean,
        ofPage: Schema.Boolean,
        isDefault: Schema.Boolean
      }),
      (scopes: ReadonlyArray<IncidentScope>) =>
        sql`
        select scope.ordinal::int as ordinal, p.id, coalesce(scope.monitor_id = any(p.monitor_ids), false) as "ofMonitor",
               p.page_ids && scope.page_ids::text[] as "ofPage", p.is_default as "isDefault"
        from unnest(${scopes.map((one) => one.workspaceId)}::text[], ${scopes.map((one) => one.monitorId)}::text[],
                    ${scopes.map((one) => arrayText(one.pageIds))}::text[])
          with ordinality as scope (workspace_id, monitor_id, page_ids, ordinal)
        join escalation_policies p on p.workspace_id = scope.workspace_id
        -- A drill of one person pages nobody else. One drill of a workspace runs at a time.
        where not exists (
          select from drills d
          where d.workspace_id = scope.workspace_id and d.finished_at is null and d.person is not null
            and d.monitor_id = scope.monitor_id)`
    )

    const knownIds = findAll(
      Schema.Struct({ found: Schema.String }),
      (workspaceId: WorkspaceId, ids: ReadonlyArray<string>) =>
        sql`
        select 'channel ' || id as found from channels where workspace_id = ${workspaceId} and id = any(${ids}::text[])
        union all
        select 'schedule ' || id as found from oncall_schedules where workspace_id = ${workspaceId} and id = any(${ids}::text[])
        union all
        select 'monitor ' || id as found from monitors where workspace_id = ${workspaceId} and id = any(${ids}::text[])
        union all
        select 'user ' || user_id from memberships where workspace_id = ${workspaceId} and user_id = any(${ids}::text[])`
    )

    const knownPages = pagesNamed(sql)

    /** A workspace has one default policy: a new one takes the place of the one before. */
    const makeRoom = (workspaceId: WorkspaceId, id: PolicyId | null, { isDefault }: PolicySettings) =>
      isDefault
        ? Effect.orDie(sql`
          update escalation_policies set is_default = false
          where workspace_id = ${workspaceId} and is_default and id is distinct from ${id}`)
        : Effect.void

    const { find, insert, list, remove, update } = settingsTable<PolicyId, PolicySettings, typeof PolicyRow.Encoded>(sql, {
      table: "escalation_policies",
      row: PolicyRow,
      newId: mint("pol", PolicyId),
      columns,
      values: ({ isDefault, levels, monitorIds, name, pageIds, repeat, repeatAfterMinutes }) => ({
        name,
        is_default: isDefault,
        monitor_ids: monitorIds,
        page_ids: pageIds,
        levels: encodeLevels(levels),
        repeat,
        repeat_after_minutes: repeatAfterMinutes
      }),
      orderBy: "id"
    })

    return {
      find,
      /** Oldest first. */
      list,
      remove,
      insert: (workspaceId: WorkspaceId, settings: PolicySettings, now: DateTime.Utc) =>
        Effect.zipRight(makeRoom(workspaceId, null, settings), insert(workspaceId, settings, now)),
      update: (workspaceId: WorkspaceId, id: PolicyId, settings: PolicySettings, now: DateTime.Utc) =>
        Effect.zipRight(makeRoom(workspaceId, id, settings), update(workspaceId, id, settings, now)),
      /** How the policies of their workspaces relate to incidents, for each in order. */
      matching: (scopes: ReadonlyArray<IncidentScope>) =>
        Effect.map(
          matching(scopes),
          (found) => scopes.map((_, index) => found.filter(({ ordinal }) => ordinal === index + 1))
        ),
      /** The named things that exist, as kind and id: `channel ch_...`, `schedule`, `user` or `monitor`; and the pages. */
      known: Effect.fn("Policies.known")(function*(workspaceId: WorkspaceId, named: PolicyReferences) {
        const wanted = [...new Set([...named.targets.map(({ id }) => id), ...named.monitorIds])]
        const rows = wanted.length === 0 ? [] : yield* knownIds(workspaceId, wanted)
        return {
          found: rows.map(({ found }) => found),
          pages: yield* knownPages(workspaceId, named.pages)
        }
      }, Effect.orDie)
    }
  })
}) {}
