/** A WebSocket server on loopback. */
import { Effect } from "effect"
import { createServer as createHttpServer } from "node:http"
import type { IncomingMessage } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import type { TlsOptions } from "node:tls"
import { WebSocketServer } from "ws"
import type { WebSocket } from "ws"
import { listening } from "./LocalTargets.ts"
import type { Credentials } from "./LocalTargets.ts"

/** Encrypted with these credentials; returns its URL. */
export const webSocketTarget = (
  onConnection: (socket: WebSocket, request: IncomingMessage) => void,
  credentials: Credentials & TlsOptions | null = null
) =>
  Effect.gen(function*() {
    const server = credentials === null ? createHttpServer() : createHttpsServer(credentials)
    const sockets = new WebSocketServer({ server })
    sockets.on("connection", (socket, request) => {
      socket.on("error", () => {})
      onConnection(socket, request)
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => sockets.clients.forEach((socket) => socket.terminate())))
    const port = yield* listening(server)
    return `${credentials === null ? "ws" : "wss"}://127.0.0.1:${port}/`
  })
