/** The age of the oldest work of each queue. Late or stuck notifications show here first. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { queueLanes } from "../domain/alert/QueueLanes.ts"
import { AlarmKind } from "./Alarms.ts"
import { findSingle } from "./postgres/Queries.ts"

/** For each queue, how long the oldest entry has been due, in seconds; 0 when nothing is due. */
const Ages = Schema.Struct({
  events: Schema.Number,
  /** The workspace that waits longest for its turn. The backlog of a slow receiver does not count. */
  deliveries: Schema.Number,
  mails: Schema.Number,
  alarms: Schema.Number,
  /** A count, not an age: monitors with an edit that has not been sent to the probes. */
  assignments: Schema.Int
})
export type Ages = typeof Ages.Type

export class Backlog extends Effect.Service<Backlog>()("belltower/Backlog", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /**
     * An entry that a worker has claimed counts again when its lease expires. Alarms of deleted workspaces, which are set aside, do
     * not count.
     */
    const ages = findSingle(Ages, () =>
      sql`
        select age.events, age.deliveries, age.mails, age.alarms, (select count(*)::int from assignment_outbox) as assignments
        from (
          select
            (select at from events where not fanned_out order by id limit 1) as events,
            (select nullif(min(ready_at), 'infinity') from delivery_turns
             where lane in (${queueLanes.first.stored}, ${queueLanes.retry.stored})) as deliveries,
            (select min(due_at) from mails where status = 'due') as mails,
            (select min(due_at) from alarms where kind = any(${[...AlarmKind.literals]}::text[])) as alarms
        ) oldest
        cross join lateral (
          select
            greatest(0, coalesce(extract(epoch from statement_timestamp() - oldest.events), 0))::float8 as events,
            greatest(0, coalesce(extract(epoch from statement_timestamp() - oldest.deliveries), 0))::float8 as deliveries,
            greatest(0, coalesce(extract(epoch from statement_timestamp() - oldest.mails), 0))::float8 as mails,
            greatest(0, coalesce(extract(epoch from statement_timestamp() - oldest.alarms), 0))::float8 as alarms
        ) age`)

    const oldestEdit = findSingle(
      Schema.Struct({ sequence: Schema.NullOr(Schema.Number) }),
      () => sql`select min(sequence)::float8 as sequence from assignment_outbox`
    )

    return {
      ages: ages(),
      /** The number of the oldest edit or deletion of a monitor that probes or its actor have not got yet; null if none waits. */
      oldestEdit: Effect.map(oldestEdit(), ({ sequence }) => sequence)
    }
  })
}) {}
