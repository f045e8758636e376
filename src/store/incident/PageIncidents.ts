/** The public incidents and maintenances of one status page, with their public updates. */
import { SqlClient, type SqlError, SqlSchema } from "@effect/sql"
import { type DateTime, Effect, type ParseResult, Schema, Struct } from "effect"
import { type ComponentId, IncidentId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { PublicIncident, PublicUpdate, SetComponent } from "../../../schema/incident/Incident.ts"
import type { Window } from "../../domain/monitor/Uptime.ts"
import type { PageIncident } from "../../domain/page/PageIncident.ts"

const StoredIncident = Schema.Struct({
  ...Struct.omit(PublicIncident.fields, "url", "updates"),
  startedAt: Schema.DateTimeUtcFromDate,
  resolvedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  scheduledStart: Schema.NullOr(Schema.DateTimeUtcFromDate),
  scheduledEnd: Schema.NullOr(Schema.DateTimeUtcFromDate),
  automatic: Schema.Boolean,
  monitorName: Schema.NullOr(Schema.String),
  monitorTarget: Schema.Unknown.annotations({
    description: "As stored: a target that only a newer version can decode must not break the page"
  }),
  otherNames: Schema.Array(Schema.String),
  // Decoding fails rather than take an internal note.
  updates: Schema.Array(Schema.Struct({ ...PublicUpdate.fields, byPerson: Schema.Boolean }))
})

const RunningWindow = Schema.Struct({
  components: Schema.Array(SetComponent),
  from: Schema.Number,
  to: Schema.NullOr(Schema.Number)
})

/** Of 90 days; more are not taken out of the uptime. */
const mostWindows = 1_000

/** More than anyone reads on a page. */
const maxIncidents = 100

export class PageIncidents extends Effect.Service<PageIncidents>()("belltower/PageIncidents", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const onPage = (workspaceId: string, pageId: string) =>
      sql`
      select i.id, i.kind, i.automatic, i.title, i.status, i.impact, i.components, i.started_at as "startedAt",
        i.resolved_at as "resolvedAt", i.scheduled_start as "scheduledStart", i.scheduled_end as "scheduledEnd",
        i.ai_summary as "aiSummary", m.name as "monitorName", m.target as "monitorTarget",
        coalesce((
          select jsonb_agg(jsonb_build_object('id', u.id, 'status', u.status, 'body', u.body, 'at', u.at, 'ai', u.ai,
                                              'public', u.public, 'byPerson', u.by_person)
                           order by u.at, u.id)
          from incident_updates u
          where u.workspace_id = i.workspace_id and u.incident_id = i.id and u.public), '[]') as updates,
        coalesce((
          select jsonb_agg(c.name)
          from jsonb_array_elements(i.components) affected join components c on c.id = affected->>'componentId'
          where c.workspace_id = i.workspace_id and (c.page_id <> ${pageId} or c.hidden)), '[]') as "otherNames"
      from incidents i left join monitors m on m.id = i.monitor_id and m.workspace_id = i.workspace_id
      where i.workspace_id = ${workspaceId} and i.page_ids @> array[${pageId}]::text[] and i.public`

    const since = SqlSchema.findAll({
      Request: Schema.Struct({ workspaceId: WorkspaceId, pageId: PageId, from: Schema.DateTimeUtcFromDate }),
      Result: StoredIncident,
      execute: ({ from, pageId, workspaceId }) =>
        sql`
        ${onPage(workspaceId, pageId)} and (i.resolved_at is null or i.resolved_at > ${from})
        order by i.resolved_at is not null, i.started_at desc, i.id desc
        limit ${maxIncidents}`
    })

    const between = SqlSchema.findAll({
      Request: Schema.Struct({
        workspaceId: WorkspaceId,
        pageId: PageId,
        from: Schema.DateTimeUtcFromDate,
        before: Schema.DateTimeUtcFromDate,
        limit: Schema.Int
      }),
      Result: StoredIncident,
      // With ties, because the next page begins before the start of the last incident.
      execute: ({ before, from, limit, pageId, workspaceId }) =>
        sql`
        ${onPage(workspaceId, pageId)} and i.started_at >= ${from} and i.started_at < ${before}
        order by i.started_at desc fetch first ${limit} rows with ties`
    })

    const one = SqlSchema.findOne({
      Request: Schema.Struct({ workspaceId: WorkspaceId, pageId: PageId, id: IncidentId }),
      Result: StoredIncident,
      execute: ({ id, pageId, workspaceId }) => sql`${onPage(workspaceId, pageId)} and i.id = ${id}`
    })

    const running = SqlSchema.findAll({
      Request: Schema.Struct({ workspaceId: WorkspaceId, pageId: PageId, from: Schema.DateTimeUtcFromDate }),
      Result: RunningWindow,
      execute: ({ from, pageId, workspaceId }) =>
        sql`
        select components, (extract(epoch from started_at) * 1000)::float8 as "from",
          (extract(epoch from resolved_at) * 1000)::float8 as "to"
        from incidents
        where workspace_id = ${workspaceId} and page_ids @> array[${pageId}]::text[] and public and kind = 'maintenance'
          and status in ('in_progress', 'completed') and (resolved_at is null or resolved_at > ${from})
        order by started_at desc limit ${mostWindows}`
    })

    /** When maintenance windows were running that ended after `from`, by component; what still runs lasts to `now`. */
    const windows = (workspaceId: WorkspaceId, pageId: PageId, from: DateTime.Utc, now: DateTime.Utc) =>
      Effect.map(running({ workspaceId, pageId, from }), (rows) => {
        const byComponent = new Map<ComponentId, Array<Window>>()
        for (const { components, from: start, to } of rows) {
          for (const { componentId, status } of components) {
            if (status === "operational") continue
            const known = byComponent.get(componentId) ?? []
            byComponent.set(componentId, known)
            known.push({ from: start, to: to ?? now.epochMillis })
          }
        }
        return byComponent
      })

    return {
      one,
      windows,
      /** Those that began within a period, newest first. More than `limit` only if several began at the same time. */
      between,
      /** Those that are open, or were resolved after `from`: open ones first, then the newest first. */
      since: (
        workspaceId: WorkspaceId,
        pageId: PageId,
        from: DateTime.Utc
      ): Effect.Effect<ReadonlyArray<PageIncident>, ParseResult.ParseError | SqlError.SqlError> =>
        since({ workspaceId, pageId, from })
    }
  })
}) {}
