/** Takes a chunked body apart (RFC 9112, section 7.1), whose lines may also end in LF alone. */

interface ChunkListener {
  readonly onData: (data: Buffer) => void
  readonly onEnd: () => void
  /** The bytes are no chunks; `why` completes "The body is not valid HTTP: ". */
  readonly onFault: (why: string) => void
}

type State = "size" | "data" | "after data" | "trailer" | "over"

const lineFeed = 10

/** Bytes of a line, and of the trailer together. Nothing in them is used except sizes. */
const longestLines = 65_536

const sizeOf = (line: string): number | null => {
  const text = (line.split(";", 1)[0] ?? "").trim()
  return /^[0-9a-f]{1,13}$/i.test(text) ? Number.parseInt(text, 16) : null
}

/** Returns the function that takes the next bytes; those after the last chunk are ignored. */
export const makeChunkedBody = ({ onData, onEnd, onFault }: ChunkListener): (bytes: Buffer) => void => {
  let state: State = "size"
  let left = 0
  let line = ""
  let lineBytes = 0

  const fail = (why: string): void => {
    state = "over"
    onFault(why)
  }
  const end = (): void => {
    state = "over"
    onEnd()
  }
  const takeSize = (text: string): void => {
    const size = sizeOf(text)
    if (size === null) return fail(`a chunk begins with "${text.slice(0, 30)}" instead of its size`)
    left = size
    state = size === 0 ? "trailer" : "data"
  }
  const takeLine = (text: string): void => {
    if (state === "size") return takeSize(text)
    // The fields of the trailer say nothing about the body.
    if (state === "trailer") return text === "" ? end() : undefined
    if (text !== "") return fail("a chunk is longer than its size")
    state = "size"
  }
  /** The bytes up to the end of the line, and the line if it is complete. */
  const readLine = (bytes: Buffer): number => {
    const at = bytes.indexOf(lineFeed)
    const size = at === -1 ? bytes.length : at + 1
    line += bytes.toString("latin1", 0, at === -1 ? size : at)
    lineBytes = state === "trailer" || at === -1 ? lineBytes + size : 0
    if (lineBytes > longestLines) fail("a line between the chunks is too long")
    else if (at !== -1) {
      const text = line.trim()
      line = ""
      takeLine(text)
    }
    return size
  }
  const readData = (bytes: Buffer): number => {
    const size = Math.min(left, bytes.length)
    left -= size
    if (left === 0) state = "after data"
    onData(bytes.subarray(0, size))
    return size
  }
  return (bytes) => {
    let rest = bytes
    while (rest.length > 0 && state !== "over") rest = rest.subarray(state === "data" ? readData(rest) : readLine(rest))
  }
}
