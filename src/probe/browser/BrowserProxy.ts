/** The proxy of one browser: every connection of its pages goes to an address that the egress guard has just vetted. */
import { Effect } from "effect"
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http"
import type { Server, Socket } from "node:net"
import type { Duplex } from "node:stream"
import { parsedUrl } from "../../../schema/UrlText.ts"
import { browserLimits } from "../../domain/check/answer/ScriptLimits.ts"
import { bareHost } from "../../egress/Connection.ts"
import { connectFailure } from "../../egress/ConnectionFailures.ts"
import { dial } from "../../egress/Dial.ts"
import type { EgressFailure, EgressGuard } from "../../egress/EgressGuard.ts"
import { withPlainHead } from "../../egress/PlainHead.ts"

/** Connection headers concern one hop only (RFC 9110, section 7.6.1). */
const ofOneHop = new Set(["connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer", "upgrade"])

const forwarded = ({ rawHeaders }: IncomingMessage): ReadonlyArray<string> =>
  rawHeaders.flatMap((text, index) =>
    index % 2 === 0 && !ofOneHop.has(text.toLowerCase()) ? [text, rawHeaders[index + 1] ?? ""] : []
  )

const mostRefused = 100

const destination = (text: string): { readonly host: string; readonly port: number } | null => {
  const url = parsedUrl(text)
  if (url?.protocol !== "http:" || url.hostname === "") return null
  return { host: bareHost(url.hostname), port: url.port === "" ? 80 : Number(url.port) }
}

/** `onFlood` is called once if the pages load more than a check may. */
const makeTraffic = (guard: EgressGuard, onFlood: () => void) => {
  const refused = new Map<string, EgressFailure>()
  const sockets = new Set<Duplex>()
  const lookups = new Set<{ cancel: () => void }>()
  let bytes = 0
  let isClosed = false

  const own = (socket: Duplex): void => {
    sockets.add(socket)
    socket.on("error", () => socket.destroy())
    socket.on("close", () => sockets.delete(socket))
  }
  const count = (chunk: Buffer): void => {
    const before = bytes
    bytes += chunk.length
    if (before <= browserLimits.transferBytes && bytes > browserLimits.transferBytes) onFlood()
  }
  /** Connects to a vetted address of the host; nothing happens after the proxy has closed. */
  const connect = (
    host: string,
    port: number,
    onOpen: (socket: Socket) => void,
    onFailure: (failure: EgressFailure) => void
  ): void => {
    const fail = (failure: EgressFailure): void => {
      if (refused.size < mostRefused || refused.has(host)) refused.set(host, failure)
      onFailure(failure)
    }
    const lookup = { cancel: () => {} }
    lookups.add(lookup)
    lookup.cancel = guard.addressesOf(host, (failure, addresses) => {
      lookups.delete(lookup)
      if (isClosed) return
      if (failure !== null) return fail(failure)
      dial(addresses, port, guard, {
        onConnect: (socket) => {
          if (isClosed) return void socket.destroy()
          own(socket)
          socket.on("data", count)
          refused.delete(host)
          onOpen(socket)
        },
        onFailure: (error, address) => fail(connectFailure(error, address, port))
      })
    })
  }
  const close = (): void => {
    isClosed = true
    for (const { cancel } of lookups) cancel()
    for (const socket of sockets) socket.destroy()
  }
  return { connect, own, count, open: () => sockets.size, refused, close, headerLimit: guard.headerLimit }
}

type Traffic = ReturnType<typeof makeTraffic>

const relay = ({ connect, headerLimit }: Traffic, request: IncomingMessage, response: ServerResponse): void => {
  const to = destination(request.url ?? "")
  const refuse = (): void => void response.writeHead(502).end()
  if (to === null) return refuse()
  connect(to.host, to.port, (socket) => {
    const { pathname, search } = new URL(request.url ?? "")
    withPlainHead(socket, headerLimit, { onHead: () => {}, onFault: () => response.destroy() })
    const onward = httpRequest({
      method: request.method,
      path: pathname + search,
      headers: forwarded(request),
      createConnection: () => socket,
      maxHeaderSize: headerLimit,
      insecureHTTPParser: true
    })
    onward.on("error", () => response.destroy())
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, [...forwarded(answer)])
      answer.on("error", () => response.destroy())
      answer.pipe(response)
    })
    request.pipe(onward)
    response.on("close", () => socket.destroy())
  }, refuse)
}

/** Connects a tunnel, of TLS or a web socket. */
const tunnel = ({ connect, count, open, own }: Traffic, request: IncomingMessage, client: Duplex): void => {
  own(client)
  const to = destination(`http://${request.url ?? ""}`)
  const refuse = (): void => void client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n")
  if (to === null || open() > browserLimits.connections) return refuse()
  connect(to.host, to.port, (socket) => {
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n")
    client.on("data", count)
    socket.pipe(client)
    client.pipe(socket)
    socket.on("close", () => client.destroy())
    client.on("close", () => socket.destroy())
  }, refuse)
}

export type Refused = ReadonlyMap<string, EgressFailure>

export const makeBrowserProxy = Effect.fn("BrowserProxy.makeBrowserProxy")(function*(
  guard: EgressGuard,
  listener: Server,
  onFlood: () => void
) {
  const traffic = makeTraffic(guard, onFlood)
  const server = createServer((request, response) => relay(traffic, request, response))
  server.on("connect", (request, client) => tunnel(traffic, request, client))
  server.on("clientError", (_, socket) => socket.destroy())
  listener.on("connection", (socket) => {
    if (traffic.open() > 2 * browserLimits.connections) return socket.destroy()
    traffic.own(socket)
    return server.emit("connection", socket)
  })
  yield* Effect.addFinalizer(() => Effect.sync(traffic.close))
  return traffic.refused
})
