/** Drops repeated, equal Content-Length headers of a response, which browsers accept and Node's parser refuses. */
import type { Socket } from "node:net"

const lengthLine = /\r?\n(content-length)[ \t]*:[ \t]*([^\r\n]*)/gi
const headEnd = /\r?\n\r?\n/

/** The part of a chunk that belongs to headers, without the repeated lines; `seen` is the value of the first such header. */
const repair = (head: string, seen: { value: string | null }): string =>
  head.replace(lengthLine, (line, _: string, value: string) => {
    if (seen.value === null) {
      seen.value = value.trim()
      return line
    }
    // Different lengths are left for the parser to refuse: nobody knows which one is right.
    return seen.value === value.trim() ? "" : line
  })

/**
 * Intercepts what the socket reads until the headers end. Replaces `push` because only a stream that is a socket itself keeps
 * Node's fast path, and this runs for every check. A header line that is split between two packets is left as it is.
 */
export const repairHeaders = (socket: Socket): void => {
  const seen: { value: string | null } = { value: null }
  const push = socket.push.bind(socket)
  socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (!Buffer.isBuffer(chunk)) return push(chunk, encoding)
    const text = chunk.toString("latin1")
    const end = headEnd.exec(text)
    const isInterim = /^HTTP\/1\.[01] 1\d\d/.test(text)
    if (end !== null && !isInterim) socket.push = push
    const size = end === null ? text.length : end.index
    const head = repair(text.slice(0, size), seen)
    return push(head.length === size ? chunk : Buffer.concat([Buffer.from(head, "latin1"), chunk.subarray(size)]), encoding)
  }
}
