/** Troubles of monitors that depend on others, are in maintenance or muted: whether they were announced, and the held alert. */
import { SqlClient, type Statement } from "@effect/sql"
import { DateTime, Effect, Option } from "effect"
import type { EventId, IncidentId, MonitorId, MuteId, WorkspaceId } from "../../../schema/Ids.ts"
import { keptBackBy, type StoredTrouble } from "../../domain/alert/KeptBackAlerts.ts"
import { Alarms } from "../Alarms.ts"
import { eventsSignal } from "../event/EventLog.ts"
import { Signals } from "../postgres/Signals.ts"
import { covers } from "./MuteScope.ts"
import { makeIncidentDoubt } from "./RestoredDoubt.ts"
import { type ChangedWindow, makeTroubleQueries } from "./TroubleQueries.ts"
import { waitingAlertsSignal } from "./WaitingAlertsSignal.ts"

export class KeptBackTroubles extends Effect.Service<KeptBackTroubles>()("belltower/KeptBackTroubles", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const incidentDoubt = makeIncidentDoubt(sql)
    const alarms = yield* Alarms
    const { componentsMuted, due, keptBack, maintainedMonitors, recovery, waitingPages } = makeTroubleQueries(sql)

    /** Has incidents take the steps of their alerting that waited, which they look for every few minutes only. */
    const wakeIncidents = (workspaceIds: ReadonlyArray<WorkspaceId>, condition: Statement.Fragment, now: DateTime.Utc) =>
      Effect.flatMap(
        waitingPages([...new Set(workspaceIds)], condition, now),
        (incidents) => alarms.armBy("incident", incidents)
      )

    const wakePages = (workspaceId: WorkspaceId, ids: ReadonlyArray<MonitorId>, now: DateTime.Utc) =>
      wakeIncidents([workspaceId], sql`m.id = any(${ids}::text[])`, now)

    return {
      /** The given monitors that depend on others, are in maintenance or just out of it, or muted. */
      find: (workspaceIds: ReadonlyArray<WorkspaceId>, ids: ReadonlyArray<MonitorId>, now: DateTime.Utc) =>
        ids.length === 0 ? Effect.succeed([]) : keptBack(workspaceIds, ids, now),
      /** Keeps troubles, and forgets those of monitors that are `over`. */
      save: Effect.fn("KeptBackTroubles.save")(function*(
        workspaceIds: ReadonlyArray<WorkspaceId>,
        rows: ReadonlyArray<StoredTrouble>,
        over: ReadonlyArray<MonitorId>
      ) {
        if (over.length > 0) {
          yield* sql`
            delete from dependent_troubles
            where workspace_id = any(${workspaceIds}::text[]) and monitor_id = any(${over}::text[])`
        }
        if (rows.length === 0) return
        yield* sql`
          insert into dependent_troubles (monitor_id, workspace_id, told, waiting_event_id, parent_id, due_at)
          select * from unnest(${rows.map(({ monitorId }) => monitorId)}::text[], ${rows.map((row) => row.workspaceId)}::text[],
                               ${rows.map(({ announced }) => announced)}::boolean[], ${
          rows.map(({ waiting }) => waiting)
        }::text[],
                               ${rows.map(({ parentId }) => parentId)}::text[],
                               ${
          rows.map(({ reviewAt }) => reviewAt === null ? null : DateTime.toDateUtc(reviewAt))
        }::timestamptz[])
            as t (monitor_id, workspace_id, told, waiting_event_id, parent_id, due_at)
          order by monitor_id
          on conflict (monitor_id) do update
          set told = excluded.told, waiting_event_id = excluded.waiting_event_id, parent_id = excluded.parent_id,
              due_at = excluded.due_at
          where dependent_troubles.workspace_id = excluded.workspace_id`
        yield* signals.send(waitingAlertsSignal)
      }),
      /**
       * Ends the way of alerts that waited and that later events have replaced. After `save`, which waits for a review that has just
       * released such an alert: it would be sent after the end of the trouble.
       */
      drop: (alerts: ReadonlyArray<{ readonly workspaceId: WorkspaceId; readonly eventId: EventId }>) =>
        alerts.length === 0 ? Effect.void : sql`
          update events e set fanned_out = true
          from unnest(${alerts.map(({ workspaceId }) => workspaceId)}::text[], ${alerts.map(({ eventId }) => eventId)}::text[])
            as r (workspace_id, id)
          where e.workspace_id = r.workspace_id and e.id = r.id and not e.fanned_out`,
      /** Gives the monitors that depended on these parents the time that they need to recover. */
      free: (
        parents: ReadonlyArray<{ readonly workspaceId: WorkspaceId; readonly monitorId: MonitorId }>,
        now: DateTime.Utc
      ) => {
        const update = sql`
          update dependent_troubles t
          set due_at = ${DateTime.toDateUtc(now)}::timestamptz + ${recovery}
          from monitors m
          where t.workspace_id = any(${[...new Set(parents.map(({ workspaceId }) => workspaceId))]}::text[])
            and t.parent_id = any(${parents.map(({ monitorId }) => monitorId)}::text[])
            and m.workspace_id = t.workspace_id and m.id = t.monitor_id`
        const workspaceIds = parents.map(({ workspaceId }) => workspaceId)
        // All monitors in trouble that depend on others are among these: 0.04 ms without any beside 10,000 open incidents, 1 ms with 300.
        const isChild = sql`
          m.id = any(array(select monitor_id from dependent_troubles where workspace_id = any(${workspaceIds}::text[])))
          and m.depends_on && ${parents.map(({ monitorId }) => monitorId)}::text[]`
        const wake = wakeIncidents(workspaceIds, isChild, now)
        return parents.length === 0
          ? Effect.void
          : Effect.all([update, wake, signals.send(waitingAlertsSignal)], { discard: true })
      },
      /** Has the waiting alerts of monitors reviewed now that lost a parent, a tag or a component. */
      reviewNow: (workspaceId: WorkspaceId, ids: ReadonlyArray<MonitorId>, now: DateTime.Utc) => {
        const at = DateTime.toDateUtc(now)
        const update = sql`
          update dependent_troubles set due_at = ${at}
          where workspace_id = ${workspaceId} and monitor_id = any(${ids}::text[]) and due_at > ${at}`
        const review = Effect.all([update, wakePages(workspaceId, ids, now), signals.send(waitingAlertsSignal)], {
          discard: true
        })
        return ids.length === 0 ? Effect.void : Effect.orDie(review)
      },
      /** Has the pages about monitors whose parent was deleted sent after their time to recover. Its event frees their alerts. */
      wakePages: (workspaceId: WorkspaceId, ids: ReadonlyArray<MonitorId>, now: DateTime.Utc) =>
        ids.length === 0 ? Effect.void : Effect.orDie(wakePages(workspaceId, ids, now)),
      /**
       * Gives the monitors of windows that are over, or hand components back, the time that they need to recover, and returns those that
       * are in trouble: they are alerted if they still are then, and in no other window.
       */
      endMaintenance: Effect.fnUntraced(function*(
        changed: ReadonlyArray<ChangedWindow>,
        now: DateTime.Utc
      ) {
        const freed = changed.length === 0 ? [] : yield* maintainedMonitors(changed, now)
        if (freed.length === 0) return []
        yield* sql`
          update dependent_troubles t set due_at = freed.at
          from unnest(${freed.map(({ workspaceId }) => workspaceId)}::text[], ${freed.map(({ monitorId }) => monitorId)}::text[],
                      ${freed.map(({ at }) => DateTime.toDateUtc(at))}::timestamptz[]) as freed (workspace_id, monitor_id, at)
          where t.workspace_id = freed.workspace_id and t.monitor_id = freed.monitor_id and t.due_at is not null`
        const [workspaceIds, ids] = [freed.map(({ workspaceId }) => workspaceId), freed.map(({ monitorId }) => monitorId)]
        yield* wakeIncidents(workspaceIds, sql`m.id = any(${ids}::text[])`, now)
        yield* signals.send(waitingAlertsSignal)
        return freed
      }),
      /** Gives the monitors of mutes that are over the time that they need to recover, and then has their alerts reviewed. */
      endMutes: (
        over: ReadonlyArray<{ readonly workspaceId: WorkspaceId; readonly muteId: MuteId }>,
        now: DateTime.Utc
      ) => {
        const update = sql`
          update dependent_troubles t
          set due_at = ${DateTime.toDateUtc(now)}::timestamptz + ${recovery}
          from mutes x join monitors m on m.workspace_id = x.workspace_id and ${sql.literal(covers)}
          where (x.workspace_id, x.id) in (
              select * from unnest(${over.map(({ workspaceId }) => workspaceId)}::text[], ${
          over.map(({ muteId }) => muteId)
        }::text[]))
            and t.workspace_id = m.workspace_id and t.monitor_id = m.id and t.due_at is not null`
        const isCovered = sql`(m.id is null or exists (
          select from mutes x
          where x.workspace_id = i.workspace_id and x.id = any(${over.map(({ muteId }) => muteId)}::text[]) and ${
          sql.literal(covers)
        }))`
        const wake = wakeIncidents(over.map(({ workspaceId }) => workspaceId), isCovered, now)
        return over.length === 0 ? Effect.void : Effect.all([update, wake, signals.send(waitingAlertsSignal)], { discard: true })
      },
      /**
       * Locks up to 100 alerts of one workspace that are due to be looked at, in the caller's transaction; of none in `except`. Empty
       * if others hold all that are.
       */
      takeDue: due,
      /** Notes when alerts that the caller's transaction has taken are looked at again; never if that is null. */
      lookAgain: (
        workspaceId: WorkspaceId,
        alerts: ReadonlyArray<{ readonly monitorId: MonitorId; readonly again: DateTime.Utc | null }>
      ) =>
        sql`
        update dependent_troubles t set due_at = r.due_at
        from unnest(${alerts.map(({ monitorId }) => monitorId)}::text[],
                    ${alerts.map(({ again }) => (again === null ? null : DateTime.toDateUtc(again)))}::timestamptz[])
          as r (monitor_id, due_at)
        where t.workspace_id = ${workspaceId} and t.monitor_id = r.monitor_id`,
      /** Has alerts go through the fan-out again. */
      release: (workspaceId: WorkspaceId, ids: ReadonlyArray<EventId>) =>
        Effect.zipRight(
          sql`update events set fanned_out = false where workspace_id = ${workspaceId} and id = any(${ids}::text[])`,
          signals.send(eventsSignal, workspaceId)
        ),
      /** The reason to hold back alerts of a monitor's incident, if any. */
      keptBack: (workspaceId: WorkspaceId, id: MonitorId, incident: Parameters<typeof keptBackBy>[1], now: DateTime.Utc) =>
        Effect.map(
          keptBack([workspaceId], [id], now),
          ([found]) => Option.fromNullable(found === undefined ? null : keptBackBy(found, incident))
        ),
      /** Whether nobody knows yet if an incident, which a restored database shows, is still one. */
      inDoubt: incidentDoubt,
      /** Until when alerts about an incident that components opened wait for the end of a mute; none if they do not. */
      componentsMutedUntil: (workspaceId: WorkspaceId, id: IncidentId) =>
        Effect.map(componentsMuted(workspaceId, id), ([found]) => Option.fromNullable(found?.until ?? null))
    }
  }),
  dependencies: [Alarms.Default]
}) {}
