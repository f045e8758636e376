/** Deletes events and state spans that are older than they are kept. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect } from "effect"
import { RetentionSettings } from "../check/Retention.ts"

/** Rows that one statement deletes. */
const batch = 1000

export class ExpiredHistory extends Effect.Service<ExpiredHistory>()("belltower/ExpiredHistory", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { historyDays } = yield* RetentionSettings

    const before = (now: DateTime.Utc): Date => DateTime.toDateUtc(DateTime.subtract(now, { days: historyDays }))

    /** Each deletes a batch and returns whether more may follow. An event that has not become deliveries yet stays. */
    return {
      events: (now: DateTime.Utc) =>
        Effect.map(
          sql`
          delete from events where ctid = any(array(
            select ctid from events where at < ${before(now)} and fanned_out limit ${batch} for update skip locked)) returning 1`,
          (rows) => rows.length === batch
        ),
      /** The current span of a monitor or component has no end and stays, however old it is. */
      spans: (table: "monitor_spans" | "component_spans", now: DateTime.Utc) =>
        Effect.map(
          sql`
          delete from ${sql(table)} where ctid = any(array(
            select ctid from ${sql(table)} where ended_at < ${
            before(now)
          } order by ended_at limit ${batch} for update skip locked))
          returning 1`,
          (rows) => rows.length === batch
        )
    }
  })
}) {}
