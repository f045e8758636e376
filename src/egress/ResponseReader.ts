/** Reads one response from the bytes of a connection: its head, and its body as the head frames it. */
import { Either } from "effect"
import { type ReadHead, type ResponseHead, textsOf } from "../domain/check/answer/ResponseHead.ts"
import { makeChunkedBody } from "./ChunkedBody.ts"
import { failed } from "./ConnectionFailures.ts"
import type { RequestFailed } from "./EgressGuard.ts"
import { makeHeadCollector } from "./HeadCollector.ts"

interface ResponseListener {
  readonly onHead: (head: ResponseHead) => void
  readonly onData: (data: Buffer) => void
  readonly onEnd: () => void
  readonly onFault: (fault: RequestFailed) => void
}

const hasNoBody = (method: string, { statusCode }: ReadHead): boolean =>
  method === "HEAD" || statusCode === 101 || statusCode === 204 || statusCode === 304

/** A body of a declared length; what follows it is ignored. */
const makeMeasuredBody = (length: number, { onData, onEnd }: ResponseListener): (bytes: Buffer) => void => {
  let left = length
  return (bytes) => {
    const data = bytes.subarray(0, left)
    left -= data.length
    if (data.length > 0) onData(data)
    if (left === 0) onEnd()
  }
}

const bodyOf = (method: string, head: ReadHead, listener: ResponseListener): (bytes: Buffer) => void => {
  if (hasNoBody(method, head)) return listener.onEnd
  if (head.framing === null) return listener.onData
  if (head.framing !== "chunked") return makeMeasuredBody(head.framing, listener)
  const onFault = (why: string): void => listener.onFault(failed("protocol_error", `The body is not valid HTTP: ${why}`))
  return makeChunkedBody({ ...listener, onFault })
}

/** The listener hears of the head, then of the body's data, and once of its end or of a fault, as long as it feeds the reader. */
export const makeResponseReader = (method: string, headLimit: number, listener: ResponseListener) => {
  const collector = makeHeadCollector(headLimit)
  let body: ((bytes: Buffer) => void) | null = null
  let endsWithConnection = false
  const begin = (head: ReadHead, rest: Buffer): void => {
    body = bodyOf(method, head, listener)
    endsWithConnection = head.framing === null
    listener.onHead(textsOf(head))
    body(rest)
  }
  return {
    add: (bytes: Buffer): void => {
      if (body !== null) return body(bytes)
      Either.match(collector.add(bytes), {
        onLeft: listener.onFault,
        onRight: (collected) => {
          if (collected !== null) begin(collected.head, collected.rest)
        }
      })
    },
    /** The connection has ended. Returns whether the body ends with it. */
    end: (): boolean => {
      if (body !== null && endsWithConnection) listener.onEnd()
      return endsWithConnection
    },
    /** Bytes of a head that is not complete. */
    headSize: collector.size
  }
}
export type ResponseReader = ReturnType<typeof makeResponseReader>
