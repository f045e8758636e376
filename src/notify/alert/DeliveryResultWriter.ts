/** Writes the results of attempts: those that end within a few milliseconds share a statement. */
import { type DateTime, Effect, Queue, Schedule } from "effect"
import { restartForever } from "../../loops/RestartForever.ts"
import { DeliveryResults, type ReturnedQueue, type Settled } from "../../store/alert/DeliveryResults.ts"

/** How long results wait for others. */
const linger = "20 millis"

/** Writing is retried for as long as the leases certainly last. */
const untilLeaseEnds = { schedule: Schedule.spaced("1 second"), times: 15 }

export interface DeliveryResultWriter {
  readonly settle: (settled: Settled) => void
  /** Gives a queue back; its results must have been added before. `more` says whether other deliveries of it are due. */
  readonly giveBack: (queue: ReturnedQueue, more: boolean) => void
  /** Writes what waits, without delay. */
  readonly flush: Effect.Effect<void>
}

/** `onMore` runs after each write that gave back queues with more that is due. */
export const makeDeliveryResultWriter = Effect.fn("DeliveryResultWriter.make")(
  function*(now: Effect.Effect<DateTime.Utc>, onMore: Effect.Effect<void>) {
    const results = yield* DeliveryResults
    const signal = yield* Queue.sliding<void>(1)
    let settled: Array<Settled> = []
    let returned: Array<ReturnedQueue> = []
    let anyMore = false

    const flush = Effect.gen(function*() {
      const [batch, queues, more] = [settled, returned, anyMore]
      if (batch.length === 0 && queues.length === 0) return
      settled = []
      returned = []
      anyMore = false
      yield* results.settle(batch, queues, yield* now).pipe(
        Effect.sandbox,
        Effect.retry(untilLeaseEnds),
        // The leases expire, and the deliveries are attempted again.
        Effect.catchAllCause((cause) =>
          Effect.logWarning(`Results of ${batch.length} deliveries not written; they are repeated after their lease`, cause)
        )
      )
      if (more) yield* onMore
    })

    const loop = Queue.take(signal).pipe(Effect.zipRight(Effect.sleep(linger)), Effect.zipRight(flush), Effect.forever)
    yield* Effect.forkScoped(restartForever("Writing results of deliveries", loop))

    const writer: DeliveryResultWriter = {
      settle: (one) => {
        settled.push(one)
        Queue.unsafeOffer(signal, undefined)
      },
      giveBack: (queue, more) => {
        returned.push(queue)
        anyMore ||= more
        Queue.unsafeOffer(signal, undefined)
      },
      flush
    }
    return writer
  }
)
