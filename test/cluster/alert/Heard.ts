/** The messages to channels, and the passing of the time for which alerts wait. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { waitingAlertsSignal } from "../../../src/store/alert/WaitingAlertsSignal.ts"
import { until } from "../../support/time/Until.ts"

/** The names and types of what was sent, and the events that have not been looked at yet. */
export const heard = (workspaceId: WorkspaceId) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* until(sql`select from events where workspace_id = ${workspaceId} and not fanned_out`, (rows) => rows.length === 0)
    const rows = yield* sql<{ readonly text: string }>`
      select concat(e.data -> 'monitor' ->> 'name', ' ', e.type) as text from deliveries d
      join events e on e.workspace_id = d.workspace_id and e.id = d.event_id
      where d.workspace_id = ${workspaceId} order by d.created_at, e.id`
    return rows.map(({ text }) => text)
  })

/** Lets the time pass that a monitor gets to recover after its parent or its maintenance. */
export const graceIsOver = (workspaceId: WorkspaceId) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`update dependent_troubles set due_at = now() where workspace_id = ${workspaceId} and due_at is not null`
    yield* sql`select pg_notify(${waitingAlertsSignal}, '')`
    yield* until(
      sql`select from dependent_troubles where workspace_id = ${workspaceId} and due_at <= now()`,
      (rows) => rows.length === 0
    )
  })
