/** The rows of drills, and what became of their alerts. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option, Schema, Struct } from "effect"
import { Drill, DrillDelivery, DrillStage, DrillWay } from "../../../schema/drill/Drill.ts"
import { type DrillId, type IncidentId, type MonitorId, UserId, WorkspaceId } from "../../../schema/Ids.ts"
import type { AlertFacts } from "../../domain/drill/DrillSteps.ts"
import { exists, findAll, findOne, write } from "../postgres/Queries.ts"

const Row = Schema.Struct({
  ...Struct.omit(Drill.fields, "person", "ways"),
  person: Schema.NullOr(UserId),
  ways: Schema.NullOr(Schema.Array(DrillWay)),
  createdAt: Schema.DateTimeUtcFromDate,
  finishedAt: Schema.NullOr(Schema.DateTimeUtcFromDate)
})

const Claimed = Schema.Struct({
  ...Row.fields,
  workspaceId: WorkspaceId,
  deadlineAt: Schema.DateTimeUtcFromDate
})

/** A drill of channels has neither a person nor ways. */
const drillOf = <Found extends typeof Row.Type>({ person, ways, ...drill }: Found) => ({
  ...drill,
  ...(person === null ? {} : { person, ways: ways ?? [] })
})

/** A process that takes a drill on renews its lease with each step; after that, another one goes on with it. */
const leaseSec = 15

const encodeStages = Schema.encodeSync(Schema.parseJson(Schema.Array(DrillStage)))
const encodeWays = Schema.encodeSync(Schema.parseJson(Schema.Array(DrillWay)))
const encodeDeliveries = Schema.encodeSync(Schema.parseJson(Schema.Array(DrillDelivery)))

const columns = `
  id, status, monitor_id as "monitorId", incident_id as "incidentId", stages, deliveries, paged, captured, unreached, person, ways, error,
  created_at as "createdAt", finished_at as "finishedAt"`

const AlertRow = Schema.Struct({
  channelId: DrillDelivery.fields.channelId,
  status: DrillDelivery.fields.status,
  statusCode: DrillDelivery.fields.statusCode,
  error: Schema.NullOr(Schema.String),
  afterMs: Schema.NullOr(Schema.Int)
})

/** The state of a drill's alert, for each of its channels. */
const makeAlerts = (sql: SqlClient.SqlClient) => {
  const event = findOne(
    Schema.Struct({ id: Schema.String, settled: Schema.Boolean }),
    (workspaceId: WorkspaceId, monitorId: MonitorId, type: string, since: string) =>
      sql`
      select e.id, e.fanned_out and not exists (select from grouped_alerts g where g.workspace_id = e.workspace_id and g.event_id = e.id)
             and not exists (
               select from deliveries d
               where d.workspace_id = e.workspace_id and d.event_id = e.id and d.status = 'due' and d.attempts = 0) as settled
      from events e
      where e.workspace_id = ${workspaceId} and e.id > ${since} and e.type = ${type} and e.data -> 'monitor' ->> '_id' = ${monitorId}
      order by e.id limit 1`
  )
  const deliveries = findAll(AlertRow, (workspaceId: WorkspaceId, drillId: DrillId, eventId: string) =>
    sql`
      select d.channel_id as "channelId", case when d.captured then 'captured' when d.status = 'due' then 'retrying' else d.status end as status,
             d.last_status_code as "statusCode", d.last_error as error,
             round(extract(epoch from coalesce(d.finished_at, now()) - r.created_at) * 1000)::int as "afterMs"
      from deliveries d join drills r on r.workspace_id = d.workspace_id and r.id = ${drillId}
      where d.workspace_id = ${workspaceId} and d.event_id = ${eventId} and (d.status <> 'due' or d.attempts > 0)
      union all
      select q.channel_id, 'held', null, null, null from quiet_alerts q
      where q.workspace_id = ${workspaceId} and q.event_id = ${eventId}
      union all
      select a.channel_id, 'grouped', null, null, null
      from drills r join alerted_channels a on a.workspace_id = r.workspace_id and a.incident_id = r.incident_id
      where r.workspace_id = ${workspaceId} and r.id = ${drillId}
        and exists (select from events e where e.workspace_id = ${workspaceId} and e.id = ${eventId} and e.fanned_out)
        and not exists (select from grouped_alerts g where g.workspace_id = ${workspaceId} and g.event_id = ${eventId})
        and not exists (select from deliveries d where d.workspace_id = ${workspaceId} and d.event_id = ${eventId})
        and not exists (select from quiet_alerts q where q.workspace_id = ${workspaceId} and q.event_id = ${eventId})`)
  return { event, deliveries }
}

export class Drills extends Effect.Service<Drills>()("belltower/Drills", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const selected = sql.literal(columns)
    const alerts = makeAlerts(sql)

    const find = findOne(
      Row,
      (workspaceId: WorkspaceId, id: DrillId) =>
        sql`select ${selected} from drills where workspace_id = ${workspaceId} and id = ${id}`
    )

    const takeAbandoned = findAll(Claimed, (limit: number) =>
      sql`
        update drills set due_at = now() + make_interval(secs => ${leaseSec})
        where id in (
          select id from drills where due_at <= now() and finished_at is null order by due_at limit ${limit}
          for update skip locked
        )
        returning ${selected}, workspace_id as "workspaceId", deadline_at as "deadlineAt"`)

    const paged = findAll(
      Schema.Struct({ email: Schema.String, reason: Schema.NullOr(Schema.String), captured: Schema.Boolean }),
      (workspaceId: WorkspaceId, incidentId: IncidentId, since: string) =>
        sql`
        select person ->> 'email' as email, person ->> 'reason' as reason,
          bool_and(e.data -> 'notified' ->> 'mail' is not distinct from 'captured') as captured
        from events e,
          jsonb_array_elements((e.data -> 'notified' -> 'users') || coalesce(e.data -> 'notified' -> 'unreached', '[]')) as person
        where e.workspace_id = ${workspaceId} and e.id > ${since} and e.type = 'incident.escalated'
          and e.data -> 'incident' ->> 'id' = ${incidentId}
        group by 1, 2 order by 1`
    )

    return {
      find: (workspaceId: WorkspaceId, id: DrillId): Effect.Effect<Option.Option<Drill>> =>
        Effect.map(find(workspaceId, id), Option.map(drillOf)),
      /** In the caller's transaction. False if another drill of the workspace runs. */
      insert: (workspaceId: WorkspaceId, drill: Drill, deadlineAt: DateTime.Utc): Effect.Effect<boolean> =>
        exists(sql`
          insert into drills (id, workspace_id, monitor_id, status, stages, deliveries, paged, person, created_at, due_at, deadline_at)
          values (${drill.id}, ${workspaceId}, ${drill.monitorId}, ${drill.status}, '[]', '[]', '[]',
                  ${drill.person ?? null}, ${DateTime.toDateUtc(drill.createdAt)}, now() + make_interval(secs => ${leaseSec}),
                  ${DateTime.toDateUtc(deadlineAt)})
          on conflict (workspace_id) where finished_at is null do nothing returning id`),
      /** Writes the reached stages and renews the lease; a drill that has finished stays as it is. */
      save: (workspaceId: WorkspaceId, drill: Drill): Effect.Effect<void> =>
        write(sql`
          update drills set status = ${drill.status}, incident_id = ${drill.incidentId},
            stages = ${encodeStages(drill.stages)}::jsonb, deliveries = ${encodeDeliveries(drill.deliveries)}::jsonb,
            paged = ${JSON.stringify(drill.paged)}::jsonb, captured = ${JSON.stringify(drill.captured)}::jsonb,
            unreached = ${JSON.stringify(drill.unreached)}::jsonb,
            ways = ${drill.ways === undefined ? null : encodeWays(drill.ways)}::jsonb, error = ${drill.error},
            finished_at = ${drill.finishedAt === null ? null : DateTime.toDateUtc(drill.finishedAt)}::timestamptz,
            due_at = case when ${drill.finishedAt === null} then now() + make_interval(secs => ${leaseSec}) end
          where workspace_id = ${workspaceId} and id = ${drill.id} and finished_at is null`),
      /** Takes drills on whose process died. */
      takeAbandoned: (limit: number) => Effect.map(takeAbandoned(limit), (found) => found.map(drillOf)),
      /** The deliveries of the first event of a type of the drill's monitor. Events of a drill come after its id in time. */
      alert: Effect.fn("Drills.alert")(
        function*(
          workspaceId: WorkspaceId,
          { id: drillId, monitorId }: Drill,
          type: "monitor.down" | "monitor.up",
          since: string
        ) {
          const found = yield* alerts.event(workspaceId, monitorId, type, since)
          if (Option.isNone(found)) return { settled: false, deliveries: [] } satisfies AlertFacts
          const rows = yield* alerts.deliveries(workspaceId, drillId, found.value.id)
          const facts: AlertFacts = {
            settled: found.value.settled,
            deliveries: rows.map((row) => ({ ...row, event: type }))
          }
          return facts
        },
        Effect.orDie
      ),
      /**
       * The addresses of those who were paged about an incident, of those whose pages were all captured instead of mailed, and of those
       * whose turn it was and whom no page reaches.
       */
      paged: (workspaceId: WorkspaceId, incidentId: IncidentId, since: string) =>
        Effect.map(paged(workspaceId, incidentId, since), (rows) => ({
          paged: rows.flatMap(({ email, reason }) => reason === null ? [email] : []),
          captured: rows.flatMap(({ captured, email, reason }) => reason === null && captured ? [email] : []),
          unreached: rows.flatMap(({ email, reason }) => reason === null ? [] : [{ person: email, reason }])
        }))
    }
  })
}) {}
