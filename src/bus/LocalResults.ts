/** The check results of the in-process bus: they wait in memory until the consumer takes them in batches. */
import { Clock, Duration, Effect, Exit } from "effect"
import { Counter } from "prom-client"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { resultBytes } from "../domain/check/history/ResultSize.ts"
import { isUrgent } from "../domain/check/UrgentResult.ts"
import { makeBoundedBuffer } from "../domain/tools/queues/BoundedBuffer.ts"
import { counted } from "../domain/tools/text/Counted.ts"
import { restartForever } from "../loops/RestartForever.ts"
import type { Restore } from "../loops/Restore.ts"
import { retryForever } from "../loops/RetryForever.ts"
import type { Bus, Unhandled } from "./Bus.ts"
import { type Behind, behindWith, measureLag, together } from "./ResultLag.ts"

/** About 20 s at the highest rate of one process, or ten minutes of 10,000 monitors. */
const mostWaiting = 100_000
/** Results with evidence reach this limit first. */
const mostWaitingBytes = 128 * 1024 * 1024
const batchSize = 500
/** How long results gather: a batch of one costs its consumer about as much as a batch of ten. */
const gatherFor = Duration.millis(50)
/** Urgent results do not wait, unless others went ahead within this time, ms. */
const urgentPause = 25
const dropLogEvery = Duration.toMillis("1 minute")

const dropped = new Counter({
  name: "belltower_bus_dropped_results_total",
  help: "Results that the in-process bus dropped because they were not consumed in time"
})

/** Counts dropped results and logs their sum at most once a minute. */
const makeDropNotice = () => {
  let unlogged = 0
  let loggedAt = Number.NEGATIVE_INFINITY
  return Effect.fn("LocalBus.noticeDrops")(function*(count: number) {
    if (count === 0) return
    dropped.inc(count)
    unlogged += count
    const now = yield* Clock.currentTimeMillis
    if (now - loggedAt < dropLogEvery) return
    yield* Effect.logError(
      `Dropped the oldest ${counted(unlogged, "check result")}: checks are made faster than they are recorded. ` +
        "Give PostgreSQL more CPU, or run several processes with Kafka."
    )
    loggedAt = now
    unlogged = 0
  })
}

/** A queue of results, first in, first out; above the limits the oldest are dropped. */
export const makeResultBuffer = (items: number, bytes: number) => {
  const filled = Effect.unsafeMakeLatch(false)
  const hurried = Effect.unsafeMakeLatch(false)
  const waiting = makeBoundedBuffer<CheckResult>({ items, bytes, weigh: resultBytes })

  const opened = (dropped: number): number => {
    if (waiting.size() > 0) filled.unsafeOpen()
    return dropped
  }

  /** Waits for results and removes the oldest, 1 to `max`. */
  const take = (max: number): Effect.Effect<ReadonlyArray<CheckResult>> =>
    Effect.flatMap(filled.await, () => {
      const batch = waiting.take(max)
      if (waiting.size() === 0) {
        filled.unsafeClose()
        hurried.unsafeClose()
      }
      // Another taker may have been quicker.
      return batch.length > 0 ? Effect.succeed(batch) : take(max)
    })

  return {
    /** Returns how many of the oldest results were dropped. */
    offer: (results: ReadonlyArray<CheckResult>): number => {
      let dropped = 0
      for (const result of results) dropped += waiting.offer(result)
      if (results.some(isUrgent)) hurried.unsafeOpen()
      return opened(dropped)
    },
    take,
    /** Puts an unfinished batch back in front; returns how many results were dropped. */
    giveBack: (batch: ReadonlyArray<CheckResult>): number => opened(waiting.putBack(batch)),
    size: waiting.size,
    behind: (): Behind => ({ results: waiting.size(), oldestAt: waiting.peek()?.at ?? null }),
    /** Completes as soon as results wait. */
    filled: filled.await,
    /** Completes as soon as urgent results wait. */
    hurried: hurried.await
  }
}
type ResultBuffer = ReturnType<typeof makeResultBuffer>

/** Makes the effect that waits for results, lets more of them gather, and takes a batch. */
const makeTakeBatch = (waiting: ResultBuffer) => {
  let hurriedAt = Number.NEGATIVE_INFINITY
  const hurried = Effect.zipRight(
    waiting.hurried,
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const at = Math.max(now, hurriedAt + urgentPause)
      return Effect.map(Effect.sleep(at - now), () => {
        hurriedAt = at
      })
    })
  )
  const gathered = Effect.flatMap(
    waiting.filled,
    () => waiting.size() < batchSize ? Effect.timeoutOption(hurried, gatherFor) : Effect.void
  )
  return Effect.zipRight(gathered, waiting.take(batchSize))
}

type NoticeDrops = ReturnType<typeof makeDropNotice>

const makeConsume = (waiting: ResultBuffer, noticeDrops: NoticeDrops): Bus["Type"]["results"] => (handle) =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const nextBatch = makeTakeBatch(waiting)
    const open = new Set<Behind>()
    yield* measureLag(() => together([waiting.behind(), ...open]))
    /** Puts results that were not stored back at the front. */
    const conclude = (stored: Effect.Effect<void, Unhandled>, results: ReadonlyArray<CheckResult>) => {
      const behind = behindWith(results)
      open.add(behind)
      return stored.pipe(
        Effect.onInterrupt(() => noticeDrops(waiting.giveBack(results))),
        Effect.catchTag("Unhandled", () => noticeDrops(waiting.giveBack(results))),
        Effect.tapDefect((cause) => Effect.logError(`Recording ${counted(results.length, "check result")} failed`, cause)),
        Effect.ensuring(Effect.sync(() => open.delete(behind))),
        Effect.forkIn(scope)
      )
    }
    const takeIn = Effect.fnUntraced(function*(restore: Restore) {
      const batch = yield* restore(nextBatch)
      const taken = behindWith(batch)
      open.add(taken)
      const handled = yield* Effect.exit(restore(retryForever("Recording check results", handle(batch))))
      open.delete(taken)
      if (Exit.isFailure(handled)) {
        yield* noticeDrops(waiting.giveBack(batch))
        return yield* handled
      }
      const { late, stored } = handled.value
      yield* conclude(restore(stored), late === null ? batch : batch.filter((one) => !late.results.has(one)))
      if (late !== null) yield* conclude(restore(late.stored), [...late.results])
    })
    const step = Effect.uninterruptibleMask(takeIn)
    yield* Effect.forkScoped(restartForever("Taking in check results", Effect.forever(step)))
  })

/** Up to 100,000 results of 128 MiB together wait for their consumer, then the oldest are dropped. */
export const makeLocalResults = () => {
  const waiting = makeResultBuffer(mostWaiting, mostWaitingBytes)
  const noticeDrops = makeDropNotice()
  // No span: this runs once per check.
  const report = (reported: ReadonlyArray<CheckResult>) =>
    Effect.suspend(() => {
      const drops = waiting.offer(reported)
      return drops === 0 ? Effect.void : noticeDrops(drops)
    })
  return { report, results: makeConsume(waiting, noticeDrops) }
}
