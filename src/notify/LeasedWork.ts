/** Works off what is due in a table: claims rows as far as there is room, attempts each, and gives back what it still holds. */
import { DateTime, Duration, Effect, FiberSet, Option } from "effect"

/** However far ahead the next row seems to be due, another process may have added one. */
const longestPause = Duration.seconds(5)

/** For giving back what was in flight, when the database does not answer: the lease does it later. */
const releaseLimit = Duration.seconds(1)

export interface LeasedWork<Row extends { readonly id: string }> {
  /** Names it in spans. */
  readonly name: string
  /** Attempts in flight. */
  readonly most: number
  /** Makes due what a clock that was ahead has put off too far. */
  readonly recall: (now: DateTime.Utc) => Effect.Effect<unknown>
  /** Takes at most `room` rows that are due, knowing which are in hand. */
  readonly claim: (now: DateTime.Utc, room: number, held: ReadonlyArray<Row["id"]>) => Effect.Effect<ReadonlyArray<Row>>
  readonly nextDueAt: (now: DateTime.Utc) => Effect.Effect<Option.Option<DateTime.Utc>>
  /** Makes rows due again at once. */
  readonly release: (rows: ReadonlyArray<Row>) => Effect.Effect<unknown>
  /** Attempts one and writes back what came of it; what could not be written back is left to the lease. */
  readonly attempt: (row: Row) => Effect.Effect<void>
  /** Run whenever an attempt has ended: there is room for another. */
  readonly onRoom: Effect.Effect<void>
}

/** `step` begins what is due and returns how long to wait for the next. Attempts end with the scope. */
export const makeLeasedWork = Effect.fn("LeasedWork.make")(function*<Row extends { readonly id: string }>(
  work: LeasedWork<Row>
) {
  const held = new Map<Row["id"], Row>()
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => work.release([...held.values()])).pipe(
      Effect.sandbox,
      Effect.ignore,
      Effect.disconnect,
      Effect.timeoutOption(releaseLimit),
      Effect.when(() => held.size > 0)
    )
  )
  const attempts = yield* FiberSet.make()

  const begin = (row: Row) => {
    held.set(row.id, row)
    return FiberSet.run(
      attempts,
      work.attempt(row).pipe(
        // Not when interrupted: what is still held then is given back.
        Effect.zipRight(Effect.sync(() => held.delete(row.id))),
        Effect.zipRight(work.onRoom)
      )
    )
  }

  const step = Effect.gen(function*() {
    const room = work.most - held.size
    if (room <= 0) return longestPause
    const now = yield* DateTime.now
    yield* work.recall(now)
    yield* Effect.forEach(yield* work.claim(now, room, [...held.keys()]), begin, { discard: true })
    // What is due now and was not taken waits for room, not for time.
    return Option.match(yield* work.nextDueAt(now), {
      onNone: () => longestPause,
      onSome: (at) => Duration.min(longestPause, Duration.millis(DateTime.distance(now, at)))
    })
  }).pipe(Effect.withSpan(`${work.name}.step`))

  return { step }
})
