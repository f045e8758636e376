/** The regions that have ever sent a beat, so that a monitor cannot name a region without probes. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { RegionId } from "../../../schema/check/Region.ts"

const KnownRegion = Schema.Struct({
  id: RegionId,
  lastBeatAt: Schema.DateTimeUtcFromDate,
  /** Whether a runner found within the last 15 s that only this region sees most of its targets fail. */
  alone: Schema.Boolean
})
export type KnownRegion = typeof KnownRegion.Type

export class Regions extends Effect.Service<Regions>()("belltower/Regions", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const known = SqlSchema.findAll({
      Request: Schema.Void,
      Result: KnownRegion,
      execute: () =>
        sql`
        select id, last_beat_at as "lastBeatAt", coalesce(alone_at > now() - interval '15 seconds', false) as alone
        from regions order by id`
    })

    return {
      known: Effect.orDie(known(undefined)),
      /** Records a beat of a region. */
      heard: (id: RegionId, at: DateTime.Utc) =>
        Effect.asVoid(Effect.orDie(sql`
          insert into regions (id, first_seen_at, last_beat_at)
          values (${id}, ${DateTime.toDateUtc(at)}, ${DateTime.toDateUtc(at)})
          on conflict (id) do update set last_beat_at = excluded.last_beat_at`)),
      /** Records that results of these regions arrived; at most one write per region and 10 s, since results are frequent. */
      delivered: (ids: Iterable<RegionId>) =>
        Effect.asVoid(Effect.orDie(sql`
          update regions set last_result_at = now()
          where id = any(${[...ids]}::text[]) and coalesce(last_result_at < now() - interval '10 seconds', true)`)),
      /** Records that only these regions see most of their targets fail. Valid for 15 s, so repeat it while it holds. */
      foundAlone: (ids: Iterable<RegionId>) =>
        Effect.asVoid(Effect.orDie(sql`update regions set alone_at = now() where id = any(${[...ids]}::text[])`))
    }
  })
}) {}
