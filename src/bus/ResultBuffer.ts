/** The results that wait inside a process: first in, first out; above the capacity the oldest are dropped. */
import { Effect } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"

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

export const makeResultBuffer = (capacity: number): ResultBuffer => {
  const filled = Effect.unsafeMakeLatch(false)
  let items: Array<CheckResult> = []
  // Items before the head are consumed; moving the head is free, and the array is cut from time to time.
  let head = 0

  const advance = (count: number) => {
    head += count
    if (head > items.length / 2) {
      items = items.slice(head)
      head = 0
    }
  }
  const trim = () => {
    const surplus = Math.max(0, items.length - head - capacity)
    if (surplus > 0) advance(surplus)
    if (items.length > head) filled.unsafeOpen()
    return surplus
  }

  const take = (max: number): Effect.Effect<ReadonlyArray<CheckResult>> =>
    Effect.flatMap(filled.await, () => {
      const batch = items.slice(head, head + max)
      advance(batch.length)
      if (items.length === head) filled.unsafeClose()
      // Another taker may have been quicker.
      return batch.length > 0 ? Effect.succeed(batch) : take(max)
    })

  return {
    offer: (results) => {
      for (const result of results) items.push(result)
      return trim()
    },
    take,
    giveBack: (batch) => {
      items = [...batch, ...items.slice(head)]
      head = 0
      return trim()
    },
    size: () => items.length - head,
    filled: filled.await
  }
}
