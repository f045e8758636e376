/** The health check of gRPC servers (grpc.health.v1.Health/Check) over HTTP/2, by a vetted connection. */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from "node:http2"
import type { Socket } from "node:net"
import { healthQuestion, readHealthAnswer } from "../domain/check/answer/GrpcVerdict.ts"
import { bareHost, type ConnectionFacts, enter, noConnection, openConnection, type PhaseClock } from "./Connection.ts"
import { connectionTimeout, failed } from "./ConnectionFailures.ts"
import type { BlockedTarget, EgressGuard, RequestFailed } from "./EgressGuard.ts"

export interface HealthRequest {
  readonly host: string
  readonly port: number
  readonly secure: boolean
  /** Empty for the whole server. */
  readonly service: string
  /** Metadata, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly opensDistrusted: boolean
}

/** The server's answer, as far as it came. Times are in milliseconds. */
export interface HealthExchange extends ConnectionFacts {
  failure: BlockedTarget | RequestFailed | null
  httpStatus: number | null
  headers: IncomingHttpHeaders
  /** The code of the call (0 for OK), and its message; null without one. */
  grpcStatus: number | null
  grpcMessage: string
  /** The code of `ServingStatus`; null if none was sent. */
  serving: number | null
  firstByteMs: number | null
  totalMs: number
}

/** The answer is a few bytes. */
const mostBytes = 65_536

interface Course extends PhaseClock<"answer"> {
  readonly request: HealthRequest
  readonly seen: HealthExchange
  readonly finish: (failure: HealthExchange["failure"]) => void
}

/** Trailers carry the code of a call; an answer without a message carries it in its headers. */
const noteStatus = (seen: HealthExchange, headers: IncomingHttpHeaders): void => {
  const code = headers["grpc-status"]
  if (typeof code === "string" && /^\d{1,3}$/.test(code)) seen.grpcStatus = Number(code)
  const message = headers["grpc-message"]
  if (typeof message === "string") seen.grpcMessage = message
}

const notHttp2 = (error: NodeJS.ErrnoException): RequestFailed =>
  failed("protocol_error", `The port does not speak HTTP/2, which gRPC needs (${error.message})`)

const unanswered = failed("protocol_error", "The connection was closed before the call was answered")

const listen = (course: Course, stream: ClientHttp2Stream): void => {
  const { finish, seen } = course
  const chunks: Array<Buffer> = []
  let size = 0
  stream.on("response", (headers) => {
    seen.firstByteMs = enter(course, "answer")
    seen.httpStatus = headers[":status"] ?? null
    seen.headers = headers
    noteStatus(seen, headers)
  })
  stream.on("trailers", (headers) => noteStatus(seen, headers))
  stream.on("data", (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    if (size > mostBytes) finish(failed("body_too_large", "The answer of the health check is larger than 64 KiB"))
  })
  stream.on("end", () => {
    // A stream whose connection is lost ends as well.
    if (seen.httpStatus === null) return finish(unanswered)
    seen.serving = readHealthAnswer(Buffer.concat(chunks))
    finish(null)
  })
  stream.on(
    "error",
    (error) => finish(seen.httpStatus === null ? notHttp2(error) : failed("protocol_error", `The call failed: ${error.message}`))
  )
}

const call = (course: Course, session: ClientHttp2Session): void => {
  const { headers, service, timeoutMs } = course.request
  const stream = session.request({
    ...headers,
    ":method": "POST",
    ":path": "/grpc.health.v1.Health/Check",
    "content-type": "application/grpc",
    te: "trailers",
    "grpc-timeout": `${timeoutMs}m`
  })
  listen(course, stream)
  stream.end(healthQuestion(service))
}

const open = (course: Course, connection: Socket): ClientHttp2Session => {
  const { finish, request: { host, port, secure } } = course
  const authority = `${secure ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`
  const session = connect(authority, {
    createConnection: () => connection,
    // A server may send few headers, and pushes nothing.
    maxHeaderListPairs: 128,
    settings: { enablePush: false }
  })
  session.on("error", (error) => finish(course.phase === "answer" ? failed("protocol_error", error.message) : notHttp2(error)))
  session.on("goaway", (code) => {
    if (code !== 0) finish(failed("protocol_error", `The server ended the connection (HTTP/2 error ${code})`))
  })
  session.on("close", () => finish(unanswered))
  call(course, session)
  return session
}

const expired = ({ phase, request: { host, timeoutMs } }: Course): RequestFailed => {
  if (phase === "open") return failed("timeout", `Connected, but the health check was not answered within ${timeoutMs} ms`)
  return phase === "answer"
    ? failed("timeout", `The answer of the health check did not complete within ${timeoutMs} ms`)
    : connectionTimeout(phase, host, timeoutMs)
}

const nothing = (): void => {}

/** Asks once and calls back once, within the timeout. Returns a function that abandons the call. */
export const askHealth = (guard: EgressGuard, given: HealthRequest, done: (seen: HealthExchange) => void): () => void => {
  const request = { ...given, host: bareHost(given.host) }
  const startedAt = performance.now()
  const seen: HealthExchange = {
    ...noConnection(),
    failure: null,
    httpStatus: null,
    headers: {},
    grpcStatus: null,
    grpcMessage: "",
    serving: null,
    firstByteMs: null,
    totalMs: 0
  }
  let over = false
  let close = nothing
  const stop = (): void => {
    over = true
    cancelDeadline()
    close()
  }
  const finish = (failure: HealthExchange["failure"]): void => {
    if (over) return
    stop()
    seen.failure = failure
    seen.totalMs = performance.now() - startedAt
    done(seen)
  }
  const course: Course = { request, seen, finish, phase: "dns", phaseAt: startedAt }
  const cancelDeadline = guard.deadlines.after(request.timeoutMs, () => finish(expired(course)))
  const { host, opensDistrusted, port, secure } = request
  close = openConnection(guard, { host, port, secure, alpn: ["h2"], opensDistrusted }, seen, course, {
    onOpen: (connection) => {
      close = () => connection.destroy()
      connection.on("error", (error) => finish(notHttp2(error)))
      const session = open(course, connection)
      close = () => session.destroy()
      if (over) close()
    },
    onFailure: finish
  })
  return stop
}
