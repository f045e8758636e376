/** Which process takes the next ping of the dead man's switch, and when the outside service last accepted one: by the database's clock. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { exists, findAll, write } from "./postgres/Queries.ts"

const Ping = Schema.Struct({ at: Schema.NullOr(Schema.Number) })

export class DeadmanPings extends Effect.Service<DeadmanPings>()("belltower/DeadmanPings", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const last = findAll(Ping, () => sql`select extract(epoch from pinged_at)::float8 * 1000 as at from deadman_pings`)

    return {
      /** Takes a ping if the last one was taken longer ago. True for one of the processes that try it at a time. */
      claim: (afterSec: number): Effect.Effect<boolean> =>
        exists(sql`
          insert into deadman_pings as last (claimed_at) values (now())
          on conflict (only_row) do update set claimed_at = excluded.claimed_at
          where last.claimed_at not between now() - make_interval(secs => ${afterSec}::float8) and now()
          returning only_row`),
      accepted: write(sql`update deadman_pings set pinged_at = now()`),
      /** ms since 1970; null for never. */
      lastAt: Effect.map(last(), ([row]) => row?.at ?? null)
    }
  })
}) {}
