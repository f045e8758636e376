/** Counts the rows of the resources that plans and caps limit. Each count reads an index of one workspace or one page. */
import { SqlClient, type Statement } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import type { PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { codeKinds } from "../../domain/monitor/kinds.ts"
import type { CapName } from "../../domain/workspace/Caps.ts"

/** The workspace and page to count in. */
interface Place {
  readonly workspaceId: WorkspaceId
  /** Set for resources that belong to a page. */
  readonly pageId: PageId | null
  readonly now: Date
}

type Counted = (sql: SqlClient.SqlClient, place: Place) => Statement.Fragment

/** One count of each resource; null for a kind of resource that the program does not have yet. */
const counted = {
  monitors: (sql, { workspaceId }) => sql`select count(*) from monitors where workspace_id = ${workspaceId}`,
  // The kinds are written out, so that the partial index on them serves.
  codeMonitors: (sql, { workspaceId }) =>
    sql`
    select count(*) from monitors
    where workspace_id = ${workspaceId} and kind in (${sql.literal(codeKinds.map((kind) => `'${kind}'`).join(", "))})`,
  pages: (sql, { workspaceId }) => sql`select count(*) from pages where workspace_id = ${workspaceId}`,
  customDomains: (sql, { workspaceId }) =>
    sql`select count(*) from pages where workspace_id = ${workspaceId} and custom_domain is not null`,
  members: (sql, { now, workspaceId }) =>
    sql`
    select (select count(*) from memberships where workspace_id = ${workspaceId})
      + (select count(*) from invitations where workspace_id = ${workspaceId} and expires_at > ${now})`,
  channels: (sql, { workspaceId }) => sql`select count(*) from channels where workspace_id = ${workspaceId}`,
  keys: (sql, { now, workspaceId }) =>
    sql`
    select count(*) from api_keys
    where workspace_id = ${workspaceId} and revoked_at is null and (expires_at is null or expires_at > ${now})`,
  components: (sql, { pageId, workspaceId }) =>
    sql`select count(*) from components where workspace_id = ${workspaceId} and page_id = ${pageId}`,
  groups: (sql, { pageId, workspaceId }) =>
    sql`select count(*) from component_groups where workspace_id = ${workspaceId} and page_id = ${pageId}`,
  templates: (sql, { workspaceId }) => sql`select count(*) from incident_templates where workspace_id = ${workspaceId}`,
  schedules: (sql, { workspaceId }) => sql`select count(*) from oncall_schedules where workspace_id = ${workspaceId}`,
  policies: (sql, { workspaceId }) => sql`select count(*) from escalation_policies where workspace_id = ${workspaceId}`
} as const satisfies Record<CapName | "codeMonitors" | "customDomains", Counted | null>

/** The resources that can be counted. */
export type Countable = {
  [Name in keyof typeof counted]: (typeof counted)[Name] extends null ? never : Name
}[keyof typeof counted]

const decode = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ counts: Schema.Array(Schema.Int) })))

/** Counts of several resources, as an array in their order; null for those that `where` names a condition for and that does not hold. */
export const countsOf = (
  sql: SqlClient.SqlClient,
  names: ReadonlyArray<Countable>,
  place: Place,
  where: (name: Countable) => Statement.Fragment
): Statement.Fragment =>
  sql`array[${sql.csv(names.map((name) => sql`(case when ${where(name)} then (${counted[name](sql, place)})::int end)`))}]::int[]`

/** Counts several resources in one query; the answer has their order. */
export const makeCountedRows = Effect.map(SqlClient.SqlClient, (sql) =>
  Effect.fnUntraced(
    function*(names: ReadonlyArray<Countable>, workspaceId: WorkspaceId, pageId: PageId | null) {
      const now = DateTime.toDateUtc(yield* DateTime.now)
      const counts = names.map((name) => sql`(${counted[name](sql, { workspaceId, pageId, now })})::int`)
      const [row] = yield* decode(yield* sql`select array[${sql.csv(counts)}]::int[] as counts`)
      return new Map(names.map((name, index) => [name, row.counts[index] ?? 0]))
    },
    Effect.orDie
  ))
