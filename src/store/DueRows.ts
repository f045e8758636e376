/** Which kinds of work of a runner are due, by one statement for all. */
import { SqlClient, type Statement } from "@effect/sql"
import { type DateTime, Effect, type Option, Record, Schema } from "effect"
import { eventTypes } from "../../schema/event/EventData.ts"
import { queueLaneNames, queueLanes } from "../domain/alert/QueueLanes.ts"
import { AlarmKind } from "./Alarms.ts"
import { earliestOf, findSingle } from "./postgres/Queries.ts"

const DueRow = Schema.Struct({
  alarms: Schema.Boolean,
  events: Schema.Boolean,
  eventsApart: Schema.Boolean,
  deliveries: Schema.Boolean,
  broadcasts: Schema.Boolean,
  mails: Schema.Boolean,
  groups: Schema.Boolean,
  streaks: Schema.Boolean,
  quiet: Schema.Boolean,
  keptBack: Schema.Boolean,
  mutes: Schema.Boolean
})

/** A kind of work that a runner looks for. */
export type DueKind = keyof typeof DueRow.Type

/** The kinds of alerts that wait. */
export type WaitingKind = "groups" | "streaks" | "quiet" | "keptBack" | "mutes"

export class DueRows extends Effect.Service<DueRows>()("belltower/DueRows", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => {
    // The first entry of an index each: an `exists` with a range would scan a table whose statistics are old.
    const isPast = (earliest: Statement.Fragment): Statement.Fragment =>
      sql`coalesce((${earliest}) <= statement_timestamp(), false)`
    const isAny = (first: Statement.Fragment): Statement.Fragment => sql`(${first}) is not null`

    const readyTurns = queueLaneNames.map((lane) =>
      isPast(sql`select min(ready_at) from delivery_turns where lane = ${queueLanes[lane].stored}`)
    )
    const waiting: Record<WaitingKind, Statement.Statement<unknown>> = {
      groups: sql`select min(due_at) as at from alert_groups`,
      // Not before the monitor was calm for a while, so new streaks need no signal.
      streaks: sql`select nullif(min(ends_at), 'infinity') as at from alert_streaks`,
      quiet: sql`select min(due_at) as at from quiet_groups`,
      keptBack: sql`select min(due_at) as at from dependent_troubles`,
      mutes: sql`select min(until) as at from mutes where ended_at is null`
    }
    const due: Record<DueKind, Statement.Fragment> = {
      alarms: isPast(sql`select min(due_at) from alarms where kind = any(${[...AlarmKind.literals]}::text[])`),
      events: isAny(sql`
        select one.id from events one where not one.fanned_out and one.type = any(${eventTypes}::text[]) order by one.id limit 1`),
      eventsApart: isPast(sql`select min(due_at) from fan_out_alone`),
      deliveries: sql.or(readyTurns),
      broadcasts: sql.or([
        isPast(sql`select min(ready_at) from broadcasts`),
        isAny(sql`select created_at from broadcasts where contents is null order by created_at limit 1`)
      ]),
      mails: isPast(sql`select min(due_at) from mails where status = 'due'`),
      ...Record.map(waiting, isPast)
    }
    const look = findSingle(
      DueRow,
      () => sql`/* one plan */ select ${sql.csv(Record.toEntries(due).map(([kind, isDue]) => sql`${isDue} as ${sql(kind)}`))}`
    )

    return {
      /** Whether each kind of work is due by the database's time. Reads the first entry of an index for each. */
      look: look(),
      /** When the next alerts of a kind are due; none if none wait. */
      nextAt: (kind: WaitingKind): Effect.Effect<Option.Option<DateTime.Utc>> => earliestOf(waiting[kind])
    }
  })
}) {}
