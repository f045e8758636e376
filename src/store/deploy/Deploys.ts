/** The rows of deploy markers. */
import { SqlClient, type Statement } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
import { Deploy } from "../../../schema/deploy/Deploy.ts"
import { DeployId, MonitorId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { exists, findAll, findOne } from "../postgres/Queries.ts"

const DeployRow = Schema.Struct({
  ...Deploy.omit("monitorId", "pageId").fields,
  at: Schema.DateTimeUtcFromDate,
  createdAt: Schema.DateTimeUtcFromDate
})

/** Null matches any deploy. */
const Filter = Schema.Struct({
  workspaceId: WorkspaceId,
  monitorId: Schema.NullOr(MonitorId),
  pageId: Schema.NullOr(PageId),
  environment: Schema.NullOr(Schema.String),
  since: Schema.NullOr(Schema.DateTimeUtcFromSelf),
  until: Schema.NullOr(Schema.DateTimeUtcFromSelf),
  after: Schema.NullOr(Schema.Struct({ id: DeployId, at: Schema.DateTimeUtcFromSelf })),
  limit: Schema.Int
})
export type DeployFilter = Partial<Omit<typeof Filter.Type, "workspaceId" | "limit">> & Pick<typeof Filter.Type, "limit">

const anything = { monitorId: null, pageId: null, environment: null, since: null, until: null, after: null }

const columns = `
  d.id, d.version, d.commit, d.url, d.environment, d.description, d.service, d.monitor_ids as "monitorIds",
  d.page_ids as "pageIds", d.at, d.created_at as "createdAt"`

const isWide = `(d.monitor_ids = '{}' and d.page_ids = '{}' and d.service is null)`

/** The monitors among which a service that nobody has is looked for. */
const mostNear = 500

/** A workspace keeps its newest deploys; older ones are deleted as new ones come. */
const mostKept = 10_000

export class Deploys extends Effect.Service<Deploys>()("belltower/Deploys", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    // The monitors that a page shows: those that its components follow, or read a manifest of.
    const ofPage = (workspaceId: string, pageId: string) =>
      sql`m.id in (
        select unnest(c.monitor_ids || c.manifest_monitor_id) from components c
        where c.workspace_id = ${workspaceId} and c.page_id = ${pageId})`

    // A service names monitors by their tag or name, as these are now.
    const concerns = (workspaceId: string, chosen: Statement.Fragment) =>
      sql`(${sql.literal(isWide)} or exists (
        select 1 from monitors m where m.workspace_id = ${workspaceId} and ${chosen}
          and (m.id = any(d.monitor_ids) or lower(d.service) = lower(m.name) or d.service = any(m.tags))))`

    // Of those that show the monitor, by the indexes of components; a deploy of such a page concerns the monitor.
    const ofShownPage = (workspaceId: string, monitorId: string) =>
      sql`d.page_ids && array(
        select c.page_id from components c where c.workspace_id = ${workspaceId}
          and (c.monitor_ids @> array[${monitorId}::text] or c.manifest_monitor_id = ${monitorId}))`

    // Only the filters that are set are written, so that the planner reads the index by time as far as needed.
    const conditions = ({ after, environment, monitorId, pageId, since, until, workspaceId }: typeof Filter.Encoded) => [
      sql`d.workspace_id = ${workspaceId}`,
      ...(monitorId === null
        ? []
        : [sql`(${concerns(workspaceId, sql`m.id = ${monitorId}`)} or ${ofShownPage(workspaceId, monitorId)})`]),
      ...(pageId === null
        ? []
        : [sql`(${pageId} = any(d.page_ids) or ${concerns(workspaceId, ofPage(workspaceId, pageId))})`]),
      ...(environment === null ? [] : [sql`d.environment = ${environment}`]),
      ...(since === null ? [] : [sql`d.at >= ${DateTime.toDateUtc(since)}`]),
      ...(until === null ? [] : [sql`d.at <= ${DateTime.toDateUtc(until)}`]),
      ...(after === null ? [] : [sql`(d.at, d.id) < (${DateTime.toDateUtc(after.at)}::timestamptz, ${after.id})`])
    ]

    /** The names and tags of the newest monitors. */
    const services = (workspaceId: WorkspaceId) =>
      Effect.orDie(Effect.map(
        sql<{ readonly service: string }>`
        select distinct unnest(name || tags) as service from (
          select name, tags from monitors where workspace_id = ${workspaceId} order by id desc limit ${mostNear}
        ) newest`,
        (rows) => rows.map(({ service }) => service)
      ))

    const matching = findAll(DeployRow, (filter: typeof Filter.Type) =>
      sql`
        select ${sql.literal(columns)} from deploys d where ${sql.and(conditions(filter))}
        order by d.at desc, d.id desc limit ${filter.limit}`)

    const insert = Effect.fn("Deploys.insert")(function*(workspaceId: WorkspaceId, deploy: Deploy) {
      const { at, commit, createdAt, description, environment, id, service, url, version } = deploy
      yield* sql`
        insert into deploys (id, workspace_id, version, commit, url, environment, description, service, monitor_ids, page_ids,
                             at, created_at)
        values (${id}, ${workspaceId}, ${version}, ${commit}, ${url}, ${environment}, ${description}, ${service},
                ${[...deploy.monitorIds]}::text[], ${[...deploy.pageIds]}::text[], ${DateTime.toDateUtc(at)},
                ${DateTime.toDateUtc(createdAt)})`
      yield* sql`
        delete from deploys where id in (
          select id from deploys where workspace_id = ${workspaceId} order by at desc, id desc offset ${mostKept} limit 100)`
    }, Effect.orDie)

    const timeOf = findOne(
      Schema.Struct({ at: Schema.DateTimeUtcFromDate }),
      (workspaceId: WorkspaceId, id: DeployId) => sql`select at from deploys where workspace_id = ${workspaceId} and id = ${id}`
    )

    return {
      /** Whether a monitor has this tag or name. */
      isService: (workspaceId: WorkspaceId, service: string) =>
        exists(sql`
        select 1 from monitors m
        where m.workspace_id = ${workspaceId} and (lower(${service}) = lower(m.name) or ${service} = any(m.tags)) limit 1`),
      services,
      insert,
      /** When a deploy was; none if there is no such deploy. */
      timeOf: (workspaceId: WorkspaceId, id: DeployId) => Effect.map(timeOf(workspaceId, id), Option.map(({ at }) => at)),
      /** Newest first. */
      matching: (workspaceId: WorkspaceId, filter: DeployFilter) => matching({ ...anything, ...filter, workspaceId }),
      /** False if there is no such deploy. */
      remove: (workspaceId: WorkspaceId, id: DeployId): Effect.Effect<boolean> =>
        exists(sql`delete from deploys where workspace_id = ${workspaceId} and id = ${id} returning 1`)
    }
  })
}) {}
