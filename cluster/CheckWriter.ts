/** Writes check rows and monitor snapshots in bulk: what many checks share costs each of them little. */
import type { SqlError } from "@effect/sql/SqlError"
import { Context, Deferred, Effect, Layer } from "effect"
import { Counter } from "prom-client"
import type { Snapshot } from "../schema/Machine.ts"
import { openBatches } from "../src/bus/Bus.ts"
import { persevere } from "../src/bus/Persevere.ts"
import { Checks, type CountedResult } from "../src/store/Checks.ts"
import { MonitorStates } from "../src/store/MonitorStates.ts"

/** Rows wait at most this long for company. */
const linger = "500 millis"
/** As many are written at once without waiting. */
const enough = 1000
/** So many batches are, too: the bus hands out no more than `openBatches`, and the next could be one that decides. */
const crowd = openBatches * 0.75

interface Pending {
  batches: number
  readonly checks: Array<CountedResult>
  readonly snapshots: Map<string, Snapshot>
  readonly full: Deferred.Deferred<void>
  readonly done: Deferred.Deferred<void>
}

const refusedRows = new Counter({
  name: "belltower_check_rows_refused_total",
  help: "Check rows that the database refused for their content"
})

/** SQLSTATE classes that no retry mends: data exceptions and constraint violations. */
const isRefusal = (error: SqlError): boolean => {
  const cause: unknown = error.cause
  return typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string" &&
    /^2[23]/.test(cause.code)
}

export class CheckWriter extends Context.Tag("belltower/CheckWriter")<CheckWriter, {
  /**
   * Adds to the next write; the effect it returns completes when that is in the database, however long that is away.
   * With `urgent` the write does not wait for company.
   */
  readonly add: (
    checks: ReadonlyArray<CountedResult>,
    snapshots: ReadonlyArray<Snapshot>,
    urgent: boolean
  ) => Effect.Effect<Effect.Effect<void>>
}>() {
  static readonly layer: Layer.Layer<CheckWriter, never, Checks | MonitorStates> = Layer.scoped(
    CheckWriter,
    Effect.gen(function*() {
      const checks = yield* Checks
      const states = yield* MonitorStates

      const open = Effect.map(Effect.all([Deferred.make<void>(), Deferred.make<void>()]), ([full, done]): Pending => ({
        batches: 0, checks: [], snapshots: new Map(), full, done
      }))
      let pending = yield* open
      let filled = yield* Deferred.make<void>()

      /** A row that the database refuses for its content is left out alone; the others are written. */
      const insert = (rows: ReadonlyArray<CountedResult>): Effect.Effect<void, SqlError> =>
        rows.length === 0 ? Effect.void : checks.insert(rows).pipe(
          Effect.catchIf(isRefusal, (error) => {
            const [only] = rows
            if (rows.length === 1 && only !== undefined) {
              refusedRows.inc()
              return Effect.logError(`Check ${only.result.checkId} cannot be stored`, error.message)
            }
            const middle = Math.ceil(rows.length / 2)
            return Effect.zipRight(insert(rows.slice(0, middle)), insert(rows.slice(middle)))
          })
        )

      const flush = Effect.gen(function*() {
        const batch = pending
        pending = yield* open
        filled = yield* Deferred.make<void>()
        yield* persevere("Writing checks", insert(batch.checks))
        if (batch.snapshots.size > 0) {
          yield* persevere("Writing monitor states", states.saveAll([...batch.snapshots.values()]))
        }
        yield* Deferred.succeed(batch.done, undefined)
      })

      const cycle = Effect.gen(function*() {
        yield* Deferred.await(filled)
        yield* Deferred.await(pending.full).pipe(Effect.timeoutOption(linger))
        yield* flush
      })
      yield* Effect.forkScoped(Effect.forever(cycle))
      // What is still waiting at the end is written before the pool closes.
      yield* Effect.addFinalizer(() =>
        Effect.suspend(() => pending.checks.length === 0 ? Effect.void : Effect.timeoutOption(flush, "2 seconds"))
      )

      return {
        add: (rows, snapshots, urgent) =>
          Effect.suspend(() => {
            const batch = pending
            for (const row of rows) batch.checks.push(row)
            for (const snapshot of snapshots) batch.snapshots.set(snapshot.monitorId, snapshot)
            Deferred.unsafeDone(filled, Effect.void)
            batch.batches++
            if (urgent || batch.checks.length >= enough || batch.batches >= crowd) Deferred.unsafeDone(batch.full, Effect.void)
            return Effect.succeed(Deferred.await(batch.done))
          })
      }
    })
  )
}
