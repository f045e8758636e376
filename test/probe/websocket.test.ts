/** The websocket check against real servers: handshakes, messages, certificates, and ports that speak something else. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { WebsocketTarget } from "../../schema/monitor/kinds/websocket.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentTo } from "../support/probe/Assignments.ts"
import { httpTarget, makeCertificates, probing, tcpTarget } from "../support/targets/LocalTargets.ts"
import { webSocketTarget } from "../support/targets/WebSocketTarget.ts"

type Rest = Parameters<typeof assignmentTo>[1]

const certificates = makeCertificates()

const lookAt = (url: string, more: Partial<WebsocketTarget> = {}, rest: Rest = { timeoutMs: 5000 }) =>
  probeOnce(
    assignmentTo<WebsocketTarget>(
      { kind: "websocket", url, keyword: null, degradedAfterMs: null, sslExpiryDays: null, ...more },
      rest
    )
  )

describe("a websocket check", () => {
  it.scopedLive("connects, and says goodbye", () =>
    Effect.gen(function*() {
      const codes: Array<number> = []
      const closed = yield* Effect.makeLatch(false)
      const url = yield* webSocketTarget((socket) =>
        socket.on("close", (code) => {
          codes.push(code)
          closed.unsafeOpen()
        })
      )
      const seen = yield* lookAt(url)
      expect(seen).toMatchObject({ outcome: "up", error: null, statusCode: 101, reached: "127.0.0.1" })
      expect(seen.timings).toMatchObject({ connectMs: expect.any(Number), firstByteMs: expect.any(Number) })
      expect((yield* seen.evidence)!).toMatchObject({
        request: { method: "WEBSOCKET" },
        responseHeaders: { upgrade: "websocket" }
      })
      yield* closed.await
      expect(codes).toEqual([1000])
    }).pipe(Effect.provide(probing())))

  it.scopedLive("sends its message and headers, and waits for the answer that it expects", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const url = yield* webSocketTarget((socket, request) => {
        socket.send("welcome")
        socket.on("message", (data) => {
          asked.push(`${request.headers.authorization} ${String(data)}`)
          socket.send(Buffer.from("{\"type\":\"pong\",\"key\":\"s3cr3t-value\"}"))
        })
      })
      const secrets = {
        headers: { Authorization: "Bearer s3cr3t-value", Origin: "https://shop.example" },
        body: "{\"type\":\"ping\"}"
      }
      const seen = yield* lookAt(url, { keyword: "pong" }, { secrets })
      expect(seen).toMatchObject({ outcome: "up", error: null })
      expect(asked).toEqual(["Bearer s3cr3t-value {\"type\":\"ping\"}"])
      expect((yield* seen.evidence)!.body).toBe("{\"type\":\"pong\",\"key\":\"[hidden]\"}")
      expect(yield* lookAt(url, { keyword: "ready" }, { secrets, timeoutMs: 400 })).toMatchObject({
        outcome: "down",
        cause: "timeout",
        error: "No message that contains \"ready\" within 400 ms: 2 messages came, " +
          "the last \"{\"type\":\"pong\",\"key\":\"[hidden]\"}\""
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("offers the protocol that its headers name", () =>
    Effect.gen(function*() {
      let offered: string | undefined
      const url = yield* webSocketTarget((_, request) => {
        offered = request.headers["sec-websocket-protocol"]
      })
      const secrets = { headers: { "Sec-WebSocket-Protocol": "graphql-transport-ws" } }
      expect(yield* lookAt(url, {}, { secrets })).toMatchObject({ outcome: "up" })
      expect(offered).toBe("graphql-transport-ws")
    }).pipe(Effect.provide(probing())))

  it.scopedLive("says why a server does not talk", () =>
    Effect.gen(function*() {
      const web = (yield* httpTarget((request, response) =>
        request.url === "/moved"
          ? response.writeHead(302, { location: "/" }).end()
          : response.writeHead(503).end("busy")
      )).replace("http:", "ws:")
      expect(yield* lookAt(web)).toMatchObject({
        outcome: "down",
        cause: "status",
        statusCode: 503,
        error: "Expected a WebSocket (status 101), got 503 Service Unavailable"
      })
      expect(yield* lookAt(`${web}/moved`)).toMatchObject({ cause: "status", statusCode: 302 })
      const leaving = yield* webSocketTarget((socket) => socket.close(1011, "restarting"))
      expect(yield* lookAt(leaving, { keyword: "x" })).toMatchObject({
        cause: "protocol_error",
        error: "The server closed the WebSocket (1011, \"restarting\"); no message came"
      })
      const ssh = yield* tcpTarget((socket) => socket.once("data", () => socket.end("SSH-2.0-OpenSSH_9.7\r\n")))
      expect(yield* lookAt(`ws://127.0.0.1:${ssh}/`)).toMatchObject({
        cause: "protocol_error",
        error: "Not HTTP: the response begins with \"SSH-2.0-OpenSSH_9.7\""
      })
      const wrong = yield* tcpTarget((socket) =>
        socket.once("data", () =>
          socket.write(
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: x\r\n\r\n"
          ))
      )
      expect(yield* lookAt(`ws://127.0.0.1:${wrong}/`)).toMatchObject({
        cause: "protocol_error",
        error: "The WebSocket handshake failed: Invalid Sec-WebSocket-Accept header"
      })
      const silent = yield* tcpTarget((socket) => socket.resume())
      expect(yield* lookAt(`ws://127.0.0.1:${silent}/`, {}, { timeoutMs: 300 })).toMatchObject({
        cause: "timeout",
        error: "Connected, but the WebSocket handshake was not answered within 300 ms"
      })
      const closed = yield* Effect.scoped(tcpTarget(() => {}))
      expect(yield* lookAt(`ws://127.0.0.1:${closed}/`)).toMatchObject({ cause: "connect_refused" })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("bounds what it reads: one message and all of them", () =>
    Effect.gen(function*() {
      const large = yield* webSocketTarget((socket) => socket.send("x".repeat(2_000_000)))
      expect(yield* lookAt(large, { keyword: "y" })).toMatchObject({
        outcome: "down",
        cause: "protocol_error",
        error: expect.stringContaining("Max payload size exceeded")
      })
      const many = yield* webSocketTarget((socket) => {
        for (let index = 0; index < 30; index++) socket.send("x".repeat(100_000))
      })
      expect(yield* lookAt(many, { keyword: "y" })).toMatchObject({ outcome: "down", cause: "body_too_large" })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("checks the certificate, and sends nothing to hosts that it does not trust", () =>
    Effect.gen(function*() {
      let connections = 0
      const good = yield* webSocketTarget(() => {}, certificates.good)
      expect(yield* lookAt(good, { sslExpiryDays: 14 })).toMatchObject({ outcome: "up" })
      // https is another name of wss.
      expect(yield* lookAt(good.replace("wss:", "https:"))).toMatchObject({ outcome: "up" })
      const wrongHost = yield* webSocketTarget(() => connections++, certificates.wrongHost)
      const seen = yield* lookAt(wrongHost)
      expect(seen).toMatchObject({ outcome: "down", cause: "tls_error", statusCode: null })
      expect((yield* seen.evidence)!.certificate).toMatchObject({ authorized: false })
      expect(connections).toBe(0)
    }).pipe(Effect.provide(probing({ authorities: certificates.authority }))))
})
