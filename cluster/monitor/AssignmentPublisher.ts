/** Publishes edits and deletions of monitors to the probes and to their actors, on one runner at a time. Edits go first. */
import { Singleton } from "@effect/cluster"
import { Effect, Schedule, Stream } from "effect"
import { Bus } from "../../src/bus/Bus.ts"
import { restartForever } from "../../src/loops/RestartForever.ts"
import { retryForever } from "../../src/loops/RetryForever.ts"
import { Assignments } from "../../src/store/monitor/Assignments.ts"
import { assignmentsSignal } from "../../src/store/monitor/Monitors.ts"
import { Wakeups } from "../../src/store/postgres/Wakeups.ts"
import { makeKeepPlaces } from "./KeepPlaces.ts"
import { makePublishAssignments, type PublishAssignments } from "./PublishAssignments.ts"
import { makePublishEdits } from "./PublishEdits.ts"

/** Small, because an edit may have to wait for the batch that is being sent. */
const page = { lines: 200, bytes: 2 * 1024 * 1024 }
const deletionsAtOnce = 500
/** Edits that come this soon after others are published together. A single edit waits for nothing. */
const pace = "50 millis"
/** Edits that never end must not stop the work behind them altogether. */
const longestWait = "5 seconds"

/** Completes when no edits wait, or after a while. */
type Turn = Effect.Effect<void>

/** An effect that publishes every assignment once. Probes ignore what they already know. */
const makeReplay = (publish: PublishAssignments, turn: Turn) =>
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
 * Informs probes which monitors are gone. Their actors need no message: without a row they commit nothing, and they end when
 * no checks arrive.
 */
const makePublishDeletions = (turn: Turn) =>
  Effect.gen(function*() {
    const assignments = yield* Assignments
    const bus = yield* Bus
    const batch = Effect.gen(function*() {
      const lines = yield* assignments.gone(deletionsAtOnce)
      if (lines.length === 0) return false
      yield* bus.assign(lines.map(({ monitorId }) => ({ monitorId, assignment: null })))
      yield* assignments.told(lines)
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
