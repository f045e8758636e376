/** Sends results to the bus in batches, and buffers them while the bus is unavailable. */
import { Cause, Clock, Duration, Effect, FiberSet, Schedule } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { Bus } from "../bus/Bus.ts"
import { resultBytes } from "../domain/check/history/ResultSize.ts"
import { isUrgent } from "../domain/check/UrgentResult.ts"
import { makeBoundedBuffer } from "../domain/tools/queues/BoundedBuffer.ts"
import { counted } from "../domain/tools/text/Counted.ts"
import { reasonOf } from "../loops/Outage.ts"
import { retryForever } from "../loops/RetryForever.ts"
import type { ProbeMetrics } from "./Metrics.ts"

/** Limits of the results that wait while the bus is unavailable. */
const most = { items: 50_000, bytes: 64 * 1024 * 1024 }
const largestBatch = 500
/**
 * How long results gather after a batch, unless one of them is urgent: messages that travel together share their overhead, and
 * compress to a third. The first result after a lull does not wait.
 */
const gatherFor = Duration.millis(250)
const flushTime = Duration.seconds(2)
const warningEveryMs = 60_000

const backoff = Schedule.exponential("100 millis").pipe(Schedule.union(Schedule.spaced("1 second")), Schedule.jittered)

const resultsOf = (count: number): string => counted(count, "result")

/** Reports until its scope closes, then flushes for up to 2 s. Keeps the order of each monitor's results. */
export const makeReporter = Effect.fn("Reporter.make")(function*(metrics: ProbeMetrics) {
  const bus = yield* Bus
  const buffer = makeBoundedBuffer<CheckResult>({ ...most, weigh: resultBytes })
  const filled = yield* Effect.makeLatch(false)
  /** Open while urgent results wait, or enough for a batch. */
  const hurried = yield* Effect.makeLatch(false)
  let warnedAt = Number.NEGATIVE_INFINITY
  let closing = false
  let unsent = 0

  /** Logs the first failure of an outage, and its end. */
  const report = (batch: ReadonlyArray<CheckResult>): Effect.Effect<void> =>
    bus.report(batch).pipe(
      Effect.catchAll(({ cause }) =>
        Effect.logWarning(`The bus is unavailable; buffering results until it is back: ${reasonOf(cause)}`).pipe(
          Effect.andThen(Effect.retry(bus.report(batch), backoff)),
          Effect.orDie,
          Effect.andThen(Effect.logInfo("The bus is back"))
        )
      ),
      // A batch that the bus cannot encode must not block the others.
      Effect.catchAllDefect((defect) => Effect.logError(`Reporting failed; lost ${resultsOf(batch.length)}`, Cause.die(defect)))
    )

  const gathered = Effect.timeoutOption(hurried.await, gatherFor)

  const next = Effect.suspend(() => {
    const batch = buffer.take(largestBatch)
    unsent = batch.length
    metrics.waiting.set(buffer.size() + unsent)
    if (!closing && buffer.size() === 0) hurried.unsafeClose()
    if (batch.length > 0) return Effect.zipRight(report(batch), gathered)
    filled.unsafeClose()
    return filled.await
  })

  // Not Effect.repeat: it copies the whole context on each iteration, more than half of a check's allocations.
  const rounds = Effect.whileLoop({ while: () => !closing || buffer.size() > 0, body: () => next, step: () => {} })
  const fiber = yield* Effect.forkScoped(retryForever("Reporting results", rounds))
  yield* Effect.addFinalizer(() => {
    closing = true
    filled.unsafeOpen()
    hurried.unsafeOpen()
    // Finalizers are uninterruptible by default; while the bus is unavailable, this one would never end.
    return Effect.interruptible(fiber.await).pipe(
      Effect.timeoutFail({ duration: flushTime, onTimeout: () => buffer.size() + unsent }),
      Effect.catchAll((left) => Effect.logWarning(`Stopped while the bus was unavailable; ${resultsOf(left)} not reported`))
    )
  })

  const warn = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (now - warnedAt < warningEveryMs) return Effect.void
    warnedAt = now
    return Effect.logWarning(
      `The buffer of results is full because the bus is unavailable: ${buffer.size()} results, ` +
        `${Math.round(buffer.bytes() / 2 ** 20)} MiB; dropping the oldest`
    )
  })

  const start = yield* FiberSet.makeRuntime<never>()
  return {
    /** Buffers a result; never blocks. */
    offer: (result: CheckResult): void => {
      const dropped = buffer.offer(result)
      filled.unsafeOpen()
      if (isUrgent(result) || buffer.size() >= largestBatch) hurried.unsafeOpen()
      if (dropped === 0) return
      metrics.dropped.inc(dropped)
      start(warn)
    }
  }
})
export type Reporter = Effect.Effect.Success<ReturnType<typeof makeReporter>>
