/** The regions that have ever sent a beat, so that a monitor cannot name a region without probes. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { RegionId } from "../../../schema/check/Region.ts"
import { findAll, write } from "../postgres/Queries.ts"

const KnownRegion = Schema.Struct({
  id: RegionId,
  lastBeatAt: Schema.DateTimeUtcFromDate,
  /** The time of the newest check that is stored; null if there is none. */
  newestCheckAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** When checks were last stored, within 4 s; null if never. */
  lastResultAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** Whether a runner found within the last 15 s that only this region sees most of its targets fail. */
  alone: Schema.Boolean
})
export type KnownRegion = typeof KnownRegion.Type

export class Regions extends Effect.Service<Regions>()("belltower/Regions", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const known = findAll(KnownRegion, () =>
      sql`
        select id, last_beat_at as "lastBeatAt", newest_check_at as "newestCheckAt", last_result_at as "lastResultAt",
          coalesce(alone_at > now() - interval '15 seconds', false) as alone
        from regions order by id`)

    return {
      known: known(),
      /** Records a beat of a region. */
      heard: (id: RegionId, at: DateTime.Utc) =>
        write(sql`
          insert into regions (id, first_seen_at, last_beat_at)
          values (${id}, ${DateTime.toDateUtc(at)}, ${DateTime.toDateUtc(at)})
          on conflict (id) do update set last_beat_at = excluded.last_beat_at`),
      /**
       * Records that checks of these regions were stored, the newest at these times, ms. At most one write per region and 4 s, however
       * many runners store checks; a row that another one writes now is left to it.
       */
      stored: (newest: ReadonlyMap<RegionId, number>) =>
        write(sql`
          with stored as materialized (
            select r.id, to_timestamp(given.at / 1000) as at
            from unnest(${[...newest.keys()]}::text[], ${[
          ...newest.values()
        ]}::float8[]) as given (id, at) join regions r on r.id = given.id
            where coalesce(r.last_result_at < now() - interval '4 seconds', true)
            for update of r skip locked
          )
          -- The clock of a probe may be ahead.
          update regions r set last_result_at = now(), newest_check_at = greatest(r.newest_check_at, least(stored.at, now()))
          from stored where r.id = stored.id`),
      /** Records that only these regions see most of their targets fail. Valid for 15 s, so repeat it while it holds. */
      foundAlone: (ids: Iterable<RegionId>) => write(sql`update regions set alone_at = now() where id = any(${[...ids]}::text[])`)
    }
  })
}) {}
