/** The results that a process has fetched and not yet passed on: pieces of partitions, merged into batches. */
import { Effect } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { resultRoom } from "../domain/check/ResultRoom.ts"
import type { Reading } from "./kafka/KafkaReader.ts"

export interface Piece {
  readonly reading: Reading
  readonly results: ReadonlyArray<CheckResult>
  /** About the memory that they take. */
  readonly bytes: number
  /** The offset at which the partition continues after this piece. */
  readonly next: string
}

/** A batch of larger results ends before it exceeds this, unless it is a single piece. */
const largestBatch = 16 * 1024 * 1024

export const makeResultIntake = () => {
  const filled = Effect.unsafeMakeLatch(false)
  const room = Effect.unsafeMakeLatch(true)
  let pieces: Array<Piece> = []
  let size = 0
  let waitingBytes = 0
  const isFull = () => size >= resultRoom.fetched.results || waitingBytes >= resultRoom.fetched.bytes

  const takeNow = (enough: number): ReadonlyArray<Piece> => {
    let count = 0
    let results = 0
    let bytes = 0
    for (const piece of pieces) {
      if (count > 0 && (results + piece.results.length > enough || bytes + piece.bytes > largestBatch)) break
      count++
      results += piece.results.length
      bytes += piece.bytes
    }
    const taken = pieces.slice(0, count)
    pieces = pieces.slice(count)
    size -= results
    waitingBytes -= bytes
    if (pieces.length === 0) filled.unsafeClose()
    if (!isFull()) room.unsafeOpen()
    return taken
  }

  return {
    offer: (piece: Piece): void => {
      pieces.push(piece)
      size += piece.results.length
      waitingBytes += piece.bytes
      filled.unsafeOpen()
      if (isFull()) room.unsafeClose()
    },
    /** Waits for pieces and removes the oldest: at least one, and more until they hold `enough` results or many bytes. */
    take: (enough: number) => Effect.map(filled.await, () => takeNow(enough)),
    size: () => size,
    /** The results that were not taken yet, by piece. */
    waiting: () => pieces.map(({ results }) => results),
    isFull,
    /** Completes as soon as it is not full. */
    room: room.await
  }
}
export type ResultIntake = ReturnType<typeof makeResultIntake>
