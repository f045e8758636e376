/** One HTTP request over a vetted connection, with the time of each phase. Redirects are its caller's business. */
import { Effect, Either } from "effect"
import { validateHeaderName, validateHeaderValue } from "node:http"
import type { Socket } from "node:net"
import type { ResponseHead } from "../domain/check/answer/ResponseHead.ts"
import { ConnectionFacts, endpointOf, enter, type ExchangeRun, runExchange } from "./Connection.ts"
import { failed } from "./ConnectionFailures.ts"
import { EgressGuard, type RequestFailed } from "./EgressGuard.ts"
import { connectionLost, endedEarly, type Progress, responseTimeout } from "./HttpFailures.ts"
import { makeResponseReader, type ResponseReader } from "./ResponseReader.ts"
import type { TlsSettings } from "./TlsTrust.ts"

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
  /** Given by checks. */
  readonly tls?: TlsSettings | undefined
  /**
   * Says whether the rest of a body that has not ended is of no use; asked when it begins, and then ever less often. Without this,
   * its end is awaited.
   */
  readonly isEnough?: IsEnough
  /** The first pause before it is asked again, ms. Default: `usualPauseMs`. */
  readonly leastPauseMs?: number | undefined
}

type IsEnough = (seen: Exchange, answer: (isEnough: boolean) => void) => void

/** A request and its response; complete when `failure` is null, otherwise as far as it went. Times are in milliseconds. */
export class Exchange extends ConnectionFacts {
  response: ResponseHead | null = null
  /** The beginning of the body as it came, still encoded. */
  readonly chunks: Array<Buffer> = []
  bodyBytes = 0
  /** false when the body was cut at `readLimit`, or was enough before its end. */
  bodyComplete = false
  /** false when the body was enough before its end. */
  isAwaited = true
  /** Bytes of a head that is not complete. */
  headBytes = 0
  /** The moment of the last data, on the monotonic clock. */
  dataAt = 0
  /** While the body is asked about, or has not ended in time: how long it has taken, and how long nothing of it has come. */
  bodyMs = 0
  quietMs = 0
}

/** While the phase is `open`, the request waits for the response; `body` follows. */
type Run = ExchangeRun<ExchangeRequest, Exchange, "body">

/** The first pauses before it is asked again whether a body is enough; later ones are as long as the body has taken, ms. */
const usualPauseMs = 500

const progressOf = ({ phase, seen: { bodyBytes, headBytes, response } }: Run): Progress => {
  const length = response?.headers["content-length"]
  return phase === "body"
    ? { inBody: true, bytes: bodyBytes, expected: length === undefined ? null : Number(length) }
    : { inBody: false, bytes: headBytes, expected: null }
}

const measure = ({ phaseAt, seen, startedAt }: Run): void => {
  const now = performance.now()
  seen.bodyMs = now - phaseAt
  seen.quietMs = now - seen.dataAt
  seen.totalMs = now - startedAt
}

const keep = ({ finish, request, seen }: Run, data: Buffer): void => {
  const room = request.keepLimit - seen.bodyBytes
  if (room > 0) seen.chunks.push(data.length > room ? data.subarray(0, room) : data)
  seen.bodyBytes += data.length
  if (seen.bodyBytes > request.readLimit) finish(null)
}

const makeReader = (run: Run): ResponseReader => {
  const { finish, guard, isOver, request, seen } = run
  return makeResponseReader(request.method, guard.headerLimit, {
    onHead: (head) => {
      seen.firstByteMs = enter(run, "body")
      seen.response = head
    },
    onData: (data) => {
      if (!isOver()) keep(run, data)
    },
    onEnd: () => {
      // A body that was cut also ends, if its rest had already arrived.
      if (!isOver()) seen.bodyComplete = true
      finish(null)
    },
    onFault: finish
  })
}

/** Asks now, and while more is needed again, ever less often: an answer may cost as much as the body is large. */
const askWhetherEnough = (run: Run, isEnough: IsEnough): () => void => {
  const { finish, guard, isOver, request: { leastPauseMs = usualPauseMs }, seen } = run
  let stop = (): void => {}
  const ask = (): void => {
    measure(run)
    isEnough(seen, (enough) => {
      if (isOver()) return
      if (!enough) stop = guard.deadlines.after(Math.max(leastPauseMs, seen.bodyMs), ask)
      else {
        seen.isAwaited = false
        finish(null)
      }
    })
  }
  ask()
  return () => stop()
}

/** Reads what the connection brings. Returns a function that stops. */
const receive = (run: Run, connection: Socket): () => void => {
  const { finish, isOver, request: { isEnough }, seen } = run
  const reader = makeReader(run)
  let stopAsking: (() => void) | null = null
  run.take = (bytes) => {
    seen.dataAt = performance.now()
    reader.add(bytes)
    seen.headBytes = reader.headSize()
    if (isOver() || isEnough === undefined || run.phase !== "body" || stopAsking !== null) return
    stopAsking = askWhetherEnough(run, isEnough)
  }
  connection.on("error", (error) => finish(connectionLost(error, progressOf(run))))
  const ended = (): void => {
    if (!isOver() && !reader.end()) finish(endedEarly(progressOf(run), "closed"))
  }
  connection.on("end", ended)
  connection.on("close", ended)
  return () => stopAsking?.()
}

const usuallyHasBody = (method: string): boolean => method === "POST" || method === "PUT" || method === "PATCH"

const headerLine = (name: string, value: string): string => {
  validateHeaderName(name)
  validateHeaderValue(name, value)
  return `${name}: ${value}\r\n`
}

/** Framing is ours: a length wherever a body is usual, and one request per connection. Libraries that write requests give a length, too. */
const isOurs: ReadonlySet<string> = new Set(["host", "content-length", "connection"])

/** The request as bytes. A text would be sent with the headers in front of it, which turns them from Latin-1 into UTF-8. */
const requestBytes = ({ body, headers, method, url }: ExchangeRequest): Buffer => {
  const bytes = typeof body === "string" ? Buffer.from(body) : body
  let text = `${method} ${url.pathname}${url.search} HTTP/1.1\r\n${headerLine("host", headers["host"] ?? url.host)}`
  for (const name in headers) if (!isOurs.has(name)) text += headerLine(name, headers[name] ?? "")
  const length = bytes === null && !usuallyHasBody(method) ? "" : `content-length: ${bytes?.length ?? 0}\r\n`
  const head = Buffer.from(`${text}${length}connection: close\r\n\r\n`, "latin1")
  return bytes === null ? head : Buffer.concat([head, bytes])
}

/** Node throws at headers that HTTP does not allow. */
const open = (run: Run, connection: Socket): () => void => {
  const stop = receive(run, connection)
  Either.match(Either.try(() => requestBytes(run.request)), {
    onLeft: (error) => run.finish(failed("internal_error", `The request cannot be sent: ${String(error)}`)),
    onRight: (bytes) => connection.write(bytes)
  })
  return () => {
    stop()
    connection.destroy()
  }
}

const expired = (run: Run): RequestFailed => {
  measure(run)
  return responseTimeout(progressOf(run), run.request.timeoutMs)
}

const httpExchange = { open, expired, readsBytes: true }

/** Makes the request and calls back once. Returns a function that abandons it. Not an Effect, so that a check needs no fiber. */
export const startExchange = (guard: EgressGuard, request: ExchangeRequest, done: (exchange: Exchange) => void): () => void =>
  runExchange<ExchangeRequest, Exchange, "body">(
    guard,
    endpointOf(request.url, request.tls),
    request,
    new Exchange(),
    httpExchange,
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
