/**
 * Workspaces whose events are fanned out apart from those of others, in transactions of their own: they failed together with others, or
 * are too large to go with them. A workspace stays until none of its events waits. A single event that keeps failing is set aside. (Table `fan_out_alone`.)
 */
import type { SqlClient } from "@effect/sql"
import { Duration, Effect, Option, Schema } from "effect"
import { eventTypes } from "../../../schema/event/EventData.ts"
import { EventId, WorkspaceId } from "../../../schema/Ids.ts"
import { eventsSignal } from "../event/EventLog.ts"
import { findOne, findSingle } from "../postgres/Queries.ts"
import type { Signals } from "../postgres/Signals.ts"

/** Notified when a workspace is added. */
export const fanOutApartSignal = "belltower_fan_out_alone"

/** A workspace whose events go apart, and its next attempt. */
const ApartTurn = Schema.Struct({
  workspaceId: WorkspaceId,
  /** Events that the next attempt takes at most. */
  most: Schema.Int,
  /** The failures of the first event, in attempts that took no other. */
  failures: Schema.Int
})
export type ApartTurn = typeof ApartTurn.Type

const SetAside = Schema.Struct({ eventId: EventId })

export const makeFanOutApart = (sql: SqlClient.SqlClient, signals: typeof Signals.Service) => {
  const due = findOne(ApartTurn, () =>
    sql`
      select workspace_id as "workspaceId", most, failures from fan_out_alone
      where due_at <= statement_timestamp() order by due_at limit 1 for update skip locked`)

  const setAside = findOne(SetAside, (workspaceId: WorkspaceId, eventId: EventId | null, reason: string) =>
    sql`
      with done as (
        update events set fanned_out = true
        where workspace_id = ${workspaceId} and not fanned_out and id = coalesce(${eventId}::text, (
          select id from events
          where workspace_id = ${workspaceId} and not fanned_out and type = any(${eventTypes}::text[]) order by id limit 1
        ))
        returning workspace_id, id
      )
      insert into events_set_aside (workspace_id, event_id, reason)
      select workspace_id, id, ${reason} from done
      on conflict (workspace_id, event_id) do update set reason = excluded.reason, set_aside_at = now()
      returning event_id as "eventId"`)

  const earliest = findSingle(
    Schema.Struct({ seconds: Schema.NullOr(Schema.Number) }),
    () => sql`select extract(epoch from min(due_at) - statement_timestamp())::float8 as seconds from fan_out_alone`
  )

  const later = ({ failures, most, workspaceId }: ApartTurn, pause: Duration.Duration = Duration.zero) =>
    sql`
    update fan_out_alone
    set most = ${most}, failures = ${failures}, due_at = statement_timestamp() + make_interval(secs => ${
      Duration.toSeconds(pause)
    })
    where workspace_id = ${workspaceId}`

  return {
    /** Lets the events of these workspaces go apart, the next time up to `most`. One whose events do already keeps its turn. */
    add: Effect.fn("FanOutApart.add")(function*(workspaceIds: ReadonlyArray<WorkspaceId>, most: number) {
      if (workspaceIds.length === 0) return
      yield* sql`
        insert into fan_out_alone (workspace_id, most, due_at)
        select id, ${most}, statement_timestamp() from workspaces where id = any(${workspaceIds}::text[]) order by id
        on conflict (workspace_id) do nothing`
      yield* signals.send(fanOutApartSignal)
    }),
    /** Locks the workspace that has waited longest for its turn, in the caller's transaction. */
    due: due(),
    /** Whether the caller's transaction is now the only one that fans out events of the workspace. */
    lock: (workspaceId: WorkspaceId) =>
      Effect.map(
        sql<
          { readonly held: boolean }
        >`select pg_try_advisory_xact_lock(hashtext('belltower_fan_out'), hashtext(${workspaceId})) as held`,
        ([row]) => row?.held === true
      ),
    /** When the workspace has its next turn, and with how many events. */
    later,
    /** Nothing of the workspace waits. An event that was written meanwhile belongs to the others again. */
    end: (workspaceId: WorkspaceId) =>
      Effect.zipRight(
        sql`delete from fan_out_alone where workspace_id = ${workspaceId}`,
        signals.send(eventsSignal, workspaceId)
      ),
    /** Keeps an event back for good, the oldest one if its id is not known. None if another process has fanned it out meanwhile. */
    setAside: Effect.fn("FanOutApart.setAside")(
      function*(workspaceId: WorkspaceId, eventId: EventId | null, reason: string) {
        const found = yield* setAside(workspaceId, eventId, reason)
        yield* later({ workspaceId, most: 1, failures: 0 })
        return Option.map(found, (one) => one.eventId)
      },
      sql.withTransaction
    ),
    /** How long until the next turn of a workspace, not negative; none without one. */
    untilNext: Effect.map(
      earliest(),
      ({ seconds }) => Option.map(Option.fromNullable(seconds), (left) => Duration.seconds(Math.max(0, left)))
    )
  }
}
