/**
 * Splits compaction among runners. A round covers all checks before its horizon. It consists of ranges of monitor ids, so that two
 * runners never work on one monitor, whatever partitions its checks are in. A runner holds a range under a lease.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Monitors of a range. Many small ranges keep the runners equally busy, and little is repeated after one dies. */
const monitorsOfRange = 200

/** How long a range is held after its last step, s: longer than a step and the pause after it. */
const leaseSec = 60

/** A range of monitor ids that this process holds. */
export interface HeldRange {
  readonly place: number
  readonly holder: string
  /** The checks before this instant are due, ms since 1970. */
  readonly horizon: number
  /** Inclusive. */
  readonly first: string
  /** Exclusive; null for no bound. */
  readonly before: string | null
  /** Whether all ranges of the round are done, so that only empty partitions remain to be dropped. */
  readonly isEnd: boolean
}

export class CompactionRounds extends Effect.Service<CompactionRounds>()("belltower/CompactionRounds", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    return {
      /** Begins the round of a horizon, unless it has begun or an earlier one is not complete. */
      begin: Effect.fn("CompactionRounds.begin")(
        function*(horizon: number) {
          yield* sql`select pg_advisory_xact_lock(hashtext('belltower_compaction_round'))`
          const obstacles = yield* sql`
            select 1 from compaction_rounds where horizon >= ${new Date(
            horizon
          )} union all (select 1 from compaction_ranges limit 1)`
          if (obstacles.length > 0) return
          yield* sql`delete from compaction_rounds`
          yield* sql`insert into compaction_rounds (horizon) values (${new Date(horizon)})`
          // Ids between the borders, such as those of deleted monitors, belong to a range as well.
          yield* sql`
            insert into compaction_ranges (place, horizon, first_id, before_id)
            select 0, ${new Date(horizon)}::timestamptz, '', null
            union all
            select row_number() over (order by id nulls last), ${new Date(horizon)}::timestamptz,
              coalesce(lag(id) over (order by id nulls last), ''), id
            from (
              select id from (select id, row_number() over (order by id) as number from monitors) numbered
              where number % ${monitorsOfRange} = 0
              union all select null
            ) borders`
        },
        sql.withTransaction
      ),
      /** Holds a range that nobody holds, or whose holder died; null if there is none. The end of the round comes last. */
      claim: Effect.map(
        sql<HeldRange>`
          update compaction_ranges r
          set holder = nextval('compaction_holders'), held_until = now() + make_interval(secs => ${leaseSec})
          from (
            select place from compaction_ranges
            where held_until < now() and (place > 0 or not exists (select 1 from compaction_ranges where place > 0))
            order by place desc limit 1 for update skip locked
          ) free
          where r.place = free.place
          returning r.place, r.holder::text as holder, (extract(epoch from r.horizon) * 1000)::float8 as horizon,
            r.first_id as first, r.before_id as before, r.place = 0 as "isEnd"`,
        ([range]) => range ?? null
      ),
      /** Locks the range in the caller's transaction and extends its lease; false if another process has taken it over. */
      hold: ({ holder, place }: HeldRange) =>
        Effect.map(
          sql`
            update compaction_ranges set held_until = now() + make_interval(secs => ${leaseSec})
            where place = ${place} and holder = ${holder}::bigint returning 1`,
          (rows) => rows.length > 0
        ),
      /** Removes a range whose checks are all in blocks. */
      complete: ({ holder, place }: HeldRange) =>
        Effect.asVoid(sql`delete from compaction_ranges where place = ${place} and holder = ${holder}::bigint`)
    }
  })
}) {}
