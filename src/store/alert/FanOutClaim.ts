/**
 * Takes the next events for the fan-out. Only one transaction at a time fans out events of a workspace, oldest first: flapping,
 * damping, quiet hours and dependencies decide by what they know of earlier events. Workspaces take turns, so that no backlog of one
 * hides a new event of another: a claim costs the same beside ten new events and 100,000.
 */
import type { SqlClient } from "@effect/sql"
import { Effect, Schema, Struct } from "effect"
import { eventTypes } from "../../../schema/event/EventData.ts"
import { WorkspaceId } from "../../../schema/Ids.ts"
import type { SizedEvent } from "../../domain/alert/FanOutBatch.ts"
import { TracedEventRow } from "../event/EventLog.ts"
import { inIndexOrder } from "../postgres/IndexOrder.ts"
import { withNext } from "../postgres/LeanTransactions.ts"
import { findAll } from "../postgres/Queries.ts"
import { workspaceLeap } from "../postgres/WorkspaceLeap.ts"

const NewEvent = Schema.Struct({
  ...TracedEventRow.fields,
  workspaceId: WorkspaceId,
  /** Bytes of the data. */
  size: Schema.Int,
  /** Whether events of these workspaces remain. */
  more: Schema.Boolean,
  /** The database's time. */
  now: Schema.DateTimeUtcFromDate
})

/** Workspaces of one claim, so that other runners find some. */
export const mostWorkspaces = 32
/** Bytes of events that one claim reads; the first event is read in any case. */
const mostRead = 2 * 1024 * 1024

export const makeFanOutClaim = (sql: SqlClient.SqlClient) => {
  // A newer runner processes types that this version does not know.
  const isOpen = sql`not one.fanned_out and one.type = any(${eventTypes}::text[])`

  // Leaps from workspace to workspace along the index, and no further than to the last one that it locks. The case keeps the planner
  // from joining, which would lock workspaces that the limit or the table leaves out.
  const lock = findAll(Schema.Struct({ workspaceId: WorkspaceId }), (after: string) =>
    sql`
      with recursive ${workspaceLeap(sql, "events", isOpen, after)}
      select workspace_id as "workspaceId" from turn
      where workspace_id is not null and case
        when (select true from fan_out_alone a where a.workspace_id = turn.workspace_id) then false
        else pg_try_advisory_xact_lock(hashtext('belltower_fan_out'), hashtext(workspace_id)) end
      limit ${mostWorkspaces}`)

  const take = findAll(NewEvent, (workspaceIds: ReadonlyArray<WorkspaceId>, limit: number) =>
    sql`
      with offered as materialized (
        select w.workspace_id, one.id, row_number() over (order by one.turn, w.ordinal) as ordinal
        from unnest(${workspaceIds}::text[]) with ordinality as w (workspace_id, ordinal)
        cross join lateral (
          select oldest.id, row_number() over (order by oldest.id) as turn
          from (
            select one.id from events one where one.workspace_id = w.workspace_id and ${isOpen} order by one.id limit ${limit + 1}
          ) oldest
        ) one
        order by one.turn, w.ordinal limit ${limit + 1}
      ), sized as materialized (
        select o.workspace_id, o.id, o.ordinal, octet_length(e.data::text) as size,
               sum(octet_length(e.data::text)) over (order by o.ordinal rows unbounded preceding) - octet_length(e.data::text) as before
        from offered o join events e on e.workspace_id = o.workspace_id and e.id = o.id
        where o.ordinal <= ${limit}
      ), chosen as materialized (
        select * from sized where before < ${mostRead}
      )
      select e.id, e.type, e.at, e.data, e.traceparent, e.workspace_id as "workspaceId", c.size, statement_timestamp() as now,
             (select count(*) from chosen) < (select count(*) from offered) as more
      from chosen c join events e on e.workspace_id = c.workspace_id and e.id = c.id and not e.fanned_out
      order by c.ordinal for update of e skip locked`)

  /**
   * Up to `limit` events of workspaces that the caller's transaction has locked, in their turns: the oldest of each, then the next of
   * each. `now` is the database's time, null without events; `more` is whether any remain.
   */
  const eventsOf = Effect.fn("FanOut.eventsOf")(function*(workspaceIds: ReadonlyArray<WorkspaceId>, limit: number) {
    const rows = yield* inIndexOrder(sql, take(workspaceIds, limit))
    return {
      events: rows.map((row): SizedEvent => Struct.omit(row, "more", "now")),
      more: rows[0]?.more === true,
      now: rows[0]?.now ?? null
    }
  })

  /**
   * Locks workspaces with new events behind `after` in the caller's transaction; those whose events go apart or that others hold are
   * left out.
   */
  const workspacesAfter = (after: string) => Effect.map(lock(after), (rows) => rows.map(({ workspaceId }) => workspaceId))

  /** How long the caller's transaction waits at most for a statement and for a lock, ms. */
  const waitAtMost = (statementMs: number, lockMs: number) =>
    withNext(sql`
    select set_config('statement_timeout', ${String(statementMs)}, true), set_config('lock_timeout', ${String(lockMs)}, true)`)

  return { waitAtMost, workspacesAfter, eventsOf }
}
