/**
 * Alerts of monitors that depend on others or are in maintenance: which wait while a parent is down or a window is running, and when they
 * are looked at again.
 */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import type { EventType, WorkspaceEvent } from "../../../schema/event/Event.ts"
import type { EventId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { type DependentTrouble, reviewTime, sift, type TroubleStep } from "../../domain/alert/Dependencies.ts"
import { componentsOf, monitorOf } from "../../domain/alert/EventRouting.ts"
import { Alarms } from "../Alarms.ts"
import { eventsSignal } from "../event/EventLog.ts"
import { OutagesInMaintenance } from "../incident/OutagesInMaintenance.ts"
import { Signals } from "../postgres/Signals.ts"
import { type Dependent, type DueAlert, makeTroubleQueries } from "./TroubleQueries.ts"
import { waitingAlertsSignal } from "./WaitingAlertsSignal.ts"

const stepOf: Partial<Record<EventType, TroubleStep>> = {
  "monitor.down": "begins",
  "monitor.degraded": "begins",
  "monitor.reminder": "continues",
  "monitor.up": "ends"
}

/** After these, what waits for the monitor is looked at again. */
const freesOthers: ReadonlyArray<EventType> = ["monitor.up", "monitor.deleted"]

/** The fan-out takes less, unless it is far behind. */
const fanOutTime = Duration.seconds(5)

const troubleOf = ({ told, waiting }: Dependent): DependentTrouble | null => (told === null ? null : { told, waiting })

interface Decided extends DependentTrouble {
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
  readonly parentId: MonitorId | null
  readonly reviewAt: DateTime.Utc | null
}

export class DependentTroubles extends Effect.Service<DependentTroubles>()("belltower/DependentTroubles", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const alarms = yield* Alarms
    const outages = yield* OutagesInMaintenance
    const { dependents, due, maintainedMonitors, recovery } = makeTroubleQueries(sql)

    const save = Effect.fn("DependentTroubles.save")(function*(
      workspaceIds: ReadonlyArray<WorkspaceId>,
      rows: ReadonlyArray<Decided>,
      over: ReadonlyArray<MonitorId>
    ) {
      if (over.length > 0) {
        yield* sql`
          delete from dependent_troubles
          where workspace_id = any(${workspaceIds}::text[]) and monitor_id = any(${over}::text[])`
      }
      if (rows.length === 0) return
      yield* sql`
        insert into dependent_troubles (monitor_id, workspace_id, told, waiting_event_id, parent_id, review_at)
        select * from unnest(${rows.map(({ monitorId }) => monitorId)}::text[], ${rows.map((row) => row.workspaceId)}::text[],
                             ${rows.map(({ told }) => told)}::boolean[], ${rows.map(({ waiting }) => waiting)}::text[],
                             ${rows.map(({ parentId }) => parentId)}::text[],
                             ${
        rows.map(({ reviewAt }) => reviewAt === null ? null : DateTime.toDateUtc(reviewAt))
      }::timestamptz[])
          as t (monitor_id, workspace_id, told, waiting_event_id, parent_id, review_at)
        order by monitor_id
        on conflict (monitor_id) do update
        set told = excluded.told, waiting_event_id = excluded.waiting_event_id, parent_id = excluded.parent_id,
            review_at = excluded.review_at
        where dependent_troubles.workspace_id = excluded.workspace_id`
      yield* signals.send(waitingAlertsSignal)
    })

    /**
     * Ends the way of alerts that waited and that later events have replaced. After `save`, which waits for a review that has just
     * released such an alert: it would be sent after the end of the trouble.
     */
    const dropWaiting = (alerts: ReadonlyArray<{ readonly workspaceId: WorkspaceId; readonly eventId: EventId }>) =>
      alerts.length === 0 ? Effect.void : sql`
        update events e set fanned_out = true
        from unnest(${alerts.map(({ workspaceId }) => workspaceId)}::text[], ${alerts.map(({ eventId }) => eventId)}::text[])
          as r (workspace_id, id)
        where e.workspace_id = r.workspace_id and e.id = r.id and not e.fanned_out`

    /** A monitor that depended on one of these gets the time that it needs to recover. */
    const free = (events: ReadonlyArray<WorkspaceEvent>, now: DateTime.Utc) => {
      const freeing = events.filter(({ type }) => freesOthers.includes(type))
      const update = sql`
        update dependent_troubles t
        set review_at = ${DateTime.toDateUtc(now)}::timestamptz + ${recovery}
        from monitors m
        where t.workspace_id = any(${[...new Set(freeing.map(({ workspaceId }) => workspaceId))]}::text[])
          and t.parent_id = any(${freeing.flatMap((event) => monitorOf(event) ?? [])}::text[])
          and m.workspace_id = t.workspace_id and m.id = t.monitor_id`
      return freeing.length === 0 ? Effect.void : Effect.zipRight(update, signals.send(waitingAlertsSignal))
    }

    /** Monitors whose maintenance is over get the time that they need to recover, and are told if they are still down then. */
    const endMaintenance = Effect.fnUntraced(function*(events: ReadonlyArray<WorkspaceEvent>, now: DateTime.Utc) {
      const over = events.flatMap((event) =>
        event.type === "maintenance.completed"
          ? componentsOf(event).map((componentId) => ({ workspaceId: event.workspaceId, componentId }))
          : []
      )
      if (over.length === 0) return
      const freed = yield* maintainedMonitors({ over, now })
      if (freed.length === 0) return
      yield* sql`
        update dependent_troubles t set review_at = freed.at
        from unnest(${freed.map(({ workspaceId }) => workspaceId)}::text[], ${freed.map(({ monitorId }) => monitorId)}::text[],
                    ${freed.map(({ at }) => DateTime.toDateUtc(at))}::timestamptz[]) as freed (workspace_id, monitor_id, at)
        where t.workspace_id = freed.workspace_id and t.monitor_id = freed.monitor_id and t.review_at is not null`
      yield* outages.showLater(freed)
      yield* signals.send(waitingAlertsSignal)
    })

    /** Returns the events that are sent now, in the caller's transaction, and which of them have waited. Those that wait are kept. */
    const siftEvents = Effect.fn("DependentTroubles.sift")(function*(events: ReadonlyArray<WorkspaceEvent>, now: DateTime.Utc) {
      const ids = events.flatMap((event) => (stepOf[event.type] === undefined ? [] : monitorOf(event) ?? []))
      const found = ids.length === 0
        ? []
        : yield* dependents({ workspaceIds: [...new Set(events.map(({ workspaceId }) => workspaceId))], ids, now })
      const known = new Map<string, Dependent>(found.map((one) => [one.monitorId, one]))
      const troubles = new Map<string, DependentTrouble | null>(found.map((one) => [one.monitorId, troubleOf(one)]))
      const changed = new Map<MonitorId, Decided | null>()
      const waited = new Set<WorkspaceEvent>()
      const sent = events.filter((event) => {
        const monitorId = monitorOf(event)
        const [step, dependent] = [stepOf[event.type], known.get(monitorId ?? "")]
        if (monitorId === null || step === undefined || dependent === undefined) return true
        const before = troubles.get(monitorId) ?? null
        // Only the first alert waits for a parent's checks, and only once.
        const doubtful = step === "begins" && dependent.parentId !== null && before?.waiting !== event.id
        // Only what begins in a window is kept back, not an outage from before it.
        const planned = step === "begins" && dependent.maintenanceSince !== null &&
          DateTime.greaterThanOrEqualTo(event.at, dependent.maintenanceSince)
        const shadowed = dependent.down === true || doubtful || planned
        const { after, sent } = sift(before, step, event.id, shadowed)
        troubles.set(monitorId, after)
        if (sent && before?.waiting === event.id) waited.add(event)
        const waits = after?.waiting !== null
        changed.set(
          monitorId,
          after === null ? null : {
            ...after,
            workspaceId: event.workspaceId,
            monitorId,
            parentId: waits ? dependent.parentId : null,
            reviewAt: waits ? dependent.reviewAt : null
          }
        )
        return sent
      })
      const decided = [...changed]
      const dropped = events.flatMap((event) => {
        const monitorId = monitorOf(event)
        const waited = known.get(monitorId ?? "")?.waiting ?? null
        const isReplaced = monitorId !== null && changed.has(monitorId) && changed.get(monitorId)?.waiting !== waited
        // One that is among these events goes its way with them.
        if (waited === null || !isReplaced || events.some(({ id }) => id === waited)) return []
        return [{ workspaceId: event.workspaceId, eventId: waited }]
      })
      const deleted = events.flatMap((event) => (event.type === "monitor.deleted" ? monitorOf(event) ?? [] : []))
      yield* save(
        [...new Set(events.map(({ workspaceId }) => workspaceId))],
        decided.flatMap(([, row]) => row ?? []),
        [...decided.flatMap(([id, row]) => (row === null ? [id] : [])), ...deleted]
      )
      yield* dropWaiting(dropped)
      yield* free(events, now)
      yield* endMaintenance(events, now)
      return { sent, waited }
    }, Effect.orDie)

    /**
     * Looks at alerts that wait, which the caller's transaction has taken: those of monitors that are still in trouble without a
     * parent in trouble go through the fan-out again.
     */
    const review = Effect.fn("DependentTroubles.review")(function*(
      workspaceId: WorkspaceId,
      rows: ReadonlyArray<DueAlert>,
      now: DateTime.Utc
    ) {
      const again = DateTime.toDateUtc(DateTime.addDuration(now, reviewTime))
      const waits = rows.map(({ shadowed, troubled }) => (shadowed && troubled ? again : null))
      yield* sql`
        update dependent_troubles t set review_at = r.review_at
        from unnest(${rows.map(({ monitorId }) => monitorId)}::text[], ${waits}::timestamptz[]) as r (monitor_id, review_at)
        where t.workspace_id = ${workspaceId} and t.monitor_id = r.monitor_id`
      const released = rows.filter(({ shadowed, troubled }) => troubled && !shadowed)
      if (released.length === 0) return
      yield* sql`
        update events set fanned_out = false
        where workspace_id = ${workspaceId} and id = any(${released.map(({ eventId }) => eventId)}::text[])`
      // After the fan-out: until the alert is sent, pages wait too.
      const pagesAt = DateTime.addDuration(now, fanOutTime)
      yield* Effect.forEach(
        released,
        ({ incidentId }) => incidentId === null ? Effect.void : alarms.arm("incident", workspaceId, incidentId, pagesAt),
        { discard: true }
      )
      yield* signals.send(eventsSignal, workspaceId)
    }, Effect.orDie)

    const earliest = SqlSchema.single({
      Request: Schema.Void,
      Result: Schema.Struct({ at: Schema.NullOr(Schema.DateTimeUtcFromDate) }),
      execute: () => sql`select min(review_at) as at from dependent_troubles`
    })

    return {
      sift: siftEvents,
      /**
       * Locks up to 100 alerts of one workspace that are due to be looked at, in the caller's transaction; of none in `except`. Empty
       * if others hold all that are.
       */
      takeDue: (now: DateTime.Utc, except: ReadonlyArray<WorkspaceId>) => Effect.orDie(due({ now, except })),
      review,
      /** When the next alert that waits is to be looked at. */
      nextReviewAt: Effect.orDie(Effect.map(earliest(undefined), ({ at }) => Option.fromNullable(at))),
      /**
       * What keeps the alerts of a monitor back whose incident opened at `openedAt`: a parent, of which `down` says whether that is
       * certain, maintenance that was running then, or an alert that waits still. None if nothing does. Look again at `reviewAt`.
       * `pages`: whether pages of people wait too. While the parent is certainly down, they wait only if people are paged about the
       * parent: otherwise nobody would hear of either.
       */
      shadow: (workspaceId: WorkspaceId, id: MonitorId, openedAt: DateTime.Utc, now: DateTime.Utc) =>
        Effect.orDie(Effect.map(
          dependents({ workspaceIds: [workspaceId], ids: [id], now }),
          ([found]) => {
            if (found === undefined) return Option.none()
            const planned = found.maintenanceSince !== null && DateTime.greaterThanOrEqualTo(openedAt, found.maintenanceSince)
            const waits = planned || (found.waiting !== null && found.told !== true)
            return waits || found.parentId !== null
              ? Option.some({
                down: waits || found.down === true,
                pages: planned || found.down !== true || found.paged === true,
                reviewAt: found.reviewAt
              })
              : Option.none()
          }
        ))
    }
  }),
  dependencies: [Alarms.Default, OutagesInMaintenance.Default]
}) {}
