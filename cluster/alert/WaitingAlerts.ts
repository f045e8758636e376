/** Sends alerts that wait: for others of their channel, a stable monitor, the end of quiet hours, or a parent's recovery. */
import { DateTime, Duration, Effect, Option } from "effect"
import { longestFallback } from "../../src/domain/tools/time/FallbackPause.ts"
import { wakeableLoop } from "../../src/services/WakeableLoop.ts"
import { waitingAlertsSignal } from "../../src/store/alert/WaitingAlertsSignal.ts"
import type { DueKind } from "../../src/store/DueRows.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { DueWork } from "../DueWork.ts"
import { makeReviewDependents } from "./DependentAlerts.ts"
import { makeEndFlapping } from "./FlappingAlerts.ts"
import { makeSendGroups } from "./GroupedAlerts.ts"
import { makeEndMutes } from "./MuteEnds.ts"
import { makeEndQuiet } from "./QuietEnds.ts"

const shortestPause = Duration.millis(500)

/** One kind of alerts that wait: when the next is due, and what to do with all that are. */
interface WaitingAlerts {
  readonly next: Effect.Effect<Option.Option<DateTime.Utc>>
  readonly work: Effect.Effect<unknown>
}

/** Sends the alerts that are due, and returns the pause until the next are. */
const makeStep = Effect.gen(function*() {
  const clock = yield* DatabaseClock

  const pauseUntil = Effect.fnUntraced(function*(next: WaitingAlerts["next"]) {
    const at = yield* next
    if (Option.isNone(at)) return longestFallback
    return Duration.clamp(Duration.millis(DateTime.distance(yield* clock.now, at.value)), {
      minimum: Duration.zero,
      maximum: longestFallback
    })
  })

  return Effect.fnUntraced(function*({ next, work }: WaitingAlerts) {
    // Usually nothing is due, which takes no transaction.
    const pause = yield* pauseUntil(next)
    if (Duration.greaterThan(pause, Duration.zero)) return pause
    yield* work
    // Alerts that are still due are held by another runner.
    return Duration.max(yield* pauseUntil(next), shortestPause)
  })
})

/** A loop for each kind of alerts that wait. */
export const sendWaitingAlerts = Effect.gen(function*() {
  const step = yield* makeStep
  const due = yield* DueWork
  const loop = (what: string, kind: DueKind, waiting: WaitingAlerts) =>
    Effect.flatMap(due.signal(kind, waitingAlertsSignal), (signal) => wakeableLoop(what, step(waiting), signal))
  yield* loop("Sending groups of alerts", "groups", yield* makeSendGroups)
  yield* loop("Reporting monitors that no longer flap", "streaks", yield* makeEndFlapping)
  yield* loop("Sending alerts after quiet hours", "quiet", yield* makeEndQuiet)
  yield* loop("Reviewing alerts of dependent monitors", "dependents", yield* makeReviewDependents)
  yield* loop("Ending mutes", "mutes", yield* makeEndMutes)
})
