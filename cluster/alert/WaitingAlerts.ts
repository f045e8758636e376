/** Sends alerts that wait: for others of their channel, a stable monitor, the end of quiet hours, or a parent's recovery. */
import { DateTime, Duration, Effect, Option } from "effect"
import { longestFallback } from "../../src/domain/tools/time/FallbackPause.ts"
import { wakeableLoop } from "../../src/services/WakeableLoop.ts"
import { waitingAlertsSignal } from "../../src/store/alert/WaitingAlertsSignal.ts"
import type { WaitingKind } from "../../src/store/DueRows.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { DueWork } from "../DueWork.ts"
import { makeEndFlapping } from "./FlappingAlerts.ts"
import { makeSendGroups } from "./GroupedAlerts.ts"
import { makeReviewKeptBack } from "./KeptBackAlerts.ts"
import { makeEndMutes } from "./MuteEnds.ts"
import { makeEndQuiet } from "./QuietEnds.ts"
import { type DueStep, makeUnlockedWorkspaces } from "./UnlockedWorkspaces.ts"

const shortestPause = Duration.millis(500)

/** A loop for each kind of alerts that wait. */
export const sendWaitingAlerts = Effect.gen(function*() {
  const clock = yield* DatabaseClock
  const due = yield* DueWork
  const unlocked = yield* makeUnlockedWorkspaces

  const pauseUntil = (next: Option.Option<DateTime.Utc>) =>
    Option.isNone(next) ? Effect.succeed(longestFallback) : Effect.map(clock.now, (now) => {
      const left = Duration.millis(DateTime.distance(now, next.value))
      return Duration.clamp(left, { minimum: Duration.zero, maximum: longestFallback })
    })

  const loop = Effect.fnUntraced(function*(what: string, kind: WaitingKind, step: DueStep) {
    const pause = Effect.flatMap(due.nextAt(kind), pauseUntil)
    const work = unlocked(step)
    // Alerts that are still due are held by another runner.
    const workThenPause = Effect.zipRight(work, Effect.map(pause, Duration.max(shortestPause)))
    // Usually nothing is due, which takes no transaction.
    const send = Effect.flatMap(pause, (left) => Duration.greaterThan(left, Duration.zero) ? Effect.succeed(left) : workThenPause)
    yield* wakeableLoop(what, send, yield* due.signal(kind, waitingAlertsSignal))
  })
  yield* loop("Sending groups of alerts", "groups", yield* makeSendGroups)
  yield* loop("Reporting monitors that no longer flap", "streaks", yield* makeEndFlapping)
  yield* loop("Sending alerts after quiet hours", "quiet", yield* makeEndQuiet)
  yield* loop("Reviewing alerts that are kept back", "keptBack", yield* makeReviewKeptBack)
  yield* loop("Ending mutes", "mutes", yield* makeEndMutes)
})
