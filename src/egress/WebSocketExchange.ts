/** One conversation over a WebSocket (RFC 6455): connect, send a message if asked, and wait for an answer that contains a text. */
import type { IncomingHttpHeaders } from "node:http"
import type { Socket } from "node:net"
import { type RawData, WebSocket } from "ws"
import { counted } from "../domain/tools/text/Counted.ts"
import { ConnectionFacts, endpointOf, enter, type ExchangeRun, runExchange } from "./Connection.ts"
import { failed } from "./ConnectionFailures.ts"
import type { EgressGuard, RequestFailed } from "./EgressGuard.ts"
import { connectionLost } from "./HttpFailures.ts"
import { withPlainHead } from "./PlainHead.ts"
import type { TlsSettings } from "./TlsTrust.ts"

interface ConversationRequest {
  /** ws or wss. */
  readonly url: URL
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Sent as a text message; null for none. */
  readonly message: string | null
  /** The conversation ends with the first message that contains this; null if it ends once it is open. */
  readonly awaits: string | null
  readonly timeoutMs: number
  readonly tls: TlsSettings
}

/** The result of a conversation; it succeeded if `failure` is null. Times are in milliseconds. */
export interface Conversation extends ConnectionFacts {
  /** Status of the handshake's answer: 101 if the server upgraded. */
  statusCode: number | null
  statusMessage: string
  headers: IncomingHttpHeaders
  /** The beginning of the last message; null if none came. */
  lastMessage: string | null
  messages: number
}

/** Larger messages, and more of them together, end the conversation, bytes. */
const mostBytes = 1_048_576
/** How much of the last message is kept, characters. */
const keptText = 16_385

const textOf = (data: RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : data instanceof ArrayBuffer ? Buffer.from(data) : data).toString("utf8")

type Run = ExchangeRun<ConversationRequest, Conversation, "handshake" | "talk">

const wanted = (text: string): string => `"${text.length > 100 ? `${text.slice(0, 99)}…` : text}"`

const got = ({ lastMessage, messages }: Conversation): string =>
  lastMessage === null
    ? "no message came"
    : `${counted(messages, "message")} came, the last ${wanted(lastMessage)}`

const makeReceiver = ({ finish, request: { awaits }, seen }: Run) => {
  let bytes = 0
  return (data: RawData): void => {
    const text = textOf(data)
    bytes += Buffer.byteLength(text)
    seen.messages++
    seen.lastMessage = text.slice(0, keptText)
    if (awaits !== null && text.includes(awaits)) return finish(null)
    if (bytes > mostBytes) {
      finish(failed("body_too_large", `More than 1 MiB of messages came, and none contains ${wanted(awaits ?? "")}`))
    }
  }
}

const talk = (run: Run, socket: WebSocket): void => {
  run.phase = "talk"
  const { awaits, message } = run.request
  const isDone = () => {
    if (awaits === null) run.finish(null)
  }
  if (message === null) isDone()
  else socket.send(message, isDone)
}

const broken = ({ finish, phase, seen }: Run, error: NodeJS.ErrnoException): void => {
  finish(
    error.code === "ECONNRESET"
      ? connectionLost(error, { inBody: false, bytes: 0, expected: null })
      : phase === "talk"
      ? failed("protocol_error", `The WebSocket failed: ${error.message}; ${got(seen)}`)
      : failed("protocol_error", `The WebSocket handshake failed: ${error.message}`)
  )
}

const converse = (run: Run, connection: Socket): () => void => {
  const { finish, guard, request: { headers, url }, seen } = run
  connection.on("error", (error) => broken(run, error))
  withPlainHead(connection, guard.headerLimit, {
    onHead: (head) => {
      seen.firstByteMs = enter(run, "handshake")
      Object.assign(seen, head)
    },
    onFault: finish
  })
  const { "sec-websocket-protocol": protocols, ...others } = headers
  const socket = new WebSocket(url, protocols === undefined ? [] : protocols.split(",").map((one) => one.trim()), {
    createConnection: () => connection,
    headers: others,
    // A compressed message could expand without limit before it is measured.
    perMessageDeflate: false,
    maxPayload: mostBytes,
    followRedirects: false,
    maxHeaderSize: guard.headerLimit,
    insecureHTTPParser: true
  })
  socket.on("unexpected-response", (request) => {
    request.destroy()
    finish(failed("status", `Expected a WebSocket (status 101), got ${seen.statusCode} ${seen.statusMessage}`.trimEnd()))
  })
  socket.on("open", () => talk(run, socket))
  socket.on("message", makeReceiver(run))
  // Stays registered after the end: an abandoned handshake reports an error.
  socket.on("error", (error) => broken(run, error))
  socket.on("close", (code, reason) => {
    const why = reason.length === 0 ? `${code}` : `${code}, ${wanted(reason.toString("utf8"))}`
    finish(failed("protocol_error", `The server closed the WebSocket (${why}); ${got(seen)}`))
  })
  return () => {
    if (socket.readyState === WebSocket.OPEN) socket.close(1000)
    // The close frame goes out, and nobody waits for its answer.
    connection.destroySoon()
  }
}

const expired = ({ phase, request: { awaits, timeoutMs }, seen }: Run): RequestFailed =>
  failed(
    "timeout",
    phase === "talk"
      ? `No message that contains ${wanted(awaits ?? "")} within ${timeoutMs} ms: ${got(seen)}`
      : `Connected, but the WebSocket handshake was not answered within ${timeoutMs} ms`
  )

/** Calls back once, within the timeout. Returns a function that abandons the conversation and closes the socket. */
export const startConversation = (
  guard: EgressGuard,
  request: ConversationRequest,
  done: (seen: Conversation) => void
): () => void => {
  const seen = { ...new ConnectionFacts(), statusCode: null, statusMessage: "", headers: {}, lastMessage: null, messages: 0 }
  return runExchange<ConversationRequest, Conversation, "handshake" | "talk">(
    guard,
    endpointOf(request.url, request.tls),
    request,
    seen,
    { open: converse, expired },
    done
  )
}
