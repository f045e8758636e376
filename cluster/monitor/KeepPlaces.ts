/** Keeps each assignment in one partition only, also after the operator has added partitions. */
import { Duration, Effect } from "effect"
import { Bus } from "../../src/bus/Bus.ts"
import { retryForever } from "../../src/loops/RetryForever.ts"
import { AssignmentPlaces } from "../../src/store/monitor/AssignmentPlaces.ts"

/** How often it is checked whether the operator has added partitions. */
const countEvery = Duration.seconds(30)
/** Longer than workers take to notice new partitions: until then only the old places reach them. */
const emptyAfter = Duration.minutes(2)

/**
 * Publishes all assignments when it starts, which repairs a topic that is new or was lost, and when there are more partitions: most
 * monitors have another place then, and the old one must not keep an assignment that no edit or deletion reaches. `replay` publishes
 * all assignments, and empties their places by an earlier number of partitions.
 */
export const makeKeepPlaces = Effect.fnUntraced(function*(replay: (formerly: number | null) => Effect.Effect<void>) {
  const bus = yield* Bus
  const places = yield* AssignmentPlaces
  const count = retryForever("Counting the partitions of assignments", bus.partitions)
  const recorded = retryForever("Reading the places of assignments", places.partitions)
  const record = (partitions: number) => retryForever("Recording the places of assignments", places.record(partitions))

  const emptyOld = (partitions: number, formerly: number) =>
    Effect.gen(function*() {
      yield* Effect.logInfo(
        `The topic of assignments has ${partitions} partitions instead of ${formerly}; all are published again`
      )
      yield* Effect.sleep(emptyAfter)
      yield* replay(formerly)
      yield* record(partitions)
    })

  const keep = (published: number | null): Effect.Effect<never> =>
    Effect.gen(function*() {
      const partitions = yield* count
      if (partitions !== published) yield* replay(null)
      const formerly = yield* recorded
      if (formerly === null) yield* record(partitions)
      else if (formerly !== partitions) yield* emptyOld(partitions, formerly)
      yield* Effect.sleep(countEvery)
      return partitions
    }).pipe(Effect.flatMap(keep))
  return keep(null)
})
