/** Daily partitions of checks: created in advance and dropped as a whole after 30 days. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect } from "effect"

const retentionDays = 30
const daysAhead = 7

const midnight = (now: DateTime.Utc, offset: number): DateTime.Utc => DateTime.add(DateTime.startOf(now, "day"), { days: offset })

const nameOf = (day: DateTime.Utc): string => `checks_${DateTime.formatIsoDateUtc(day).replaceAll("-", "")}`

export class CheckPartitions extends Effect.Service<CheckPartitions>()("belltower/CheckPartitions", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /** Attaches the partition of a day and moves that day's rows into it from the default partition. */
    const ensure = Effect.fn("CheckPartitions.ensure")(function*(day: DateTime.Utc) {
      const name = nameOf(day)
      const from = DateTime.formatIso(day)
      const to = DateTime.formatIso(DateTime.add(day, { days: 1 }))
      const [there] = yield* sql`select to_regclass(${name}) is not null as there`
      if (there?.["there"] === true) return
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`select pg_advisory_xact_lock(hashtext('belltower_partitions'))`
        // Queries pg_class, because to_regclass uses a cache that waiting for the lock does not refresh.
        const existing =
          yield* sql`select 1 from pg_class where relname = ${name} and relnamespace = current_schema()::regnamespace`
        if (existing.length > 0) return
        yield* sql`create table ${sql(name)} (like checks including defaults)`
        yield* sql`
          with moved as (delete from checks_default where at >= ${from}::timestamptz and at < ${to}::timestamptz returning *)
          insert into ${sql(name)} select * from moved`
        yield* sql`
          alter table checks attach partition ${sql(name)}
          for values from (${sql.literal(`'${from}'`)}) to (${sql.literal(`'${to}'`)})`
      }))
    })

    /** Creates the partitions of today and the next 7 days and drops expired ones. */
    const maintain = Effect.fn("CheckPartitions.maintain")(function*() {
      const now = yield* DateTime.now
      for (let offset = 0; offset <= daysAhead; offset++) yield* ensure(midnight(now, offset))
      const oldest = nameOf(midnight(now, -retentionDays))
      const partitions = yield* sql<{ readonly name: string }>`
        select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'checks'::regclass and c.relname ~ '^checks_[0-9]{8}$' and c.relname < ${oldest}`
      yield* Effect.forEach(partitions, ({ name }) => sql`drop table ${sql(name)}`, { discard: true })
      yield* sql`delete from checks_default where at < ${DateTime.toDateUtc(midnight(now, -retentionDays))}`
    }, Effect.orDie)

    return { maintain }
  })
}) {}
