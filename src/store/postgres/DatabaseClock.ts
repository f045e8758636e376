/** The database's clock, which all machines share, so every process sets and checks deadlines by the same time. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { findSingle } from "./Queries.ts"

/** A slower response is too imprecise to estimate from, ms. */
const maxRoundTrip = 1000
/** When the machine's two clocks differ by more than this, it was suspended or its time was set, ms. */
const maxDrift = 1000

/** A clock that goes back further than this was wrong before, not merely adjusted, s. */
const setBack = 10

/** Answers whether the clock was set back since the last call: what it scheduled is then due too late. */
export const makeSetBackWatch = (): (now: DateTime.Utc) => boolean => {
  let latest: DateTime.Utc | null = null
  return (now) => {
    const before = latest
    latest = now
    return before !== null && DateTime.lessThan(now, DateTime.subtract(before, { seconds: setBack }))
  }
}

/** The database's time, and the times of this machine's clocks at that moment, ms. */
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
    let latest = 0

    const ask = findSingle(Schema.Struct({ now: Schema.DateTimeUtcFromDate }), () => sql`select statement_timestamp() as now`)

    const wall = () => clock.unsafeCurrentTimeMillis()
    /** A time that does not move when the machine's is set. */
    const steady = () => Number(clock.unsafeCurrentTimeNanos()) / 1e6

    const now = Effect.gen(function*() {
      const before = steady()
      const answer = yield* ask()
      const after = steady()
      if (after - before <= maxRoundTrip) {
        reading = { at: DateTime.toEpochMillis(answer.now) + (after - before) / 2, wall: wall(), steady: after }
      }
      return answer.now
    }).pipe(Effect.orDie, Effect.withSpan("DatabaseClock.now"))

    /**
     * A reading is off by up to half its round trip, so the next one may set the estimate back. Times that are given one after the
     * other are in that order all the same: the estimate waits, unless the clock itself was set back.
     */
    const inOrder = (time: number): number => {
      latest = latest - time > maxDrift ? time : Math.max(latest, time)
      return latest
    }

    return {
      /** The database's time, by a query. Use it for decisions. */
      now,
      /**
       * The estimated time in ms since 1970, without a query: the last answer plus the time since. Accurate to half a round
       * trip when `now` runs every few seconds. Before the first answer, this machine's own time.
       */
      estimate: (): number => inOrder(Math.floor(reading === null ? wall() : reading.at + steady() - reading.steady)),
      /** Whether the estimate is unreliable until `now` runs again. */
      isDoubtful: (): boolean => reading === null || Math.abs(wall() - reading.wall - (steady() - reading.steady)) > maxDrift
    }
  })
}) {}
