/** Shows Node's parser, which is stricter than browsers, the head of a response in the form that it takes. */
import { Either } from "effect"
import type { Socket } from "node:net"
import { plainHead, type ResponseHead, textsOf } from "../domain/check/answer/ResponseHead.ts"
import type { RequestFailed } from "./EgressGuard.ts"
import { makeHeadCollector } from "./HeadCollector.ts"

interface HeadListener {
  readonly onHead: (head: ResponseHead) => void
  /** The parser gets nothing. */
  readonly onFault: (fault: RequestFailed) => void
}

/** Replaces `push`, because Node and its users need a stream that is a socket itself. */
export const withPlainHead = (socket: Socket, headLimit: number, { onFault, onHead }: HeadListener): void => {
  const collector = makeHeadCollector(headLimit)
  const push = socket.push.bind(socket)
  socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (!Buffer.isBuffer(chunk)) return push(chunk, encoding)
    return Either.match(collector.add(chunk), {
      onLeft: (fault) => {
        onFault(fault)
        return false
      },
      onRight: (collected) => {
        if (collected === null) return true
        socket.push = push
        onHead(textsOf(collected.head))
        push(Buffer.from(plainHead(collected.head), "latin1"))
        return collected.rest.length === 0 || push(collected.rest)
      }
    })
  }
}
