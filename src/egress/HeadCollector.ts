/** Collects the bytes of a response until its head is complete, past the interim responses that precede it. */
import { Either } from "effect"
import { type ReadHead, readHead } from "../domain/check/answer/ResponseHead.ts"
import type { RequestFailed } from "./EgressGuard.ts"
import { headTooLarge, invalidHead, notHttp } from "./HttpFailures.ts"

interface Collected {
  readonly head: ReadHead
  /** The bytes that follow the head. */
  readonly rest: Buffer
}

const lineFeed = 10
const carriageReturn = 13

/** Where the line after `at` begins, if the line at `at` is empty; else -1. */
const afterEmptyLine = (bytes: Buffer, at: number): number => {
  if (bytes[at] === lineFeed) return at + 1
  return bytes[at] === carriageReturn && bytes[at + 1] === lineFeed ? at + 2 : -1
}

/** The length of the head up to its last line feed, and the position after its empty line; null if it is not complete. */
const endOf = (bytes: Buffer, from: number): readonly [size: number, next: number] | null => {
  for (let at = bytes.indexOf(lineFeed, from); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) {
    const next = afterEmptyLine(bytes, at + 1)
    if (next !== -1) return [at, next]
  }
  return null
}

/** Empty lines before a response belong to none (RFC 9112, section 2.2). */
const withoutEmptyLines = (bytes: Buffer): Buffer => {
  let start = 0
  for (let next = afterEmptyLine(bytes, 0); next !== -1; next = afterEmptyLine(bytes, next)) start = next
  return bytes.subarray(start)
}

/** Interim responses precede the final one; 101 ends HTTP on the connection. */
const isInterim = ({ statusCode }: ReadHead): boolean => statusCode < 200 && statusCode !== 101

const refusalOf = (bytes: Buffer, limit: number): RequestFailed | null =>
  notHttp(bytes) ?? (bytes.length > limit ? headTooLarge(limit) : null)

interface HeadCollector {
  /** The head once it is complete, until then null; or why there is none. */
  readonly add: (chunk: Buffer) => Either.Either<Collected | null, RequestFailed>
  /** The bytes of a head that is not complete. */
  readonly size: () => number
}

export const makeHeadCollector = (limit: number): HeadCollector => {
  let bytes: Buffer = Buffer.alloc(0)
  let searched = 0
  const collect = (): Either.Either<Collected | null, RequestFailed> => {
    while (true) {
      bytes = withoutEmptyLines(bytes)
      const end = endOf(bytes, searched)
      const refusal = refusalOf(end === null ? bytes : bytes.subarray(0, end[0]), limit)
      if (refusal !== null) return Either.left(refusal)
      if (end === null) {
        searched = Math.max(0, bytes.length - 2)
        return Either.right(null)
      }
      const read = readHead(bytes.toString("latin1", 0, end[0]))
      if (Either.isLeft(read)) return Either.left(invalidHead(read.left))
      const rest = bytes.subarray(end[1])
      if (!isInterim(read.right)) return Either.right({ head: read.right, rest })
      bytes = rest
      searched = 0
    }
  }
  return {
    add: (chunk) => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
      return collect()
    },
    size: () => bytes.length
  }
}
