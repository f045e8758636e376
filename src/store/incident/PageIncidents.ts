/** The public incidents and maintenances of one status page, with their public updates, of which a read returns a bounded amount. */
import { SqlClient, type Statement } from "@effect/sql"
import { DateTime, Effect, Schema, Struct } from "effect"
import { ComponentId, IncidentId, type PageId, type WorkspaceId } from "../../../schema/Ids.ts"
import { PublicIncident, PublicUpdate, SetComponent } from "../../../schema/incident/Incident.ts"
import type { Window } from "../../domain/monitor/Uptime.ts"
import { tryAll, tryOne } from "../postgres/Queries.ts"
import { coveredComponents } from "./MaintenanceScope.ts"

const StoredIncident = Schema.Struct({
  ...Struct.omit(PublicIncident.fields, "url", "updates"),
  components: Schema.Array(SetComponent),
  startedAt: Schema.DateTimeUtcFromDate,
  resolvedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  scheduledStart: Schema.NullOr(Schema.DateTimeUtcFromDate),
  scheduledEnd: Schema.NullOr(Schema.DateTimeUtcFromDate),
  automatic: Schema.Boolean,
  wholePage: Schema.Boolean,
  monitorName: Schema.NullOr(Schema.String),
  monitorTarget: Schema.Unknown.annotations({
    description: "As stored: a target that only a newer version can decode must not break the page"
  }),
  otherNames: Schema.Array(Schema.String),
  isCut: Schema.Boolean,
  // Decoding fails rather than take an internal note.
  updates: Schema.Array(Schema.Struct({ ...PublicUpdate.fields, byPerson: Schema.Boolean }))
})

/** An incident in a sitemap. */
const StoredLink = Schema.Struct({
  id: IncidentId,
  automatic: Schema.Boolean,
  components: Schema.Array(SetComponent),
  changedAt: Schema.DateTimeUtcFromDate
})

const RunningWindow = Schema.Struct({
  componentIds: Schema.Array(ComponentId),
  from: Schema.Number,
  to: Schema.NullOr(Schema.Number)
})

/** Windows within 90 days; more are not taken out of the uptime. */
const mostWindows = 1_000

/** More than anyone reads on a page. */
const maxIncidents = 100

/** The updates of an incident among others; the newest are read. */
const updatesOfEach = 20

/** The updates of one incident by itself: all that an incident can have. */
const updatesOfOne = 500

/** The texts of all updates that one read returns, bytes. People write far less; a page holds them in memory and renders them. */
const mostText = 1024 * 1024

const mostLinks = 500

interface PageKey {
  readonly workspaceId: WorkspaceId
  readonly pageId: PageId
}

/** When incidents of a page began. */
interface Beginnings extends PageKey {
  readonly from: DateTime.Utc
  readonly before: DateTime.Utc
  readonly limit: number
}

export class PageIncidents extends Effect.Service<PageIncidents>()("belltower/PageIncidents", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /** The incidents of a page in the order of `order`, which is their `ordinal`, without updates. */
    const onPage = (workspaceId: string, pageId: string, order: Statement.Fragment) =>
      sql`
      select i.workspace_id, row_number() over (order by ${order}) as ordinal, i.id, i.kind, i.automatic, i.title, i.status,
        i.impact, i.components, i.whole_page_ids @> array[${pageId}]::text[] as "wholePage", i.started_at as "startedAt", i.resolved_at as "resolvedAt",
        i.scheduled_start as "scheduledStart", i.scheduled_end as "scheduledEnd", i.ai_summary as "aiSummary",
        m.name as "monitorName", m.target as "monitorTarget",
        coalesce((
          select jsonb_agg(c.name)
          from jsonb_array_elements(i.components) affected join components c on c.id = affected->>'componentId'
          where c.workspace_id = i.workspace_id and (c.page_id <> ${pageId} or c.hidden)), '[]') as "otherNames"
      from incidents i left join monitors m on m.id = i.monitor_id and m.workspace_id = i.workspace_id
      where i.workspace_id = ${workspaceId} and i.page_ids @> array[${pageId}]::text[] and i.public`

    /** Adds updates to incidents. Where their texts exceed the limit, each incident keeps its newest before any keeps an older one. */
    const withUpdates = (incidents: Statement.Fragment, most: number) =>
      sql`
      with picked as materialized (${incidents}),
      numbered as (
        select p.ordinal, u.*, sum(octet_length(u.body)) over (order by u.age, p.ordinal) as bytes
        from picked p cross join lateral (
          select id, status, body, at, ai, public, by_person,
            row_number() over (order by at desc, id desc) as age, count(*) over () as total
          from incident_updates
          where workspace_id = p.workspace_id and incident_id = p.id and public
          order by at desc, id desc limit ${most}) u),
      kept as (
        select ordinal, max(total) > count(*) filter (where bytes <= ${mostText}) as cut,
          jsonb_agg(jsonb_build_object('id', id, 'status', status, 'body', body, 'at', at, 'ai', ai, 'public', public,
                                       'byPerson', by_person)
                    order by at, id) filter (where bytes <= ${mostText}) as updates
        from numbered group by ordinal)
      select p.*, coalesce(k.updates, '[]') as updates, coalesce(k.cut, false) as "isCut"
      from picked p left join kept k using (ordinal) order by p.ordinal`

    const openFirst = sql.literal("i.resolved_at is not null, i.started_at desc, i.id desc")
    const newestFirst = sql.literal("i.started_at desc, i.id desc")

    const running = tryAll(RunningWindow, (workspaceId: WorkspaceId, pageId: PageId, from: DateTime.Utc) =>
      sql`
        select array(select affected.component_id from ${sql.literal(coveredComponents)} affected
                     where affected.status <> 'operational') as "componentIds",
          (extract(epoch from started_at) * 1000)::float8 as "from",
          (extract(epoch from resolved_at) * 1000)::float8 as "to"
        from incidents i
        where workspace_id = ${workspaceId} and page_ids @> array[${pageId}]::text[] and public and kind = 'maintenance'
          and status in ('in_progress', 'completed') and (resolved_at is null or resolved_at > ${DateTime.toDateUtc(from)})
        order by started_at desc limit ${mostWindows}`)

    return {
      /** With all of its updates, up to the limit of their texts. */
      one: tryOne(
        StoredIncident,
        ({ id, pageId, workspaceId }: PageKey & { readonly id: IncidentId }) =>
          withUpdates(sql`${onPage(workspaceId, pageId, newestFirst)} and i.id = ${id}`, updatesOfOne)
      ),
      /** When maintenance windows were running that ended after `from`, by component; what still runs lasts to `now`. */
      windows: (workspaceId: WorkspaceId, pageId: PageId, from: DateTime.Utc, now: DateTime.Utc) =>
        Effect.map(running(workspaceId, pageId, from), (rows) => {
          const byComponent = new Map<ComponentId, Array<Window>>()
          for (const { componentIds, from: start, to } of rows) {
            for (const componentId of componentIds) {
              const known = byComponent.get(componentId) ?? []
              byComponent.set(componentId, known)
              known.push({ from: start, to: to ?? now.epochMillis })
            }
          }
          return byComponent
        }),
      /** The newest, without their texts. */
      links: tryAll(StoredLink, ({ pageId, workspaceId }: PageKey) =>
        sql`
          select i.id, i.automatic, i.components,
            coalesce((
              select u.at from incident_updates u
              where u.workspace_id = i.workspace_id and u.incident_id = i.id and u.public
              order by u.id desc limit 1), i.started_at) as "changedAt"
          from incidents i
          where i.workspace_id = ${workspaceId} and i.page_ids @> array[${pageId}]::text[] and i.public
          order by i.started_at desc limit ${mostLinks}`),
      /**
       * Those that began within a period, newest first, with their newest updates. More than `limit` only if several began at the
       * same time as the last one.
       */
      // With ties, because what follows a page begins before the start of its last incident.
      between: tryAll(StoredIncident, ({ before, from, limit, pageId, workspaceId }: Beginnings) =>
        withUpdates(
          sql`
            ${onPage(workspaceId, pageId, newestFirst)} and i.started_at >= ${DateTime.toDateUtc(from)}
              and i.started_at < ${DateTime.toDateUtc(before)}
            order by i.started_at desc fetch first ${limit} rows with ties`,
          updatesOfEach
        )),
      /** The incidents that are open, or were resolved after `from`, with their newest updates: open ones first, then the newest first. */
      since: tryAll(StoredIncident, (workspaceId: WorkspaceId, pageId: PageId, from: DateTime.Utc) =>
        withUpdates(
          sql`
          ${onPage(workspaceId, pageId, openFirst)} and (i.resolved_at is null or i.resolved_at > ${DateTime.toDateUtc(from)})
          order by ${openFirst} limit ${maxIncidents}`,
          updatesOfEach
        ))
    }
  })
}) {}
