/** One HTTP request over a vetted connection, with the time of each phase. Redirects are its caller's business. */
import { Effect, Either } from "effect"
import { type IncomingMessage, request as httpRequest } from "node:http"
import type { Socket } from "node:net"
import { bareHost, type ConnectionFacts, enter, noConnection, openConnection, type PhaseClock } from "./Connection.ts"
import { connectionTimeout, failed } from "./ConnectionFailures.ts"
import { EgressGuard } from "./EgressGuard.ts"
import { repairHeaders } from "./HeaderRepair.ts"
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
  /** Whether the request is sent also if the certificate is not trusted. Default false. */
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

/** A request under way. While the phase is `open`, it waits for the response; `body` follows. */
interface Course extends PhaseClock<"body"> {
  readonly guard: EgressGuard
  readonly request: ExchangeRequest
  readonly host: string
  readonly exchange: Exchange
  readonly startedAt: number
  readonly done: (exchange: Exchange) => void
  socket: Socket | null
  /** Bytes the socket had read when the request was written; encryption makes later bytes no measure of headers. */
  readBefore: number | null
  cancelConnection: () => void
  cancelDeadline: () => void
  settled: boolean
}

const nothing = (): void => {}

const release = (course: Course): void => {
  course.settled = true
  course.cancelDeadline()
  course.cancelConnection()
  course.socket?.destroy()
}

const finish = (course: Course, failure: Exchange["failure"]): void => {
  if (course.settled) return
  const { done, exchange, startedAt } = course
  exchange.failure = failure
  exchange.totalMs = performance.now() - startedAt
  release(course)
  done(exchange)
}

/** A whole answer has its end still to report. */
const isWhole = ({ exchange }: Course): boolean => exchange.response?.complete === true

const lengthOf = (declared: string | undefined): number | null =>
  declared !== undefined && /^\d{1,15}$/.test(declared) ? Number(declared) : null

const progressOf = ({ exchange: { bodyBytes, response }, phase, readBefore, socket }: Course): Progress =>
  phase === "body"
    ? { inBody: true, bytes: bodyBytes, expected: lengthOf(response?.headers["content-length"]) }
    : { inBody: false, bytes: readBefore === null ? 0 : (socket?.bytesRead ?? 0) - readBefore, expected: null }

const lost = (course: Course, error: NodeJS.ErrnoException): void =>
  finish(course, exchangeFailure(error, progressOf(course), course.guard.headerLimit))

const closed = (course: Course): void => {
  if (!course.settled && !isWhole(course)) finish(course, endedEarly(progressOf(course), "closed"))
}

const keep = (course: Course, chunk: Buffer): void => {
  const { exchange, request } = course
  const room = request.keepLimit - exchange.bodyBytes
  if (room > 0) exchange.chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
  exchange.bodyBytes += chunk.length
  if (exchange.bodyBytes > request.readLimit) finish(course, null)
}

const read = (course: Course, response: IncomingMessage): void => {
  course.exchange.firstByteMs = enter(course, "body")
  course.exchange.response = response
  response.on("data", (chunk: Buffer) => keep(course, chunk))
  response.on("end", () => {
    // A body that was cut also ends, if its rest had already arrived.
    if (!course.settled) course.exchange.bodyComplete = true
    finish(course, null)
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
    onLeft: (error) => finish(course, failed("internal_error", `The request cannot be sent: ${String(error)}`)),
    onRight: nothing
  })

const opened = (course: Course, connection: Socket): void => {
  course.cancelConnection = nothing
  course.socket = connection
  course.readBefore = course.request.url.protocol === "https:" ? null : connection.bytesRead
  // Node reports a reset in the middle of a body as an aborted response; the socket knows what happened.
  connection.on("error", (error) => {
    if (!isWhole(course)) lost(course, error)
  })
  connection.on("close", () => closed(course))
  tryWrite(course, connection)
}

const connect = (course: Course): void => {
  const { exchange, guard, host, request: { opensDistrusted = false, url } } = course
  const secure = url.protocol === "https:"
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port)
  course.cancelConnection = openConnection(guard, { host, port, secure, alpn: ["http/1.1"], opensDistrusted }, exchange, course, {
    onOpen: (connection) => opened(course, connection),
    onFailure: (failure) => finish(course, failure)
  })
}

const expired = (course: Course): void => {
  const { host, phase, request: { timeoutMs } } = course
  finish(
    course,
    phase === "open" || phase === "body"
      ? responseTimeout(progressOf(course), timeoutMs)
      : connectionTimeout(phase, host, timeoutMs)
  )
}

/** Makes the request and calls back once. Returns a function that abandons it. Not an Effect, so that a check needs no fiber. */
export const startExchange = (guard: EgressGuard, request: ExchangeRequest, done: (exchange: Exchange) => void): () => void => {
  const startedAt = performance.now()
  const course: Course = {
    guard,
    request,
    host: bareHost(request.url.hostname),
    exchange: { ...noConnection(), response: null, chunks: [], bodyBytes: 0, bodyComplete: false },
    startedAt,
    done,
    phase: "dns",
    phaseAt: startedAt,
    socket: null,
    readBefore: null,
    cancelConnection: nothing,
    cancelDeadline: nothing,
    settled: false
  }
  course.cancelDeadline = guard.deadlines.after(Math.max(request.timeoutMs - request.spentMs, 0), () => expired(course))
  connect(course)
  return () => release(course)
}

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
