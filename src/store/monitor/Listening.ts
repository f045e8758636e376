/**
 * The time since which at least one process has received reports without interruption; earlier reports may have been missed.
 * Uses only the database's clock, because the processes run on several machines.
 */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"

/** How often a listening process sends a beat. */
export const listeningBeat = Duration.seconds(3)

/** After this time without a beat, no process was listening: a restart, an outage, or a clock that jumped. */
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
      /** Records that this process receives reports. */
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
       * The time since which no report can have been missed; `now` (database clock) while no process listens. A missing report
       * from before that time proves nothing.
       */
      since: Effect.fn("Listening.since")(function*(now: DateTime.Utc) {
        const known = yield* Effect.orDie(read())
        return Option.match(known, {
          onNone: () => now,
          // A time in the future comes from before the clock was set back.
          onSome: ({ beatAt, since }) =>
            DateTime.lessThan(beatAt, DateTime.subtractDuration(now, silence)) ? now : DateTime.min(since, now)
        })
      })
    }
  })
}) {}
