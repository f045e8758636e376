/** Writes check rows and monitor snapshots in bulk, so that many checks share the cost of a statement. */
import type { SqlError } from "@effect/sql/SqlError"
import { Cause, Deferred, Effect } from "effect"
import { Counter } from "prom-client"
import type { Snapshot } from "../../schema/monitor/Machine.ts"
import { byHalves } from "../../src/loops/ByHalves.ts"
import { reasonOf } from "../../src/loops/Outage.ts"
import { restartForever } from "../../src/loops/RestartForever.ts"
import { retryForever } from "../../src/loops/RetryForever.ts"
import type { CountedResult } from "../../src/store/check/CheckRows.ts"
import { Checks } from "../../src/store/check/Checks.ts"
import { MonitorStates } from "../../src/store/monitor/MonitorStates.ts"
import { refusesContent } from "../../src/store/postgres/PostgresErrors.ts"

/** The longest that rows wait for more rows. */
const linger = "1 second"
/** This many rows are written without waiting. */
const enough = 1000

interface Pending {
  readonly checks: Array<CountedResult>
  readonly snapshots: Map<string, Snapshot>
  readonly full: Deferred.Deferred<void>
  readonly done: Deferred.Deferred<void>
}

const refusedRows = new Counter({
  name: "belltower_check_rows_refused_total",
  help: "Check rows that the database refused for their content"
})

const refusedStates = new Counter({
  name: "belltower_monitor_states_refused_total",
  help: "States of monitors that could not be written for their content"
})

const leaveOut = (counter: Counter, what: string, cause: Cause.Cause<SqlError>) =>
  Effect.suspend(() => {
    counter.inc()
    return Effect.logError(`${what} cannot be stored: ${reasonOf(Cause.squash(cause))}`)
  })
const leaveOutCheck = ({ result }: CountedResult, cause: Cause.Cause<SqlError>) =>
  leaveOut(refusedRows, `Check ${result.checkId}`, cause)
const leaveOutState = ({ monitorId }: Snapshot, cause: Cause.Cause<SqlError>) =>
  leaveOut(refusedStates, `The state of monitor ${monitorId}`, cause)

/** The answers of an actor may arrive out of order. */
const isNewer = (one: Snapshot, other: Snapshot): boolean =>
  one.version === other.version ? one.machine.sequence > other.machine.sequence : one.version > other.version

export class CheckWriter extends Effect.Service<CheckWriter>()("belltower/CheckWriter", {
  scoped: Effect.gen(function*() {
    const checks = yield* Checks
    const states = yield* MonitorStates

    const open = Effect.map(Effect.all([Deferred.make<void>(), Deferred.make<void>()]), ([full, done]): Pending => ({
      checks: [],
      snapshots: new Map(),
      full,
      done
    }))
    let pending = yield* open
    let filled = yield* Deferred.make<void>()

    const put = (snapshots: Iterable<Snapshot>): void => {
      for (const snapshot of snapshots) {
        const other = pending.snapshots.get(snapshot.monitorId)
        if (other === undefined || isNewer(snapshot, other)) pending.snapshots.set(snapshot.monitorId, snapshot)
      }
    }

    /** Snapshots of locked rows wait for the next write, and hold up neither this one nor those who wait for it. */
    const saveStates = (snapshots: ReadonlyArray<Snapshot>) =>
      Effect.map(states.saveUnlocked(snapshots), (locked) => {
        if (locked.size === 0) return
        put(snapshots.filter(({ monitorId }) => locked.has(monitorId)))
        Deferred.unsafeDone(filled, Effect.void)
      })

    const flush = Effect.gen(function*() {
      const batch = pending
      pending = yield* open
      filled = yield* Deferred.make<void>()
      const write = Effect.zipRight(
        retryForever(
          "Writing checks",
          byHalves(batch.checks, { work: checks.append, isTheirFault: refusesContent, leaveOut: leaveOutCheck })
        ),
        retryForever(
          "Writing monitor states",
          byHalves([...batch.snapshots.values()], { work: saveStates, isTheirFault: refusesContent, leaveOut: leaveOutState })
        )
      )
      // Callers that wait for the batch must not wait forever.
      yield* Effect.tapDefect(write, (cause) => Deferred.failCause(batch.done, cause))
      yield* Deferred.succeed(batch.done, undefined)
    })

    const cycle = Effect.gen(function*() {
      yield* Deferred.await(filled)
      yield* Deferred.await(pending.full).pipe(Effect.timeoutOption(linger))
      yield* flush
    })
    yield* Effect.forkScoped(restartForever("Writing checks", Effect.forever(cycle)))
    // Writes the waiting checks at shutdown, before the pool closes.
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() =>
        pending.checks.length + pending.snapshots.size === 0 ? Effect.void : Effect.timeoutOption(flush, "2 seconds")
      )
    )

    return {
      /** Adds to the next write, or starts it if `urgent`; the returned effect completes once the rows are in the database. */
      add: (
        rows: ReadonlyArray<CountedResult>,
        snapshots: ReadonlyArray<Snapshot>,
        urgent: boolean
      ): Effect.Effect<Effect.Effect<void>> =>
        Effect.suspend(() => {
          const batch = pending
          for (const row of rows) batch.checks.push(row)
          put(snapshots)
          Deferred.unsafeDone(filled, Effect.void)
          if (urgent || batch.checks.length >= enough) Deferred.unsafeDone(batch.full, Effect.void)
          return Effect.succeed(Deferred.await(batch.done))
        })
    }
  })
}) {}
