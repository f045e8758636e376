/** Hands results to the bus in batches, and keeps them while it is away. */
import { Clock, Duration, Effect, FiberSet, Schedule } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { Bus } from "../bus/Bus.ts"
import { makeBoundedBuffer } from "../domain/BoundedBuffer.ts"
import { retryForever } from "../loops/RetryForever.ts"
import type { ProbeMetrics } from "./Metrics.ts"

const capacity = 50_000
const largestBatch = 500
const flushTime = Duration.seconds(2)
const warningEveryMs = 60_000

const backoff = Schedule.exponential("100 millis").pipe(Schedule.union(Schedule.spaced("1 second")), Schedule.jittered)

export interface Reporter {
  /** Takes a result in; never waits. */
  readonly offer: (result: CheckResult) => void
}

/** Reports until its scope closes, and then for up to 2 s more. A monitor's results keep their order. */
export const makeReporter = Effect.fn("Reporter.make")(function*(metrics: ProbeMetrics) {
  const bus = yield* Bus
  const buffer = makeBoundedBuffer<CheckResult>(capacity)
  const filled = yield* Effect.makeLatch(false)
  let warnedAt = Number.NEGATIVE_INFINITY
  let closing = false
  let inHand = 0

  /** The first failure of an outage is told, and its end. */
  const report = (batch: ReadonlyArray<CheckResult>): Effect.Effect<void> =>
    bus.report(batch).pipe(
      Effect.catchAll(({ cause }) =>
        Effect.logWarning("The bus is away; results are kept and sent when it is back", cause).pipe(
          Effect.andThen(Effect.retry(bus.report(batch), backoff)),
          Effect.orDie,
          Effect.andThen(Effect.logInfo("The bus is back"))
        )
      ),
      // What the bus cannot carry must not keep the others from their way.
      Effect.catchAllDefect((defect) => Effect.logError(`${batch.length} results could not be reported`, defect))
    )

  const next = Effect.suspend(() => {
    const batch = buffer.take(largestBatch)
    inHand = batch.length
    metrics.waiting.set(buffer.size() + inHand)
    if (batch.length > 0) return report(batch)
    filled.unsafeClose()
    return filled.await
  })

  // Not Effect.repeat, which copies the whole context for each round: more than half of all that a check allocated.
  const rounds = Effect.whileLoop({ while: () => !closing || buffer.size() > 0, body: () => next, step: () => {} })
  const fiber = yield* Effect.forkScoped(retryForever("Reporting results", rounds))
  yield* Effect.addFinalizer(() => {
    closing = true
    filled.unsafeOpen()
    // Finalizers cannot be interrupted unless they say so, and a bus that is away would hold this one for ever.
    return Effect.interruptible(fiber.await).pipe(
      Effect.timeoutFail({ duration: flushTime, onTimeout: () => buffer.size() + inHand }),
      Effect.catchAll((left) => Effect.logWarning(`Stopped while the bus was away: ${left} results were not reported`))
    )
  })

  const warn = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (now - warnedAt < warningEveryMs) return Effect.void
    warnedAt = now
    return Effect.logWarning(`The bus has been away for too long: the oldest of ${capacity} results are being dropped`)
  })

  const start = yield* FiberSet.makeRuntime<never>()
  const reporter: Reporter = {
    offer: (result) => {
      const fits = buffer.offer(result)
      filled.unsafeOpen()
      if (fits) return
      metrics.dropped.inc()
      start(warn)
    }
  }
  return reporter
})
