/**
 * Since when some process of the deployment has taken reports without a break: what came before may have gone unheard. By the
 * database's clock alone, since those who beat and those who judge are on several machines.
 */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"

/** How often a listening process says so. */
export const listeningBeat = Duration.seconds(3)

/** After so long without a beat nobody was listening: a restart, an outage, or a clock that jumped, which may be back. */
const silence = Duration.seconds(10)

export class Listening extends Effect.Service<Listening>()("belltower/Listening", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const read = SqlSchema.findOne({
      Request: Schema.Void,
      Result: Schema.Struct({ since: Schema.DateTimeUtcFromDate, beatAt: Schema.DateTimeUtcFromDate }),
      execute: () => sql`select since, beat_at as "beatAt" from listening`
    })

    return {
      /** Says that this process takes reports. */
      beat: Effect.fn("Listening.beat")(function*() {
        yield* sql`
          insert into listening (since, beat_at) values (statement_timestamp(), statement_timestamp())
          on conflict (only_row) do update set
            since = case
              when listening.beat_at < excluded.beat_at - make_interval(secs => ${Duration.toSeconds(silence)})
                or listening.since > excluded.since
              then excluded.since else listening.since end,
            beat_at = excluded.beat_at`
      }),
      /**
       * The instant since which nothing that was reported can have been missed; `now` itself, which is the database's, while
       * nobody listens. A silence that began before it proves nothing yet.
       */
      since: Effect.fn("Listening.since")(function*(now: DateTime.Utc) {
        const known = yield* Effect.orDie(read())
        return Option.match(known, {
          onNone: () => now,
          // What began in the future was told by a clock that has been set back since.
          onSome: ({ beatAt, since }) =>
            DateTime.lessThan(beatAt, DateTime.subtractDuration(now, silence)) ? now : DateTime.min(since, now)
        })
      })
    }
  })
}) {}
