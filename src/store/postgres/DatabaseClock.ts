/** The database's clock: the one that all machines share, so that deadlines are set and judged by the same time everywhere. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"

/** An answer that took longer says too little about when it was given, ms. */
const usable = 1000
/** A process whose two clocks went further apart than this was asleep or had its time set, ms. */
const discord = 1000

/** What the database said, and what this machine's clocks showed then, ms. */
interface Reading {
  readonly at: number
  readonly wall: number
  readonly steady: number
}

export class DatabaseClock extends Effect.Service<DatabaseClock>()("belltower/DatabaseClock", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const clock = yield* Effect.clock
    let reading: Reading | null = null

    const ask = SqlSchema.single({
      Request: Schema.Void,
      Result: Schema.Struct({ now: Schema.DateTimeUtcFromDate }),
      execute: () => sql`select statement_timestamp() as now`
    })

    const wall = () => clock.unsafeCurrentTimeMillis()
    /** Runs on evenly when the machine's time is set. */
    const steady = () => Number(clock.unsafeCurrentTimeNanos()) / 1e6

    const now = Effect.gen(function*() {
      const before = steady()
      const said = yield* ask()
      const after = steady()
      if (after - before <= usable) {
        reading = { at: DateTime.toEpochMillis(said.now) + (after - before) / 2, wall: wall(), steady: after }
      }
      return said.now
    }).pipe(Effect.orDie, Effect.withSpan("DatabaseClock.now"))

    return {
      /** What it shows, by asking: to judge by. */
      now,
      /**
       * What it shows by now, ms since 1970, without asking: the last answer and the time since. Right to within the half of a
       * round trip for whoever asks every few seconds; this machine's own time before the first answer.
       */
      estimate: (): number => Math.floor(reading === null ? wall() : reading.at + steady() - reading.steady),
      /** Whether the estimate is not to be relied on before `now` is asked again. */
      isDoubtful: (): boolean => reading === null || Math.abs(wall() - reading.wall - (steady() - reading.steady)) > discord
    }
  })
}) {}
