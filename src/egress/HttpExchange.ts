/** One HTTP request over a vetted connection, with the time of each phase. Redirects are its caller's business. */
import { Effect, Either } from "effect"
import { type IncomingMessage, request as httpRequest } from "node:http"
import type { Socket } from "node:net"
import { ConnectionFacts, type Course as CourseOf, endpointOf, enter, runExchange } from "./Connection.ts"
import { failed } from "./ConnectionFailures.ts"
import { EgressGuard, type RequestFailed } from "./EgressGuard.ts"
import { endedEarly, exchangeFailure, type Progress, responseTimeout } from "./HttpFailures.ts"

export interface ExchangeRequest {
  /** http or https. */
  readonly url: URL
  readonly method: string
  /** Headers without framing and connection; `host` when it is not the URL's. */
  readonly headers: Readonly<Record<string, string>>
  /** Bytes if many requests share a part of it, so that it is encoded once. */
  readonly body: string | Buffer | null
  /** The limit for everything, from DNS to the last byte of the body. */
  readonly timeoutMs: number
  /** The part of `timeoutMs` that earlier requests of a chain have used, ms. */
  readonly spentMs: number
  /** The body is read up to this many bytes and then cut. */
  readonly readLimit: number
  /** Bytes of these that are kept. */
  readonly keepLimit: number
  /** The request is sent also if the certificate is not trusted. Default false. */
  readonly opensDistrusted?: boolean
}

/** A request and its response; complete when `failure` is null, otherwise as far as it went. Times are in milliseconds. */
export interface Exchange extends ConnectionFacts {
  response: IncomingMessage | null
  /** The beginning of the body as it came, still encoded. */
  readonly chunks: Array<Buffer>
  bodyBytes: number
  /** false when the body was cut at `readLimit`. */
  bodyComplete: boolean
}

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
 * Drops repeated, equal Content-Length headers, which browsers accept and Node's parser refuses; but not a line that is split between
 * two packets. Replaces `push`, because only a stream that is a socket itself keeps Node's fast path.
 */
const repairHeaders = (socket: Socket): void => {
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

/** While the phase is `open`, the request waits for the response; `body` follows. */
type Course = CourseOf<ExchangeRequest, Exchange, "body">

/** A whole answer has its end still to report. */
const isWhole = ({ seen }: Course): boolean => seen.response?.complete === true

const lengthOf = (declared: string | undefined): number | null =>
  declared !== undefined && /^\d{1,15}$/.test(declared) ? Number(declared) : null

/** Encryption makes the bytes of a socket no measure of headers. */
const headerBytes = ({ readBefore, request, socket }: Course): number =>
  socket === null || request.url.protocol === "https:" ? 0 : socket.bytesRead - readBefore

const progressOf = (course: Course): Progress =>
  course.phase === "body"
    ? { inBody: true, bytes: course.seen.bodyBytes, expected: lengthOf(course.seen.response?.headers["content-length"]) }
    : { inBody: false, bytes: headerBytes(course), expected: null }

const lost = (course: Course, error: NodeJS.ErrnoException): void =>
  course.finish(exchangeFailure(error, progressOf(course), course.guard.headerLimit))

const closed = (course: Course): void => {
  if (!course.isOver() && !isWhole(course)) course.finish(endedEarly(progressOf(course), "closed"))
}

const keep = ({ finish, request, seen }: Course, chunk: Buffer): void => {
  const room = request.keepLimit - seen.bodyBytes
  if (room > 0) seen.chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
  seen.bodyBytes += chunk.length
  if (seen.bodyBytes > request.readLimit) finish(null)
}

const read = (course: Course, response: IncomingMessage): void => {
  course.seen.firstByteMs = enter(course, "body")
  course.seen.response = response
  response.on("data", (chunk: Buffer) => keep(course, chunk))
  response.on("end", () => {
    // A body that was cut also ends, if its rest had already arrived.
    if (!course.isOver()) course.seen.bodyComplete = true
    course.finish(null)
  })
  response.on("error", (error) => lost(course, error))
}

const write = (course: Course, connection: Socket): void => {
  const { body, headers, method, url } = course.request
  repairHeaders(connection)
  // Framing is ours: a length for every body, and one request per connection.
  // As bytes: a text would be sent with the headers in front of it, which turns them from Latin-1 into UTF-8.
  const bytes = typeof body === "string" ? Buffer.from(body) : body
  const length = bytes === null ? {} : { "content-length": String(bytes.length) }
  const outgoing = httpRequest({
    createConnection: () => connection,
    method,
    path: url.pathname + url.search,
    headers: { host: url.host, ...headers, ...length },
    maxHeaderSize: course.guard.headerLimit,
    // Accepts what browsers accept: lines that end in LF alone, a length beside chunks. Nothing follows that could be smuggled.
    insecureHTTPParser: true
  })
  outgoing.on("response", (response) => read(course, response))
  outgoing.on("error", (error) => {
    // Bytes after a whole answer, such as a body of a 204, do not make it a failure; its end is on its way.
    if (!isWhole(course)) lost(course, error)
  })
  outgoing.on("close", () => closed(course))
  outgoing.end(bytes ?? undefined)
}

/** Node throws at headers and methods that HTTP does not allow. */
const tryWrite = (course: Course, connection: Socket): void =>
  Either.match(Either.try(() => write(course, connection)), {
    onLeft: (error) => course.finish(failed("internal_error", `The request cannot be sent: ${String(error)}`)),
    onRight: () => {}
  })

const open = (course: Course, connection: Socket): () => void => {
  // Node reports a reset in the middle of a body as an aborted response; the socket knows what happened.
  connection.on("error", (error) => {
    if (!isWhole(course)) lost(course, error)
  })
  connection.on("close", () => closed(course))
  tryWrite(course, connection)
  return () => connection.destroy()
}

const expired = (course: Course): RequestFailed => responseTimeout(progressOf(course), course.request.timeoutMs)

/** Makes the request and calls back once. Returns a function that abandons it. Not an Effect, so that a check needs no fiber. */
export const startExchange = (guard: EgressGuard, request: ExchangeRequest, done: (exchange: Exchange) => void): () => void =>
  runExchange<ExchangeRequest, Exchange, "body">(
    guard,
    endpointOf(request.url, request.opensDistrusted ?? false),
    request,
    { ...new ConnectionFacts(), response: null, chunks: [], bodyBytes: 0, bodyComplete: false },
    { open, expired },
    done
  )

/** The same; interrupting it closes the socket. */
export const exchange = (guard: EgressGuard, request: ExchangeRequest): Effect.Effect<Exchange> =>
  Effect.async((resume) => {
    const abandon = startExchange(guard, request, (seen) => resume(Effect.succeed(seen)))
    return Effect.sync(abandon)
  })

/** The same, for callers to whom anything but an answer is a failure. */
export const send = Effect.fn("HttpExchange.send")(function*(request: ExchangeRequest) {
  const seen = yield* exchange(yield* EgressGuard, request)
  const { failure, response } = seen
  if (failure !== null) return yield* failure
  return response === null ? yield* failed("internal_error", "No answer") : { ...seen, response }
})
