/** Follows which fetched pieces are done: a partition's offset moves only past results that are, and all before them. */
import type { Reading } from "./KafkaReader.ts"
import type { Piece } from "./ResultIntake.ts"

/** Holds no results: those of a piece that is done must not stay in memory behind one that is not. */
interface Entry {
  readonly next: string
  done: boolean
}

export const makeReadOffsets = () => {
  const open = new Map<Reading, Array<Entry>>()
  let moved = new Map<Reading, string>()

  const advance = (reading: Reading, entries: Array<Entry>): void => {
    const unfinished = entries.findIndex(({ done }) => !done)
    const finished = entries.splice(0, unfinished < 0 ? entries.length : unfinished)
    if (entries.length === 0) open.delete(reading)
    const last = finished.at(-1)
    if (last !== undefined) moved.set(reading, last.next)
  }

  return {
    /** Pieces of a reading must begin in the order in which they were fetched. Call the returned function when the piece is done. */
    begin: ({ next, reading }: Piece) => {
      const entries = open.get(reading) ?? []
      const entry: Entry = { next, done: false }
      entries.push(entry)
      open.set(reading, entries)
      return (): void => {
        entry.done = true
        advance(reading, entries)
      }
    },
    /** Removes and returns the offsets that moved since the last call. */
    takeMoved: (): ReadonlyMap<Reading, string> => {
      const taken = moved
      moved = new Map()
      return taken
    }
  }
}
export type ReadOffsets = ReturnType<typeof makeReadOffsets>
