/** Selects components with the sources of their statuses. */
import type { SqlClient, Statement } from "@effect/sql"
import type { PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { coveredComponents } from "../incident/MaintenanceScope.ts"

/** Open, visible incidents or running windows in which people set a status. */
const speaks = `i.public and i.resolved_at is null and (not i.automatic or affected.by_person)`

const kinds = {
  maintenances: "i.kind = 'maintenance' and i.status = 'in_progress'",
  incidents: "i.kind = 'incident'"
} as const

/** The statuses that people set for one component. */
const listedIn = (kind: keyof typeof kinds) =>
  `coalesce((
      select jsonb_agg(affected.status) from incidents i cross join lateral ${coveredComponents} affected
      where i.workspace_id = c.workspace_id and i.page_ids @> array[c.page_id] and ${speaks}
        and affected.component_id = c.id and ${kinds[kind]}), '[]')`

/** The state of a followed monitor `m` with its row `s`. A pause shows immediately, before the actor has processed it. */
const followed = `jsonb_build_object(
        'state', case when s.state is null then 'unobserved' when m.paused then 'paused'
                      when s.state = 'paused' then 'pending' else s.state end,
        'since', case when m.paused = (s.state = 'paused') then extract(epoch from s.state_since) * 1000 end,
        'lastRoundAt', s.machine->'lastRoundAt', 'intervalSec', m.interval_sec, 'timeoutMs', m.timeout_ms)`

const settings = `
    c.id, c.workspace_id as "workspaceId", c.page_id as "pageId", c.name, c.key, c.description, c.group_id as "group",
    c.monitor_ids as "monitorIds", c.push_ttl_sec as "pushTtlSec", c.confirmations, c.manual,
    c.push_token_sealed as "pushTokenSealed", c.show_uptime as "showUptime", c.show_response_times as "showResponseTimes",
    c.hidden, c.position as "order", c.created_at as "createdAt", c.updated_at as "updatedAt", shown.changed_at as "changedAt"`

// A deleted monitor stays in the list but does not count.
const sourcesWith = (maintenances: string, incidents: string) => `
    c.aggregate, c.push, shown.push as "pushState",
    case when c.override_status is not null
      then jsonb_build_object('status', c.override_status, 'reason', c.override_reason) end as override,
    coalesce((
      select jsonb_agg(${followed})
      from unnest(c.monitor_ids) as followed (id)
      left join monitors m on m.id = followed.id and m.workspace_id = c.workspace_id
      left join monitor_states s on s.monitor_id = m.id), '[]') as monitors,
    case when c.manifest_monitor_id is not null
      then jsonb_build_object('monitorId', c.manifest_monitor_id, 'key', c.manifest_key) end as manifest,
    (select ${followed} from monitors m left join monitor_states s on s.monitor_id = m.id
      where m.id = c.manifest_monitor_id and m.workspace_id = c.workspace_id) as "manifestMonitor",
    ${maintenances} as maintenances, ${incidents} as incidents`

const tables = `components c left join component_states shown on shown.component_id = c.id`

const selection = `
  select ${settings}, ${sourcesWith(listedIn("maintenances"), listedIn("incidents"))}
  from ${tables}`

/** The `select` of components without its `where`; the table's alias is `c`. */
export const selectedComponents = (sql: SqlClient.SqlClient) => sql.literal(selection)

const filtered = (kind: keyof typeof kinds) =>
  `coalesce(jsonb_agg(affected.status) filter (where ${kinds[kind]}), '[]') as ${kind}`

const statuses = `
    select page.id as page_id, affected.component_id, ${filtered("maintenances")}, ${filtered("incidents")}
    from incidents i cross join lateral unnest(i.page_ids) as page (id)
      cross join lateral ${coveredComponents} affected`

const ofPages = (columns: string) => `
  select ${columns} from ${tables}
  left join listed on listed.page_id = c.page_id and listed.component_id = c.id`

const joinedSources = sourcesWith("coalesce(listed.maintenances, '[]')", "coalesce(listed.incidents, '[]')")

/**
 * Selects the components of pages, `c`, that fit a condition. The incidents of the pages are read once: looked up for each component,
 * they would cost more than all the rest.
 */
const selectedOfPages =
  (columns: string) =>
  (sql: SqlClient.SqlClient, workspaceId: WorkspaceId, pageIds: ReadonlyArray<PageId>, condition: Statement.Fragment) => {
    const pages = sql`${pageIds}::text[]`
    return sql`/* one plan */
      with listed as materialized (
        ${sql.literal(statuses)}
        where i.workspace_id = ${workspaceId} and i.page_ids && ${pages} and ${sql.literal(speaks)}
        group by page.id, affected.component_id
      )
      ${sql.literal(ofPages(columns))}
      where c.workspace_id = ${workspaceId} and c.page_id = any(${pages}) and ${condition}
      order by c.position, c.id`
  }

export const componentsOfPages = selectedOfPages(`${settings}, ${joinedSources}`)

/** Only the sources of each component's status, with its page and whether visitors see it. */
export const sourcesOfPages = selectedOfPages(`c.page_id as "pageId", c.hidden, ${joinedSources}`)

/**
 * Selects `id` and `page_id` of the components whose status monitors decide, directly or by the manifests that they read. By two
 * indexes.
 */
export const fedComponents = (
  sql: SqlClient.SqlClient,
  workspaceId: string,
  monitorIds: ReadonlyArray<string>
): Statement.Fragment =>
  sql`
  select id, page_id from components where workspace_id = ${workspaceId} and monitor_ids && ${monitorIds}::text[]
  union
  select id, page_id from components where workspace_id = ${workspaceId} and manifest_monitor_id = any(${monitorIds}::text[])`
