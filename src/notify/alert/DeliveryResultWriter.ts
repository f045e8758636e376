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
  /** Gives a queue back. Its results must have been added before. */
  readonly giveBack: (queue: ReturnedQueue) => void
  /** Writes what waits, without delay. */
  readonly flush: Effect.Effect<void>
}

/** `onMore` runs when more is due in queues that were given back. */
export const makeDeliveryResultWriter = Effect.fn("DeliveryResultWriter.make")(
  function*(now: Effect.Effect<DateTime.Utc>, onMore: Effect.Effect<void>) {
    const results = yield* DeliveryResults
    const signal = yield* Queue.sliding<void>(1)
    let settled: Array<Settled> = []
    let returned: Array<ReturnedQueue> = []

    const flush = Effect.gen(function*() {
      const [batch, queues] = [settled, returned]
      if (batch.length === 0 && queues.length === 0) return
      settled = []
      returned = []
      const more = yield* results.settle(batch, queues, yield* now).pipe(
        Effect.sandbox,
        Effect.retry(untilLeaseEnds),
        // The leases expire, and the deliveries are attempted again.
        Effect.catchAllCause((cause) =>
          Effect.as(
            Effect.logWarning(`Results of ${batch.length} deliveries not written; they are repeated after their lease`, cause),
            false
          )
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
      giveBack: (queue) => {
        returned.push(queue)
        Queue.unsafeOffer(signal, undefined)
      },
      flush
    }
    return writer
  }
)
