/** One HTTP request over a vetted connection, with the time of each phase. Redirects are its caller's business. */
import { Cause, Effect, Either } from "effect"
import type { X509Certificate } from "node:crypto"
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

/**
 * Makes the request and calls back once; what goes wrong is in the exchange, beside what was seen until then. Returns a function
 * that abandons it and closes the socket. Not an Effect, so that a look needs no fiber.
 */
export const startExchange = (guard: EgressGuard, request: ExchangeRequest, done: (exchange: Exchange) => void): () => void => {
  const { url } = request
  const host = hostOf(url)
  const secure = url.protocol === "https:"
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port)
  const exchange = nothingYet()
  const startedAt = performance.now()
  let phase: Phase = "dns"
  let phaseAt = startedAt
  let socket: Socket | null = null
  let cancelDial: (() => void) | null = null
  let settled = false

  const release = (): void => {
    settled = true
    cancelDeadline()
    cancelDial?.()
    socket?.destroy()
  }
  const finish = (failure: Exchange["failure"]): void => {
    if (settled) return
    exchange.failure = failure
    exchange.totalMs = performance.now() - startedAt
    release()
    done(exchange)
  }
  /** A whole answer has its end still to tell of. */
  const isWhole = (): boolean => exchange.response?.complete === true
  const closed = (): void => {
    if (!settled && !isWhole()) finish(closedEarly(phase))
  }
  /** The time since the phase began; the next one begins. */
  const enter = (next: Phase): number => {
    const now = performance.now()
    const spent = now - phaseAt
    phase = next
    phaseAt = now
    return spent
  }

  const keep = (chunk: Buffer): void => {
    const room = request.keepLimit - exchange.bodyBytes
    if (room > 0) exchange.chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    exchange.bodyBytes += chunk.length
    if (exchange.bodyBytes > request.readLimit) finish(null)
  }

  const read = (response: IncomingMessage): void => {
    exchange.firstByteMs = enter("body")
    exchange.response = response
    response.on("data", keep)
    response.on("end", () => {
      // A body that was cut ends, too, when its rest was at hand already.
      if (!settled) exchange.bodyComplete = true
      finish(null)
    })
    response.on("error", (error) => finish(exchangeFailure(error, phase)))
  }

  const send = (connection: Socket): void => {
    // Framing is ours: a length for every body, and one request a connection.
    const length = request.body === null ? {} : { "content-length": String(Buffer.byteLength(request.body)) }
    const outgoing = httpRequest({
      createConnection: () => connection,
      method: request.method,
      path: url.pathname + url.search,
      headers: { host: url.host, ...request.headers, ...length },
      maxHeaderSize: longestHeaders,
      // What browsers read is read here: lines that end in LF alone, a length beside chunks. Nothing follows that could be smuggled.
      insecureHTTPParser: true
    })
    outgoing.on("response", read)
    outgoing.on("error", (error) => {
      // Bytes after a whole answer, such as a body of a 204, say nothing against it; its end is on its way.
      if (!isWhole()) finish(exchangeFailure(error, phase))
    })
    outgoing.on("close", closed)
    // As bytes: a text would be sent with the headers in front of it, and turn them from Latin-1 into UTF-8.
    outgoing.end(request.body === null ? undefined : Buffer.from(request.body))
  }
  /** Node throws at headers and methods that HTTP does not allow. */
  const trySend = (connection: Socket): void =>
    Either.match(Either.try(() => send(connection)), {
      onLeft: (error) =>
        finish(new RequestFailed({ cause: "internal_error", message: `The request cannot be sent: ${String(error)}` })),
      onRight: () => {}
    })

  const shakeHands = (plain: Socket): void => {
    const encrypted = tlsConnect({
      socket: plain,
      host,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ALPNProtocols: ["http/1.1"],
      secureContext: guard.secureContext,
      // Judged below, where the details are at hand; nothing is sent before.
      rejectUnauthorized: false,
      checkServerIdentity: identityProblem
    })
    socket = encrypted
    encrypted.once("secureConnect", () => {
      exchange.tlsMs = enter("answer")
      exchange.certificate = encrypted.getPeerX509Certificate() ?? null
      if (encrypted.authorized) return trySend(encrypted)
      exchange.distrust = String(encrypted.authorizationError)
      const message = explainDistrust(exchange.distrust, host, exchange.certificate)
      finish(new RequestFailed({ cause: "tls_error", message }))
    })
    encrypted.on("error", (error) => finish(exchangeFailure(error, phase)))
    encrypted.on("close", closed)
  }

  const cancelDeadline = guard.deadlines.after(
    Math.max(request.timeoutMs - request.spentMs, 0),
    () => finish(timeoutFailure(phase, host, request.timeoutMs))
  )

  guard.addressesOf(host, (failure, addresses) => {
    if (settled) return
    const resolvedIn = enter("connect")
    if (isIP(host) === 0) exchange.dnsMs = resolvedIn
    if (failure !== null) return finish(failure)
    cancelDial = dial(addresses, port, guard.deadlines, {
      onConnect: (connection, address) => {
        cancelDial = null
        socket = connection
        exchange.connectMs = enter(secure ? "tls" : "answer")
        exchange.address = address
        if (secure) shakeHands(connection)
        else trySend(connection)
      },
      onFailure: (error, address) => {
        exchange.address = address
        finish(connectFailure(error, address, port))
      }
    })
  })

  return release
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
