/** The figures of digests, their recipients, and when each workspace's is due. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { EventId, IncidentId, MonitorId, UserId, WorkspaceId } from "../../../schema/Ids.ts"
import { EmailAddress } from "../../../schema/people/Person.ts"
import type { Period } from "../../domain/digest/DigestWeek.ts"
import { makeId } from "../../domain/tools/Id.ts"
import { exists, findAll, findOne, findSingle, write } from "../postgres/Queries.ts"

const DueRow = Schema.Struct({
  id: WorkspaceId,
  name: Schema.String,
  timezone: Schema.String,
  createdAt: Schema.DateTimeUtcFromDate,
  dueAt: Schema.DateTimeUtcFromDate
})

const Recipient = Schema.Struct({
  id: UserId,
  name: Schema.NullOr(Schema.String),
  email: Schema.typeSchema(EmailAddress)
})

const Run = Schema.Struct({
  week: Schema.String,
  eventId: EventId,
  recipients: Schema.Int,
  captured: Schema.Boolean,
  sentAt: Schema.DateTimeUtcFromDate
})

const Counts = Schema.Struct({
  total: Schema.Int,
  previous: Schema.Int,
  open: Schema.Int,
  acknowledged: Schema.Int,
  averageMinutes: Schema.NullOr(Schema.Int)
})

const Longest = Schema.Struct({
  id: IncidentId,
  title: Schema.String,
  startedAt: Schema.DateTimeUtcFromDate,
  resolvedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  durationMinutes: Schema.Int,
  acknowledged: Schema.Boolean
})

const Span = Schema.Struct({
  workspaceId: WorkspaceId,
  before: Schema.DateTimeUtcFromSelf,
  from: Schema.DateTimeUtcFromSelf,
  to: Schema.DateTimeUtcFromSelf
})
type Span = typeof Span.Type

const mostListed = 10
const date = DateTime.toDateUtc

/** Ids sort by time, so the index by id bounds the incidents to read. They begin at most a day before their record. */
const firstId = (from: DateTime.Utc): string =>
  makeId("inc", DateTime.toEpochMillis(DateTime.subtract(from, { days: 1 })), new Uint8Array(10))

const makeIncidents = (sql: SqlClient.SqlClient) => {
  const isReal = sql`i.kind = 'incident'
    and not exists (select from drills d where d.workspace_id = i.workspace_id and d.incident_id = i.id)`
  const began = ({ from, to, workspaceId }: typeof Span.Encoded) =>
    sql`i.workspace_id = ${workspaceId} and i.id >= ${firstId(from)}
      and i.started_at >= ${date(from)} and i.started_at < ${date(to)} and ${isReal}`
  return {
    counts: findSingle(Counts, (span: Span) =>
      sql`
        select count(*) filter (where i.started_at >= ${date(span.from)})::int as total,
               count(*) filter (where i.started_at < ${date(span.from)})::int as previous,
               count(*) filter (where i.started_at >= ${date(span.from)} and i.acknowledgement is not null)::int as acknowledged,
               (select count(*)::int from incidents i
                where i.workspace_id = ${span.workspaceId} and i.resolved_at is null and ${isReal}) as open,
               round(avg(extract(epoch from i.resolved_at - i.started_at) / 60)
                 filter (where i.started_at >= ${date(span.from)} and i.resolved_at is not null))::int as "averageMinutes"
        from incidents i where ${began({ ...span, from: span.before })}`),
    longest: findAll(Longest, (span: Span) =>
      sql`
        select i.id, i.title, i.started_at as "startedAt", i.resolved_at as "resolvedAt",
               floor(extract(epoch from least(coalesce(i.resolved_at, ${date(span.to)}), ${
        date(span.to)
      }) - i.started_at) / 60)::int
                 as "durationMinutes",
               i.acknowledgement is not null as acknowledged
        from incidents i where ${began(span)} order by "durationMinutes" desc, i.id limit ${mostListed}`),
    byMonitor: findAll(Schema.Struct({ monitorId: MonitorId, count: Schema.Int }), (span: Span) =>
      sql`
        select i.monitor_id as "monitorId", count(*)::int as count from incidents i
        where ${began(span)} and i.monitor_id is not null group by i.monitor_id`)
  }
}

export class Digests extends Effect.Service<Digests>()("belltower/Digests", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const incidents = makeIncidents(sql)

    const ranOf = (workspaceId: WorkspaceId, week: string) =>
      exists(sql`select 1 from digest_runs where workspace_id = ${workspaceId} and week = ${week}`)

    return {
      /** Up to `limit` workspaces whose digest is due, the longest overdue first. */
      due: findAll(DueRow, (now: DateTime.Utc, limit: number) =>
        sql`
      select id, name, timezone, created_at as "createdAt", digest_at as "dueAt" from workspaces
      where digest_at <= ${date(now)} and deleted_at is null order by digest_at limit ${limit}`),
      /** Locks the workspace in the caller's transaction, and returns whether the digest of a week was made. */
      lockRan: (workspaceId: WorkspaceId, week: string): Effect.Effect<boolean> =>
        Effect.orDie(
          Effect.zipRight(sql`select 1 from workspaces where id = ${workspaceId} for no key update`, ranOf(workspaceId, week))
        ),
      schedule: (workspaceId: WorkspaceId, at: DateTime.Utc): Effect.Effect<void> =>
        write(sql`update workspaces set digest_at = ${date(at)} where id = ${workspaceId}`),
      recordRun: (workspaceId: WorkspaceId, run: typeof Run.Type) =>
        write(sql`
          insert into digest_runs (workspace_id, week, event_id, recipients, captured, sent_at)
          values (${workspaceId}, ${run.week}, ${run.eventId}, ${run.recipients}, ${run.captured}, ${date(run.sentAt)})`),
      subscribe: (workspaceId: WorkspaceId, userId: UserId, subscribed: boolean): Effect.Effect<void> =>
        write(sql`
          update memberships set digest = ${subscribed} where workspace_id = ${workspaceId} and user_id = ${userId}`),
      /** Up to `limit` monitors after an id. */
      monitors: findAll(
        Schema.Struct({ id: MonitorId, name: Schema.String }),
        (workspaceId: WorkspaceId, after: string, limit: number) =>
          sql`select id, name from monitors where workspace_id = ${workspaceId} and id > ${after} order by id limit ${limit}`
      ),
      // An address that is not proved receives nothing.
      recipients: findAll(Recipient, (workspaceId: WorkspaceId) =>
        sql`
      select u.id, u.name, u.email from memberships m join users u on u.id = m.user_id
      where m.workspace_id = ${workspaceId} and coalesce(m.digest, m.role = 'owner') and u.shown_email is null
      order by m.created_at, u.id`),
      subscribed: findOne(Schema.Struct({ subscribed: Schema.Boolean }), (workspaceId: WorkspaceId, userId: UserId) =>
        sql`
      select coalesce(digest, role = 'owner') as subscribed from memberships
      where workspace_id = ${workspaceId} and user_id = ${userId}`),
      /** The settings in all workspaces of a person. */
      ofPerson: findAll(
        Schema.Struct({ id: WorkspaceId, name: Schema.String, timezone: Schema.String, subscribed: Schema.Boolean }),
        (userId: UserId) =>
          sql`
      select w.id, w.name, w.timezone, coalesce(m.digest, m.role = 'owner') as subscribed
      from memberships m join workspaces w on w.id = m.workspace_id where m.user_id = ${userId} and w.deleted_at is null order by w.id`
      ),
      /** The last 10, newest first. */
      runs: findAll(Run, (workspaceId: WorkspaceId) =>
        sql`
      select week, event_id as "eventId", recipients, captured, sent_at as "sentAt" from digest_runs
      where workspace_id = ${workspaceId} order by week desc limit ${mostListed}`),
      /** The incidents that began in a period, and how many began in the one before. */
      incidents: Effect.fn("Digests.incidents")(function*(workspaceId: WorkspaceId, { from, to }: Period, before: Period) {
        const span: Span = { workspaceId, before: before.from, from, to }
        const counts = yield* incidents.counts(span)
        const longest = yield* incidents.longest(span)
        const byMonitor = yield* incidents.byMonitor(span)
        return {
          week: { ...counts, longest },
          byMonitor: new Map(byMonitor.map(({ count, monitorId }) => [monitorId, count]))
        }
      }, Effect.orDie)
    }
  })
}) {}
