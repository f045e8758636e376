/**
 * Lets a standby answer long reads: lists, history and status pages. A read never shows less than was stored when it began: it asks the
 * primary how far its log has come, and uses the standby once that has replayed as much. Otherwise the primary answers.
 */
import { SqlClient } from "@effect/sql"
import { Cause, Context, Data, Effect, Option, Schedule } from "effect"
import { Counter } from "prom-client"
import { lacksConnection } from "../../../domain/health/DatabaseTrouble.ts"
import { makeOutage, reasonOf } from "../../../loops/Outage.ts"
import { failureCode, refusedByDatabase } from "../PostgresErrors.ts"
import type { PriorityPool } from "./PriorityPool.ts"
import { ReadPool } from "./ReadPool.ts"

/** Runs work that only reads. It may run twice. */
export type Reading = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const onPrimary: Reading = (work) => work

const reads = new Counter({
  name: "belltower_replica_reads_total",
  help: "Reads that the replica of DATABASE_READ_URL could answer, by the server that did",
  labelNames: ["server"]
})

/** How long the standby is asked whether it has caught up. It is usually a few milliseconds behind. */
const patience = Schedule.intersect(Schedule.spaced("10 millis"), Schedule.recurs(5))

/** How long a server may take to say how far it is. */
const answerWithin = "1 second"

/** A standby that failed is not asked again for so long, ms. */
const restsFor = 5_000

class NotFit extends Data.TaggedError("NotFit")<{ readonly message: string }> {}

const notAStandby = new NotFit({ message: "the server is no standby; point DATABASE_READ_URL at one" })
const behind = new NotFit({ message: "it is behind the primary" })

/**
 * How far the primary's log is on disk, which includes every commit that was answered. Null if the primary is away: what the standby has
 * is the newest there is then. A primary that is slow, or has no connection left, is there, and answers the read itself.
 */
const positionOf = (sql: SqlClient.SqlClient) =>
  sql<{ readonly lsn: string }>`select pg_current_wal_flush_lsn()::text as lsn`.pipe(
    Effect.map(([row]) => row?.lsn ?? null),
    Effect.catchAll(({ cause }) => lacksConnection(failureCode(cause)) ? Effect.fail(behind) : Effect.succeed(null)),
    // If the server hangs, canceling the query hangs too.
    Effect.disconnect,
    Effect.timeoutFail({ duration: answerWithin, onTimeout: () => behind })
  )

/** Whether the standby has replayed the log up to `lsn`. Fails with the reason why it cannot be used. */
const hasReplayed = (sql: SqlClient.SqlClient, lsn: string | null) =>
  sql<{ readonly reached: boolean | null }>`
    select case when pg_is_in_recovery() then coalesce(pg_last_wal_replay_lsn() >= coalesce(${lsn}::pg_lsn, '0/0'), false) end
      as reached`.pipe(
    Effect.disconnect,
    Effect.timeout(answerWithin),
    Effect.mapError((cause) => new NotFit({ message: reasonOf(cause) })),
    Effect.flatMap(([row]) => row?.reached === true ? Effect.void : Effect.fail(row?.reached === false ? behind : notAStandby))
  )

export const makeReading = (sql: SqlClient.SqlClient, replica: PriorityPool): Reading => {
  const outage = makeOutage("Reading from the replica")
  let restsUntil = 0

  const onReplica = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.provideService(work, ReadPool, replica)

  const rest = (reason: string) =>
    Effect.suspend(() => {
      restsUntil = performance.now() + restsFor
      return outage.failed(`${reason}; the primary answers`)
    })

  /** Whether the standby can answer a read that begins now. Being behind for a moment is no failure. */
  const isFit = Effect.suspend(() =>
    performance.now() < restsUntil
      ? Effect.succeed(false)
      : Effect.flatMap(
        positionOf(sql),
        (lsn) => onReplica(Effect.retry(hasReplayed(sql, lsn), { schedule: patience, while: (failure) => failure === behind }))
      ).pipe(
        Effect.zipRight(outage.worked),
        Effect.as(true),
        Effect.catchAll((failure) => Effect.as(failure === behind ? Effect.void : rest(failure.message), false))
      )
  )

  return (work) => {
    const primary = Effect.suspend(() => {
      reads.inc({ server: "primary" })
      return work
    })
    const standby = Effect.suspend(() => {
      reads.inc({ server: "replica" })
      return onReplica(work)
    }).pipe(
      Effect.catchAllCause((cause) =>
        refusedByDatabase(cause)
          ? Effect.zipRight(rest(reasonOf(Cause.squash(cause))), primary)
          : Effect.failCause(cause)
      )
    )
    return Effect.contextWithEffect((context: Context.Context<never>) =>
      // A transaction reads what it has written itself.
      Option.isSome(Context.getOption(context, SqlClient.TransactionConnection)) || Context.get(context, ReadPool) !== null
        ? work
        : Effect.flatMap(isFit, (fit) => fit ? standby : primary)
    )
  }
}
