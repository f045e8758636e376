/** Publishes edits and deletions of monitors to the probes and to their actors, on one runner at a time. Edits go first. */
import { Singleton } from "@effect/cluster"
import { Duration, Effect, Schedule, Stream } from "effect"
import { Bus } from "../../src/bus/Bus.ts"
import { restartForever } from "../../src/loops/RestartForever.ts"
import { retryForever } from "../../src/loops/RetryForever.ts"
import { AssignmentPlaces } from "../../src/store/monitor/AssignmentPlaces.ts"
import { Assignments } from "../../src/store/monitor/Assignments.ts"
import { assignmentsSignal } from "../../src/store/monitor/Monitors.ts"
import { Wakeups } from "../../src/store/postgres/Wakeups.ts"
import { makePublishAssignments, type PublishAssignments } from "./PublishAssignments.ts"
import { makePublishEdits } from "./PublishEdits.ts"

/** Small, because an edit may have to wait for the batch that is being sent. */
const page = { lines: 200, bytes: 2 * 1024 * 1024 }
const deletionsAtOnce = 500
/** Edits that come this soon after others are published together. A single edit waits for nothing. */
const pace = "50 millis"
/** Edits that never end must not stop the work behind them altogether. */
const longestWait = "5 seconds"
/** The pause between counts of the partitions, which the operator may add. */
const countEvery = Duration.seconds(30)
/** Longer than workers take to notice new partitions: until then only the old places reach them. */
const emptyAfter = Duration.minutes(2)

/** An effect that publishes every assignment once. Probes ignore what they already know. `turn` completes when no edits wait. */
const makeReplay = (publish: PublishAssignments, turn: Effect.Effect<void>) =>
  Effect.map(Assignments, (assignments) => {
    const replay = (formerly: number | null, after: string): Effect.Effect<void> =>
      Effect.gen(function*() {
        const lines = yield* assignments.page(after, page)
        const unreadable = yield* publish(lines, formerly)
        if (unreadable.size > 0) {
          yield* Effect.logError(`The settings of ${unreadable.size} monitors cannot be read: ${[...unreadable].join(", ")}`)
        }
        return lines.at(-1)
      }).pipe(
        (batch) => Effect.zipRight(turn, retryForever("Publishing all assignments", batch)),
        Effect.flatMap((last) => last === undefined ? Effect.void : replay(formerly, last.monitorId))
      )
    return (formerly: number | null) => replay(formerly, "")
  })

/**
 * Keeps each assignment in one partition only. Publishes all assignments when it starts, which repairs a topic that is new or was lost,
 * and when the operator has added partitions: most monitors have another place then, and the old one must not keep an assignment that
 * no edit or deletion reaches. `replay` publishes all assignments, and empties their places by an earlier number of partitions.
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

/** Publishes which monitors are gone. Their actors need no message: without a row they commit nothing, and they end unused. */
const makePublishDeletions = (turn: Effect.Effect<void>) =>
  Effect.gen(function*() {
    const assignments = yield* Assignments
    const bus = yield* Bus
    const batch = Effect.gen(function*() {
      const lines = yield* assignments.gone(deletionsAtOnce)
      if (lines.length === 0) return false
      yield* bus.assign(lines.map(({ monitorId }) => ({ monitorId, assignment: null })))
      yield* assignments.published(lines)
      return true
    })
    const publishAll: Effect.Effect<void> = Effect.flatMap(
      Effect.zipRight(turn, retryForever("Publishing deletions of monitors", batch)),
      (more) => more ? publishAll : Effect.void
    )
    return publishAll
  })

export const AssignmentPublisher = Singleton.make(
  "AssignmentPublisher",
  Effect.gen(function*() {
    const wakeups = yield* Wakeups
    const publish = yield* makePublishAssignments
    // Open while no edits wait; closed until the first look at them.
    const calm = yield* Effect.makeLatch(false)
    const turn = Effect.asVoid(Effect.timeoutOption(calm.await, longestWait))

    const following = (work: Effect.Effect<void>) =>
      wakeups.listen(assignmentsSignal).pipe(
        Stream.merge(Stream.repeatEffectWithSchedule(Effect.void, Schedule.spaced("2 seconds"))),
        Stream.buffer({ capacity: 1, strategy: "sliding" }),
        Stream.runForEach(() => Effect.zipLeft(work, Effect.sleep(pace)))
      )

    const edits = Effect.scoped(Effect.flatMap(
      makePublishEdits(publish),
      (publishEdits) => following(Effect.zipRight(calm.close, Effect.zipRight(publishEdits, calm.open)))
    ))
    const replay = Effect.flatMap(Effect.flatMap(makeReplay(publish, turn), makeKeepPlaces), (keep) => keep)
    const deletions = Effect.flatMap(makePublishDeletions(turn), following)
    return yield* Effect.all([
      restartForever("Publishing assignments", edits),
      restartForever("Publishing all assignments", replay),
      restartForever("Publishing deletions", deletions)
    ], { concurrency: "unbounded", discard: true })
  })
)
