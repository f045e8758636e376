/** Counts the rows of the resources that plans and caps limit. Each count reads an index of one workspace or one page. */
import type { SqlClient, Statement } from "@effect/sql"
import type { PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { codeKinds } from "../../domain/monitor/kinds.ts"
import type { CapName } from "../../domain/workspace/Caps.ts"
import { standingInvitation } from "./StandingInvitations.ts"

/** The workspace and page to count in. */
interface Scope {
  readonly workspaceId: WorkspaceId
  /** Set for resources that belong to a page. */
  readonly pageId: PageId | null
  readonly now: Date
}

type Counted = (sql: SqlClient.SqlClient, scope: Scope) => Statement.Fragment

const counted = {
  // Without the monitor of a drill that runs.
  monitors: (sql, { workspaceId }) =>
    sql`
    select count(*) from monitors
    where workspace_id = ${workspaceId} and id is distinct from (
      select monitor_id from drills where workspace_id = ${workspaceId} and finished_at is null)`,
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
      + (select count(*) from invitations i
         where workspace_id = ${workspaceId} and expires_at > ${now} and ${sql.literal(standingInvitation)})`,
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
  images: (sql, { workspaceId }) => sql`select count(*) from images where workspace_id = ${workspaceId}`,
  mutes: (sql, { workspaceId }) => sql`select count(*) from mutes where workspace_id = ${workspaceId} and ended_at is null`,
  schedules: (sql, { workspaceId }) => sql`select count(*) from oncall_schedules where workspace_id = ${workspaceId}`,
  policies: (sql, { workspaceId }) => sql`select count(*) from escalation_policies where workspace_id = ${workspaceId}`
} as const satisfies Record<CapName | "codeMonitors" | "customDomains", Counted>

export type Countable = keyof typeof counted

/** Counts of several resources, as an array in their order; null for those that `where` names a condition for and that does not hold. */
export const countsOf = (
  sql: SqlClient.SqlClient,
  names: ReadonlyArray<Countable>,
  scope: Scope,
  where: (name: Countable) => Statement.Fragment
): Statement.Fragment =>
  sql`array[${sql.csv(names.map((name) => sql`(case when ${where(name)} then (${counted[name](sql, scope)})::int end)`))}]::int[]`
