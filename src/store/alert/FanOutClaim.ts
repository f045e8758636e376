/**
 * Takes the next events for the fan-out. Only one transaction at a time fans out events of a workspace, oldest first: flapping,
 * damping, quiet hours and dependencies decide by what they know of earlier events.
 */
import { type SqlClient, SqlSchema } from "@effect/sql"
import { Effect, Schema } from "effect"
import { Event } from "../../../schema/event/Event.ts"
import { eventTypes } from "../../../schema/event/EventData.ts"
import { WorkspaceId } from "../../../schema/Ids.ts"

const NewEvent = Schema.Struct({
  ...Event.fields,
  at: Schema.DateTimeUtcFromDate,
  workspaceId: WorkspaceId,
  /** The database's time. */
  now: Schema.DateTimeUtcFromDate
})

/** New events that are looked at for workspaces that nobody else has: one with many events must not hide the others. */
const lookedAt = 1000
/** Workspaces of one claim, so that other runners find some. */
const mostWorkspaces = 32

export const makeFanOutClaim = (sql: SqlClient.SqlClient) => {
  // The materialized rows keep the planner from locking a workspace that the limit leaves out.
  const lock = SqlSchema.findAll({
    Request: Schema.Void,
    Result: Schema.Struct({ workspaceId: WorkspaceId }),
    execute: () =>
      sql`
      with new as materialized (
        select workspace_id, id from events
        where not fanned_out and type = any(${[...eventTypes]}::text[]) order by id limit ${lookedAt}
      ), waiting as materialized (
        select workspace_id from new group by workspace_id order by min(id)
      )
      select workspace_id as "workspaceId" from waiting
      where pg_try_advisory_xact_lock(hashtext('belltower_fan_out'), hashtext(workspace_id)) limit ${mostWorkspaces}`
  })

  // A newer runner processes types that this version does not know.
  const take = SqlSchema.findAll({
    Request: Schema.Struct({ workspaceIds: Schema.Array(WorkspaceId), limit: Schema.Int }),
    Result: NewEvent,
    execute: ({ limit, workspaceIds }) =>
      sql`
      select id, type, at, data, workspace_id as "workspaceId", statement_timestamp() as now from events
      where not fanned_out and type = any(${[...eventTypes]}::text[]) and workspace_id = any(${[...workspaceIds]}::text[])
      order by id limit ${limit} for update skip locked`
  })

  /** In the caller's transaction. `now` is the database's time, null without events; `more` is whether there may be more that nobody else has. */
  return Effect.fn("FanOut.claim")(function*(limit: number) {
    const workspaceIds = (yield* lock()).map(({ workspaceId }) => workspaceId)
    if (workspaceIds.length === 0) return { events: [], more: false, now: null }
    // Its snapshot is later than the locks, so it sees what their last holders have done.
    const taken = yield* take({ workspaceIds, limit })
    const events = taken.map(({ now: _, ...event }) => event)
    return {
      events,
      more: events.length === limit || workspaceIds.length === mostWorkspaces,
      now: taken[0]?.now ?? null
    }
  })
}
