/** The AI reports that events of monitors ask for, until a runner takes them or they are too late. */
import { SqlClient } from "@effect/sql"
import { Context, DateTime, Effect, Option, Schema } from "effect"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { EventId, IncidentId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { AiReport } from "../../../schema/incident/AiReport.ts"
import { DatabaseClock } from "../postgres/DatabaseClock.ts"
import { findAll, write } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"

/** Notified when reports are asked for. */
export const aiReportsSignal = "belltower_ai_reports"

/** Whether this deployment writes reports. Without a provider nobody asks for any. */
export class ReportsWanted extends Context.Reference<ReportsWanted>()("belltower/AiReportsWanted", {
  defaultValue: () => false
}) {}

/** A report comes within this time, or not at all. */
export const reportDeadlineSec = 30

/** The least time between two reports on outages of one monitor, and the age at which requests are deleted. */
const spacingSec = 900
const keptSec = 3_600
const pruneBatch = 1_000

const ReportRequest = Schema.Struct({
  eventId: EventId,
  workspaceId: WorkspaceId,
  incidentId: IncidentId,
  monitorId: MonitorId,
  phase: Schema.Literal("opening", "recovery"),
  /** The check of the event: its row may not be stored yet. */
  check: Schema.Unknown,
  requestedAt: Schema.DateTimeUtcFromDate
})
export type ReportRequest = typeof ReportRequest.Type

const phases = { "monitor.down": "opening", "monitor.up": "recovery" } as const

const About = Schema.Struct({
  monitor: Schema.Struct({ _id: MonitorId }),
  incident: Schema.Struct({ id: IncidentId })
})

const encodeReport = Schema.encodeSync(Schema.parseJson(AiReport))

/** The report that an event asks for; none for an event without an incident. */
const wantedBy = ({ data, id, type, workspaceId }: WorkspaceEvent) =>
  type !== "monitor.down" && type !== "monitor.up" ? [] : Option.match(Schema.decodeUnknownOption(About)(data), {
    onNone: () => [],
    onSome: ({ incident, monitor }) => [
      { eventId: id, workspaceId, incidentId: incident.id, monitorId: monitor._id, phase: phases[type] }
    ]
  })

export class ReportRequests extends Effect.Service<ReportRequests>()("belltower/ReportRequests", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const clock = yield* DatabaseClock
    const isWanted = yield* ReportsWanted

    // Workspaces take turns. Bounded by what was asked for within the deadline.
    const take = findAll(ReportRequest, (limit: number, now: Date) =>
      sql`
        with turns as (
          select event_id, requested_at, row_number() over (partition by workspace_id order by requested_at, event_id) as turn
          from ai_report_requests
          where taken_at is null and requested_at > ${now}::timestamptz - ${reportDeadlineSec} * interval '1 second'
        ), chosen as (
          select r.event_id from ai_report_requests r join turns using (event_id)
          where r.taken_at is null order by turns.turn, turns.requested_at limit ${limit} for update of r skip locked
        ), taken as (
          update ai_report_requests r set taken_at = ${now} from chosen where r.event_id = chosen.event_id
          returning r.event_id, r.workspace_id, r.incident_id, r.monitor_id, r.phase, r.requested_at
        )
        select t.event_id as "eventId", t.workspace_id as "workspaceId", t.incident_id as "incidentId",
               t.monitor_id as "monitorId", t.phase, t.requested_at as "requestedAt", e.data -> 'check' as check
        from taken t join events e on e.workspace_id = t.workspace_id and e.id = t.event_id`)

    return {
      /** Asks for the reports of new events, in the caller's transaction: of monitors that want AI, and not too often. */
      add: Effect.fn("ReportRequests.add")(function*(events: ReadonlyArray<WorkspaceEvent>, now: DateTime.Utc) {
        const wanted = isWanted ? events.flatMap(wantedBy) : []
        if (wanted.length === 0) return
        const at = DateTime.toDateUtc(now)
        yield* sql`
          insert into ai_report_requests (event_id, workspace_id, incident_id, monitor_id, phase, requested_at)
          select event_id, r.workspace_id, incident_id, monitor_id, phase, ${at}
          from unnest(${wanted.map(({ eventId }) => eventId)}::text[], ${wanted.map(({ workspaceId }) => workspaceId)}::text[],
                      ${wanted.map(({ incidentId }) => incidentId)}::text[], ${wanted.map(({ monitorId }) => monitorId)}::text[],
                      ${wanted.map(({ phase }) => phase)}::text[]) as r (event_id, workspace_id, incident_id, monitor_id, phase)
          join monitors m on m.id = r.monitor_id and m.workspace_id = r.workspace_id and m.ai
          where not exists (
            select 1 from ai_report_requests e
            where e.monitor_id = r.monitor_id and e.phase = r.phase
              and e.requested_at > ${at}::timestamptz - ${spacingSec} * interval '1 second'
          )
          on conflict (event_id) do nothing`
        yield* signals.send(aiReportsSignal)
      }, Effect.orDie),
      /** Takes up to so many requests. A request is taken once: a process that dies leaves its report unwritten. */
      take: (limit: number) => Effect.flatMap(clock.now, (now) => take(limit, DateTime.toDateUtc(now))),
      /**
       * Completes the event that asked by its report: the only change that an event has. Its deliveries may have gone before. Runs
       * in the caller's transaction.
       */
      complete: (workspaceId: WorkspaceId, eventId: EventId, report: AiReport) =>
        write(sql`
          update events set data = jsonb_set(data, '{ai}', ${encodeReport(report)}::jsonb)
          where workspace_id = ${workspaceId} and id = ${eventId} and type in ('monitor.down', 'monitor.up')`),
      /** Deletes old requests, some at a time; true if there may be more. */
      prune: Effect.fn("ReportRequests.prune")(function*() {
        const now = yield* clock.now
        const deleted = yield* sql`
          delete from ai_report_requests where event_id in (
            select event_id from ai_report_requests
            where requested_at < ${DateTime.toDateUtc(now)}::timestamptz - ${keptSec} * interval '1 second' limit ${pruneBatch}
          ) returning 1`
        return deleted.length === pruneBatch
      }, Effect.orDie)
    }
  })
}) {}
