/**
 * A database whose clock a story moves. Every process takes the time of deadlines from the database, so hours pass in a moment, for
 * processes that run and while none does, and no row has to be changed.
 */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect } from "effect"
import * as Database from "../../../src/store/postgres/connections/Database.ts"
import { makeManualClock } from "../time/ManualClock.ts"
import { constantly, until } from "../time/Until.ts"
import { newDatabase } from "./TestDatabase.ts"

const options = { maxConnections: 1, applicationName: "belltower story" }

/** The functions of PostgreSQL that tell the time. Those of a schema that is searched first replace them. */
const clocks = ["now", "statement_timestamp", "transaction_timestamp", "clock_timestamp"]

/** The address of a new database with such a clock, which shows the real time until it is moved. */
export const newStoryDatabase = Effect.gen(function*() {
  const address = yield* newDatabase("partitioned")
  yield* Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`create schema story`
    // Still at a time, or ahead of the real one.
    yield* sql`create table story.clock (at timestamptz, ahead interval not null)`
    yield* sql`insert into story.clock (ahead) values ('0 seconds')`
    for (const name of clocks) {
      yield* sql`
        create function story.${sql(name)}() returns timestamptz language sql stable as
          'select coalesce(at, pg_catalog.clock_timestamp() + ahead) from story.clock'`
    }
    yield* sql`
      do $$ begin execute format('alter database %I set search_path = story, pg_catalog, public', current_database()); end $$`
  }).pipe(Effect.provide(Database.layer(address, options)), Effect.orDie)
  return address
})

/** Lets time pass for programs on a story's database: for those that run, at their next look. */
export const letPass = (sql: SqlClient.SqlClient, minutes: number) =>
  Effect.orDie(Effect.zipRight(
    sql`update story.clock set ahead = ahead + make_interval(mins => ${minutes})`,
    sql`select pg_notify('belltower_alarms', '')`
  ))

/**
 * How far time moves between two looks at an answer. At first not far, so that what comes next has its exact minute. Then faster: a jump
 * in the middle of a program's step makes it pause, or its lease run out, only after the jump.
 */
const momentOf = (looks: number) => ({ millis: looks < 100 ? 5 : 50 })

/** A clock for the processes of a story, which the database's clock follows. It stands still unless the story moves it. */
export const makeStoryClock = Effect.fn("makeStoryClock")(function*(sql: SqlClient.SqlClient, begin: DateTime.Utc) {
  const { clock, jump } = makeManualClock(begin.epochMillis)
  let at = begin
  const moveTo = (next: DateTime.Utc) =>
    Effect.suspend(() => {
      const ms = DateTime.distance(at, next)
      at = next
      return Effect.zipRight(sql`update story.clock set at = ${DateTime.toDateUtc(at)}`, jump(ms))
    })
  yield* moveTo(begin)
  return {
    clock,
    /** Moves to so many minutes after the beginning. What begins a moment later than the story is due a moment after its full minute. */
    minute: (minutes: number) => moveTo(DateTime.addDuration(begin, Duration.minutes(minutes))),
    /** Lets moments pass until an answer matches. */
    eventually: <A, E, R>(ask: Effect.Effect<A, E, R>, fits: (answer: A) => boolean) =>
      Effect.suspend(() => {
        let looks = 0
        const look = Effect.zipRight(Effect.suspend(() => moveTo(DateTime.add(at, momentOf(looks++)))), ask)
        return until(look, fits, "60 seconds", constantly)
      })
  }
})
