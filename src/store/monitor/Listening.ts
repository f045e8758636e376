/**
 * The time since which at least one process has received reports without interruption; earlier reports may have been missed.
 * Uses only the database's clock, because the processes run on several machines.
 */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"

/** How often a listening process sends a beat. */
export const listeningBeat = Duration.seconds(3)

/** Within this time, every other process that listens has sent a beat. */
export const othersBeatWithin = Duration.seconds(4)

/** After this time without a beat, no process was listening: a restart, an outage, or a clock that jumped. */
const silence = Duration.seconds(10)

/** When a process began to listen, and since when reports were received without interruption before that; null for never. */
const Start = Schema.Struct({
  at: Schema.DateTimeUtcFromDate,
  previous: Schema.NullOr(Schema.DateTimeUtcFromDate)
})

export class Listening extends Effect.Service<Listening>()("belltower/Listening", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const read = SqlSchema.findOne({
      Request: Schema.Void,
      Result: Schema.Struct({ since: Schema.DateTimeUtcFromDate, beatAt: Schema.DateTimeUtcFromDate }),
      execute: () => sql`select since, beat_at as "beatAt" from listening`
    })

    const begin = SqlSchema.single({
      Request: Schema.Void,
      Result: Start,
      execute: () =>
        sql`
        with before as (
          select since from listening
        ), begun as (
          insert into listening (since, beat_at)
          values (date_trunc('milliseconds', statement_timestamp()), statement_timestamp())
          on conflict (only_row) do update set since = excluded.since
          returning since
        )
        select begun.since as at, before.since as previous from begun left join before on true`
    })

    return {
      /**
       * Records that this process begins to receive reports. Until it knows of another process that did before, reports may have been
       * missed, however short the pause was: `resume` decides that once the others have had time for a beat.
       */
      start: begin(),
      /** Takes the interruption back if another process has listened all the time. */
      resume: Effect.fn("Listening.resume")(function*({ at, previous }: typeof Start.Type) {
        if (previous === null) return
        yield* sql`
          update listening set since = ${DateTime.toDateUtc(previous)}
          where since = ${DateTime.toDateUtc(at)} and beat_at > ${DateTime.toDateUtc(at)}`
      }),
      /** Records that reports were lost until now. */
      interrupted: sql`update listening set since = statement_timestamp(), beat_at = statement_timestamp()`,
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
