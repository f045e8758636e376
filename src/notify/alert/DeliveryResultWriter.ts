/** Writes the results of attempts, and gives the queues of channels back: those that end within a few milliseconds share a statement. */
import { type DateTime, Effect } from "effect"
import { DeliveryResults, type ReturnedQueue, type Settled } from "../../store/alert/DeliveryResults.ts"
import { makeResultWriter } from "../delivery/ResultWriter.ts"

type Result = { readonly settled: Settled } | { readonly returned: ReturnedQueue }

export interface DeliveryResultWriter {
  readonly settle: (settled: Settled) => void
  /** Gives a queue back. Its results must have been added before. */
  readonly giveBack: (queue: ReturnedQueue) => void
  /** Writes the waiting results, without delay. */
  readonly flush: Effect.Effect<void>
}

/** `onMore` runs when more is due in queues that were given back. */
export const makeDeliveryResultWriter = Effect.fn("DeliveryResultWriter.make")(
  function*(now: Effect.Effect<DateTime.Utc>, onMore: Effect.Effect<void>) {
    const results = yield* DeliveryResults
    const { add, flush } = yield* makeResultWriter<Result>({
      of: "deliveries",
      workspaceOf: (result) => "settled" in result ? result.settled.delivery.workspaceId : result.returned.workspaceId,
      write: (batch, patienceMs) => {
        const settled = batch.flatMap((result) => "settled" in result ? [result.settled] : [])
        const returned = batch.flatMap((result) => "returned" in result ? [result.returned] : [])
        return now.pipe(
          Effect.flatMap((at) => results.settle(settled, returned, at, patienceMs)),
          Effect.flatMap((more) => more ? onMore : Effect.void)
        )
      }
    })
    const writer: DeliveryResultWriter = {
      settle: (settled) => add({ settled }),
      giveBack: (returned) => add({ returned }),
      flush
    }
    return writer
  }
)
