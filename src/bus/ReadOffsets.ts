/** Follows which fetched batches are done: a partition's offset moves only past results that are, and all before them. */
import type { Piece, Reading } from "./ResultIntake.ts"

/** A batch that was passed on; `finish` records that it is done. */
export interface OpenBatch {
  readonly finish: () => void
}

interface Entry {
  readonly pieces: ReadonlyArray<Piece>
  done: boolean
}

export interface ReadOffsets {
  /** Batches must begin in the order in which their pieces were fetched. */
  readonly begin: (pieces: ReadonlyArray<Piece>) => OpenBatch
  /** Removes and returns the offsets that moved since the last call. */
  readonly takeMoved: () => ReadonlyMap<Reading, string>
}

export const makeReadOffsets = (): ReadOffsets => {
  let open: Array<Entry> = []
  let moved = new Map<Reading, string>()

  const advance = (): void => {
    const unfinished = open.findIndex(({ done }) => !done)
    const finished = unfinished < 0 ? open : open.slice(0, unfinished)
    open = unfinished < 0 ? [] : open.slice(unfinished)
    for (const { pieces } of finished) for (const { next, reading } of pieces) moved.set(reading, next)
  }

  return {
    begin: (pieces) => {
      const entry: Entry = { pieces, done: false }
      open.push(entry)
      return {
        finish: () => {
          entry.done = true
          advance()
        }
      }
    },
    takeMoved: () => {
      const taken = moved
      moved = new Map()
      return taken
    }
  }
}
