/** Bounds the results that a runner has taken in and not yet stored: those whose actors wait hold back all others only beyond this. */
import { Effect } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { resultBytes } from "../../src/domain/check/history/ResultSize.ts"

/** A batch is taken in while there is any room, so both may be exceeded by one batch. */
const most = { results: 4_000, bytes: 64 * 1024 * 1024 }

interface OpenResults {
  /** Waits for room, then counts the results. */
  readonly begin: (results: ReadonlyArray<CheckResult>) => Effect.Effect<void>
  /** Results that are stored, or left to another runner. */
  readonly end: (results: ReadonlyArray<CheckResult>) => void
  readonly count: () => number
}

export const makeOpenResults = (limits = most): OpenResults => {
  const room = Effect.unsafeMakeLatch(true)
  let count = 0
  let bytes = 0

  const move = (results: ReadonlyArray<CheckResult>, sign: 1 | -1): void => {
    count += sign * results.length
    for (const result of results) bytes += sign * resultBytes(result)
    if (count >= limits.results || bytes >= limits.bytes) room.unsafeClose()
    else room.unsafeOpen()
  }

  return {
    begin: (results) => Effect.map(room.await, () => move(results, 1)),
    end: (results) => move(results, -1),
    count: () => count
  }
}
