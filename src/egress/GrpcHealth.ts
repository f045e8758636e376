/** The health check of gRPC servers (grpc.health.v1.Health/Check) over HTTP/2, by a vetted connection. */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from "node:http2"
import type { Socket } from "node:net"
import { healthQuestion, readHealthAnswer } from "../domain/check/answer/GrpcVerdict.ts"
import { bareHost, ConnectionFacts, type Endpoint, enter, type ExchangeRun, runExchange } from "./Connection.ts"
import { failed } from "./ConnectionFailures.ts"
import type { EgressGuard, RequestFailed } from "./EgressGuard.ts"
import type { TlsSettings } from "./TlsTrust.ts"

interface HealthRequest extends Pick<Endpoint, "host" | "port" | "secure"> {
  /** Empty for the whole server. */
  readonly service: string
  /** Metadata, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly tls: TlsSettings
}

/** The server's answer, as far as it came. Times are in milliseconds. */
export interface HealthExchange extends ConnectionFacts {
  httpStatus: number | null
  headers: IncomingHttpHeaders
  /** The code of the call (0 for OK), and its message; null without one. */
  grpcStatus: number | null
  grpcMessage: string
  /** The code of `ServingStatus`; null if none was sent. */
  serving: number | null
}

/** The answer is a few bytes. */
const mostBytes = 65_536

type Run = ExchangeRun<HealthRequest, HealthExchange, "answer">

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

const listen = (run: Run, stream: ClientHttp2Stream): void => {
  const { finish, seen } = run
  const chunks: Array<Buffer> = []
  let size = 0
  stream.on("response", (headers) => {
    seen.firstByteMs = enter(run, "answer")
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

const call = (run: Run, session: ClientHttp2Session): void => {
  const { headers, service, timeoutMs } = run.request
  const stream = session.request({
    ...headers,
    ":method": "POST",
    ":path": "/grpc.health.v1.Health/Check",
    "content-type": "application/grpc",
    te: "trailers",
    "grpc-timeout": `${timeoutMs}m`
  })
  listen(run, stream)
  stream.end(healthQuestion(service))
}

const open = (run: Run, connection: Socket): () => void => {
  const { finish, request: { host, port, secure } } = run
  connection.on("error", (error) => finish(notHttp2(error)))
  const authority = `${secure ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`
  const session = connect(authority, {
    createConnection: () => connection,
    // A server may send few headers, and pushes nothing.
    maxHeaderListPairs: 128,
    settings: { enablePush: false }
  })
  session.on("error", (error) => finish(run.phase === "answer" ? failed("protocol_error", error.message) : notHttp2(error)))
  session.on("goaway", (code) => {
    if (code !== 0) finish(failed("protocol_error", `The server ended the connection (HTTP/2 error ${code})`))
  })
  session.on("close", () => finish(unanswered))
  call(run, session)
  return () => session.destroy()
}

const expired = ({ phase, request: { timeoutMs } }: Run): RequestFailed =>
  failed(
    "timeout",
    phase === "answer"
      ? `The answer of the health check did not complete within ${timeoutMs} ms`
      : `Connected, but the health check was not answered within ${timeoutMs} ms`
  )

/** Asks once and calls back once, within the timeout. Returns a function that abandons the call. */
export const askHealth = (guard: EgressGuard, given: HealthRequest, done: (seen: HealthExchange) => void): () => void => {
  const request = { ...given, host: bareHost(given.host) }
  const { host, port, secure, tls } = request
  const seen = { ...new ConnectionFacts(), httpStatus: null, headers: {}, grpcStatus: null, grpcMessage: "", serving: null }
  return runExchange<HealthRequest, HealthExchange, "answer">(
    guard,
    { host, port, secure, alpn: ["h2"], tls },
    request,
    seen,
    { open, expired },
    done
  )
}
