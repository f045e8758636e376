/** The results that wait inside a process: first in, first out; above the limits the oldest are dropped. */
import { Effect } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { resultBytes } from "../domain/check/history/ResultSize.ts"
import { makeBoundedBuffer } from "../domain/tools/BoundedBuffer.ts"

export interface ResultBuffer {
  /** Returns how many of the oldest results were dropped. */
  readonly offer: (results: ReadonlyArray<CheckResult>) => number
  /** Waits for results and removes the oldest, 1 to `max`. */
  readonly take: (max: number) => Effect.Effect<ReadonlyArray<CheckResult>>
  /** Puts an unfinished batch back in front; returns how many results were dropped. */
  readonly giveBack: (batch: ReadonlyArray<CheckResult>) => number
  readonly size: () => number
  /** Completes as soon as results wait. */
  readonly filled: Effect.Effect<void>
}

export const makeResultBuffer = (items: number, bytes: number): ResultBuffer => {
  const filled = Effect.unsafeMakeLatch(false)
  const waiting = makeBoundedBuffer<CheckResult>({ items, bytes, weigh: resultBytes })

  const opened = (dropped: number): number => {
    if (waiting.size() > 0) filled.unsafeOpen()
    return dropped
  }

  const take = (max: number): Effect.Effect<ReadonlyArray<CheckResult>> =>
    Effect.flatMap(filled.await, () => {
      const batch = waiting.take(max)
      if (waiting.size() === 0) filled.unsafeClose()
      // Another taker may have been quicker.
      return batch.length > 0 ? Effect.succeed(batch) : take(max)
    })

  return {
    offer: (results) => {
      let dropped = 0
      for (const result of results) dropped += waiting.offer(result)
      return opened(dropped)
    },
    take,
    giveBack: (batch) => opened(waiting.putBack(batch)),
    size: waiting.size,
    filled: filled.await
  }
}
