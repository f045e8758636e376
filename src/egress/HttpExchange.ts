/** One HTTP request over a vetted connection, with the time of each phase. Redirects are its caller's business. */
import { Cause, Effect, Either } from "effect"
import type { X509Certificate } from "node:crypto"
import type { LookupAddress } from "node:dns"
import { request as httpRequest } from "node:http"
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { isIP } from "node:net"
import { checkServerIdentity, connect as tlsConnect } from "node:tls"
import type { PeerCertificate } from "node:tls"
import { explainDistrust } from "../domain/check/Certificates.ts"
import { dial } from "./Dial.ts"
import { EgressGuard, RequestFailed } from "./EgressGuard.ts"
import type { BlockedTarget } from "./EgressGuard.ts"
import { closedEarly, connectFailure, exchangeFailure, timeoutFailure } from "./HttpFailures.ts"
import type { Phase } from "./HttpFailures.ts"

export interface ExchangeRequest {
  /** http or https. */
  readonly url: URL
  readonly method: string
  /** Without framing and connection headers; `host` when it is not the URL's. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** For everything, from DNS to the last byte of the body. */
  readonly timeoutMs: number
  /** What earlier requests of a chain have used up of `timeoutMs`. */
  readonly spentMs: number
  /** The body is read up to this many bytes and then cut. */
  readonly readLimit: number
  /** Of these, so many are kept. */
  readonly keepLimit: number
}

/** What came of a request; complete when `failure` is null, otherwise as far as it went. Times are in milliseconds. */
export interface Exchange {
  failure: BlockedTarget | RequestFailed | null
  /** The address the connection went to. */
  address: string | null
  response: IncomingMessage | null
  certificate: X509Certificate | null
  /** Why the certificate is not trusted (Node's code). Nothing is sent over such a connection. */
  distrust: string | null
  /** The beginning of the body as it came, still encoded. */
  readonly chunks: Array<Buffer>
  bodyBytes: number
  /** false when the body was cut at `readLimit`. */
  bodyComplete: boolean
  dnsMs: number | null
  connectMs: number | null
  tlsMs: number | null
  firstByteMs: number | null
  totalMs: number
}

const longestHeaders = 65_536

/** Node lets a malformed certificate's exception escape from its event loop; here it is a distrusted certificate. */
const identityProblem = (host: string, certificate: PeerCertificate): Error | undefined =>
  Either.merge(Either.try({
    try: () => checkServerIdentity(host, certificate),
    catch: (error) => new Cause.UnknownException(error)
  }))

/** A host as sockets and certificates know it: an IPv6 address without brackets, a name without its final dot. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "")

const nothingYet = (): Exchange => ({
  failure: null,
  address: null,
  response: null,
  certificate: null,
  distrust: null,
  chunks: [],
  bodyBytes: 0,
  bodyComplete: false,
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: null,
  totalMs: 0
})

/** A request under way. */
interface Course {
  readonly guard: EgressGuard
  readonly request: ExchangeRequest
  readonly host: string
  readonly exchange: Exchange
  readonly startedAt: number
  readonly done: (exchange: Exchange) => void
  phase: Phase
  phaseAt: number
  socket: Socket | null
  cancelDial: () => void
  cancelDeadline: () => void
  settled: boolean
}

const nothing = (): void => {}

const release = (course: Course): void => {
  course.settled = true
  course.cancelDeadline()
  course.cancelDial()
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

const closed = (course: Course): void => {
  if (!course.settled && !isWhole(course)) finish(course, closedEarly(course.phase))
}

/** The time since the phase began; the next one begins. */
const enter = (course: Course, next: Phase): number => {
  const now = performance.now()
  const spent = now - course.phaseAt
  course.phase = next
  course.phaseAt = now
  return spent
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
  response.on("error", (error) => finish(course, exchangeFailure(error, course.phase)))
}

const write = (course: Course, connection: Socket): void => {
  const { body, headers, method, url } = course.request
  // Framing is ours: a length for every body, and one request per connection.
  const length = body === null ? {} : { "content-length": String(Buffer.byteLength(body)) }
  const outgoing = httpRequest({
    createConnection: () => connection,
    method,
    path: url.pathname + url.search,
    headers: { host: url.host, ...headers, ...length },
    maxHeaderSize: longestHeaders,
    // Accepts what browsers accept: lines that end in LF alone, a length beside chunks. Nothing follows that could be smuggled.
    insecureHTTPParser: true
  })
  outgoing.on("response", (response) => read(course, response))
  outgoing.on("error", (error) => {
    // Bytes after a whole answer, such as a body of a 204, do not make it a failure; its end is on its way.
    if (!isWhole(course)) finish(course, exchangeFailure(error, course.phase))
  })
  outgoing.on("close", () => closed(course))
  // As bytes: a text would be sent with the headers in front of it, which turns them from Latin-1 into UTF-8.
  outgoing.end(body === null ? undefined : Buffer.from(body))
}

/** Node throws at headers and methods that HTTP does not allow. */
const tryWrite = (course: Course, connection: Socket): void =>
  Either.match(Either.try(() => write(course, connection)), {
    onLeft: (error) =>
      finish(course, new RequestFailed({ cause: "internal_error", message: `The request cannot be sent: ${String(error)}` })),
    onRight: nothing
  })

const shakeHands = (course: Course, plain: Socket): void => {
  const { exchange, guard, host } = course
  const encrypted = tlsConnect({
    socket: plain,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ["http/1.1"],
    secureContext: guard.secureContext,
    // Judged below, where the details are known; nothing is sent before.
    rejectUnauthorized: false,
    checkServerIdentity: identityProblem
  })
  course.socket = encrypted
  encrypted.once("secureConnect", () => {
    exchange.tlsMs = enter(course, "answer")
    exchange.certificate = encrypted.getPeerX509Certificate() ?? null
    if (encrypted.authorized) return tryWrite(course, encrypted)
    exchange.distrust = String(encrypted.authorizationError)
    const message = explainDistrust(exchange.distrust, host, exchange.certificate)
    finish(course, new RequestFailed({ cause: "tls_error", message }))
  })
  encrypted.on("error", (error) => finish(course, exchangeFailure(error, course.phase)))
  encrypted.on("close", () => closed(course))
}

const connect = (course: Course, addresses: ReadonlyArray<LookupAddress>): void => {
  const { exchange, guard, request: { url } } = course
  const secure = url.protocol === "https:"
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port)
  course.cancelDial = dial(addresses, port, guard.deadlines, {
    onConnect: (connection, address) => {
      course.cancelDial = nothing
      course.socket = connection
      exchange.connectMs = enter(course, secure ? "tls" : "answer")
      exchange.address = address
      if (secure) shakeHands(course, connection)
      else tryWrite(course, connection)
    },
    onFailure: (error, address) => {
      exchange.address = address
      finish(course, connectFailure(error, address, port))
    }
  })
}

/**
 * Makes the request and calls back once; a failure is in the exchange, beside what was seen until then. Returns a function
 * that abandons the request and closes the socket. Not an Effect, so that a check needs no fiber.
 */
export const startExchange = (guard: EgressGuard, request: ExchangeRequest, done: (exchange: Exchange) => void): () => void => {
  const startedAt = performance.now()
  const host = hostOf(request.url)
  const course: Course = {
    guard,
    request,
    host,
    exchange: nothingYet(),
    startedAt,
    done,
    phase: "dns",
    phaseAt: startedAt,
    socket: null,
    cancelDial: nothing,
    cancelDeadline: nothing,
    settled: false
  }
  course.cancelDeadline = guard.deadlines.after(
    Math.max(request.timeoutMs - request.spentMs, 0),
    () => finish(course, timeoutFailure(course.phase, host, request.timeoutMs))
  )
  guard.addressesOf(host, (failure, addresses) => {
    if (course.settled) return
    const resolvedIn = enter(course, "connect")
    if (isIP(host) === 0) course.exchange.dnsMs = resolvedIn
    if (failure !== null) return finish(course, failure)
    connect(course, addresses)
  })
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
  return response === null ? yield* new RequestFailed({ cause: "internal_error", message: "No answer" }) : { ...seen, response }
})
