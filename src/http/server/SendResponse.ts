/** Writes the answer of an app to Node's HTTP server. */
import { Cookies, type HttpServerResponse } from "@effect/platform"
import { type Chunk, Effect, Stream } from "effect"
import type { ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"

type Response = HttpServerResponse.HttpServerResponse

type Headers = Readonly<Record<string, string>>

type NodeHeaders = Readonly<Record<string, string | Array<string>>>

interface Sending {
  readonly to: ServerResponse
  readonly answer: Response
  /** All of them, in the place of the answer's own. */
  readonly headers: Headers
  readonly isHead: boolean
}

const withCookies = (headers: Headers, { cookies }: Response): NodeHeaders =>
  Cookies.isEmpty(cookies) ? headers : { ...headers, "set-cookie": Cookies.toSetCookieHeaders(cookies) }

const endIfOpen = (to: ServerResponse): void => {
  if (!to.writableEnded) to.end()
}

/** Waits whenever the connection takes no more, so that a slow client holds one piece. */
const sendStream = <E>(to: ServerResponse, stream: Stream.Stream<Uint8Array, E>): Effect.Effect<void> => {
  const drained = Effect.unsafeMakeLatch()
  to.on("drain", () => drained.unsafeOpen())
  const write = (pieces: Chunk.Chunk<Uint8Array>): Effect.Effect<void> => {
    let isTaken = true
    for (const piece of pieces) isTaken = to.write(piece)
    if (isTaken) return Effect.void
    drained.unsafeClose()
    return drained.await
  }
  return stream.pipe(
    Stream.orDie,
    Stream.runForEachChunk(write),
    Effect.interruptible,
    // A stream that fails ends early: its status is sent already.
    Effect.ensuring(Effect.sync(() => endIfOpen(to)))
  )
}

const pipeInto = (to: ServerResponse, source: Readable): Effect.Effect<void> =>
  Effect.promise((signal) => pipeline(source, to, { signal })).pipe(
    Effect.interruptible,
    Effect.ensuring(Effect.sync(() => endIfOpen(to)))
  )

/** Sends an answer, unless one has been sent. */
export const sendResponse = ({ answer, headers, isHead, to }: Sending): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (to.writableEnded) return Effect.void
    to.writeHead(answer.status, withCookies(headers, answer))
    const { body } = answer
    if (isHead || body._tag === "Empty") to.end()
    else if (body._tag === "Uint8Array") to.end(body.body)
    else if (body._tag === "Stream") return sendStream(to, body.stream)
    else if (body._tag === "Raw" && body.body instanceof Readable) return pipeInto(to, body.body)
    else return Effect.dieMessage(`A body of the type ${body._tag} cannot be sent`)
    return Effect.void
  })
