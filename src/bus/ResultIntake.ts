/** The results that a process has fetched and not yet passed on: pieces of partitions, merged into batches. */
import { Effect } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"
import type { Reading } from "./KafkaReader.ts"

/** Results fetched together from one partition. */
export interface Piece {
  readonly reading: Reading
  readonly results: ReadonlyArray<CheckResult>
  /** The offset at which the partition continues after this piece. */
  readonly next: string
}

/** Above this, fetching waits until batches were taken. */
const mostWaiting = 4_000

export interface ResultIntake {
  readonly offer: (piece: Piece) => void
  /** Waits for pieces and removes the oldest: at least one, and more until they hold `enough` results. */
  readonly take: (enough: number) => Effect.Effect<ReadonlyArray<Piece>>
  readonly size: () => number
  readonly isFull: () => boolean
  /** Completes as soon as it is not full. */
  readonly room: Effect.Effect<void>
}

export const makeResultIntake = (): ResultIntake => {
  const filled = Effect.unsafeMakeLatch(false)
  const room = Effect.unsafeMakeLatch(true)
  let pieces: Array<Piece> = []
  let size = 0

  const takeNow = (enough: number): ReadonlyArray<Piece> => {
    let count = 0
    let results = 0
    for (const piece of pieces) {
      if (count > 0 && results + piece.results.length > enough) break
      count++
      results += piece.results.length
    }
    const taken = pieces.slice(0, count)
    pieces = pieces.slice(count)
    size -= results
    if (pieces.length === 0) filled.unsafeClose()
    if (size < mostWaiting) room.unsafeOpen()
    return taken
  }

  return {
    offer: (piece) => {
      pieces.push(piece)
      size += piece.results.length
      filled.unsafeOpen()
      if (size >= mostWaiting) room.unsafeClose()
    },
    take: (enough) => Effect.map(filled.await, () => takeNow(enough)),
    size: () => size,
    isFull: () => size >= mostWaiting,
    room: room.await
  }
}
