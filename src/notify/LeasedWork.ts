/** Processes the due rows of a table: claims rows while slots are free, attempts each, and releases unfinished rows. */
import { DateTime, Duration, Effect, FiberSet, Option } from "effect"
import { DatabaseClock } from "../store/postgres/DatabaseClock.ts"

/** Caps the sleep: another process may add an earlier row. */
const maxPause = Duration.seconds(5)

/** Time limit for releasing rows at shutdown. If the database does not respond, their leases expire instead. */
const releaseLimit = Duration.seconds(1)

export interface LeasedWork<Row extends { readonly id: string }> {
  /** Prefix of span names. */
  readonly name: string
  /** Maximum number of attempts in flight. */
  readonly maxInFlight: number
  /** Makes rows due that a clock running ahead has scheduled too far in the future. */
  readonly recall: (now: DateTime.Utc) => Effect.Effect<unknown>
  /** Claims due rows as far as there are slots beside `held`, which this worker is processing. */
  readonly claim: (now: DateTime.Utc, held: ReadonlyArray<Row>) => Effect.Effect<ReadonlyArray<Row>>
  readonly nextDueAt: (now: DateTime.Utc) => Effect.Effect<Option.Option<DateTime.Utc>>
  /** Makes rows due again at `now`. */
  readonly release: (rows: ReadonlyArray<Row>, now: DateTime.Utc) => Effect.Effect<unknown>
  /** Attempts one row and writes its result. If the write fails, the row is due again after its lease. */
  readonly attempt: (row: Row) => Effect.Effect<void>
  /** Runs after each attempt, when a slot is free again. */
  readonly onRoom: Effect.Effect<void>
}

/** `step` starts due rows and returns how long to wait until the next step. Attempts end with the scope. */
export const makeLeasedWork = Effect.fn("LeasedWork.make")(function*<Row extends { readonly id: string }>(
  work: LeasedWork<Row>
) {
  const clock = yield* DatabaseClock
  const held = new Map<Row["id"], Row>()
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => work.release([...held.values()], DateTime.unsafeMake(clock.estimate()))).pipe(
      Effect.sandbox,
      Effect.ignore,
      Effect.disconnect,
      Effect.timeoutOption(releaseLimit),
      Effect.when(() => held.size > 0)
    )
  )
  const attempts = yield* FiberSet.make()

  const start = (row: Row) => {
    held.set(row.id, row)
    return FiberSet.run(
      attempts,
      work.attempt(row).pipe(
        // Not on interruption: rows still held are released by the finalizer.
        Effect.zipRight(Effect.sync(() => held.delete(row.id))),
        Effect.zipRight(work.onRoom)
      )
    )
  }

  const step = Effect.gen(function*() {
    if (held.size >= work.maxInFlight) return maxPause
    // The clock that all runners share decides which rows are due and how long they are held.
    const now = yield* clock.now
    yield* work.recall(now)
    yield* Effect.forEach(yield* work.claim(now, [...held.values()]), start, { discard: true })
    // Due rows that were not claimed wait for a free slot, and `onRoom` starts that step.
    return Option.match(yield* work.nextDueAt(now), {
      onNone: () => maxPause,
      onSome: (at) => Duration.min(maxPause, Duration.millis(DateTime.distance(now, at)))
    })
  }).pipe(Effect.withSpan(`${work.name}.step`))

  return { step }
})
