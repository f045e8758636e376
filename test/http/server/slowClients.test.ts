/** Slow clients that hold connections or responses on purpose. */
import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { expect, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Stream } from "effect"
import { connect, type Socket } from "node:net"
import { type ConnectionLimits, makeListeningServer } from "../../../src/http/server/ListeningServer.ts"

/** Short enough for a test, in the proportions of the production limits. */
const limits: ConnectionLimits = {
  headersTimeout: 300,
  requestTimeout: 600,
  connectionsCheckingInterval: 50,
  keepAliveTimeout: 300,
  silence: 1_500,
  taking: 500
}

const megabyte = new Uint8Array(1024 * 1024)

class Slow extends Context.Tag("test/Slow")<Slow, {
  readonly port: number
  /** How many megabytes of the endless stream were produced when it ended. */
  readonly streamed: Deferred.Deferred<number>
}>() {}

const server = Layer.scoped(
  Slow,
  Effect.gen(function*() {
    const streamed = yield* Deferred.make<number>()
    const { listen } = yield* makeListeningServer(limits)
    const { address, serve } = yield* listen({ host: "127.0.0.1", port: 0 })
    let made = 0
    const endless = Stream.repeatEffect(Effect.sync(() => {
      made++
      return megabyte
    })).pipe(Stream.rechunk(1), Stream.ensuring(Effect.suspend(() => Deferred.succeed(streamed, made))))
    yield* serve(Effect.gen(function*() {
      const { url } = yield* HttpServerRequest.HttpServerRequest
      return url === "/endless"
        ? HttpServerResponse.stream(endless)
        : HttpServerResponse.uint8Array(url === "/large" ? new Uint8Array(64 * 1024 * 1024) : megabyte)
    }))
    return { port: address._tag === "TcpAddress" ? address.port : 0, streamed }
  })
).pipe(Layer.provide(NodeHttpServer.layerContext))

/** A connection that has sent `text`. */
const opened = (text: string) =>
  Effect.gen(function*() {
    const { port } = yield* Slow
    return yield* Effect.acquireRelease(
      Effect.async<Socket>((resume) => {
        const socket = connect(port, "127.0.0.1", () => {
          socket.write(text)
          resume(Effect.succeed(socket))
        })
        socket.on("error", () => {})
      }),
      (socket) => Effect.sync(() => socket.destroy())
    )
  })

/** The bytes that the server sent before it closed the connection. */
const closed = (socket: Socket) =>
  Effect.async<string>((resume) => {
    let said = ""
    socket.on("data", (chunk: Buffer) => {
      said += chunk.toString("latin1").slice(0, 200)
    })
    socket.once("close", () => resume(Effect.succeed(said)))
  })

layer(server, { excludeTestServices: true })("a client that", (it) => {
  it.scoped("never completes the head of its request is disconnected, even if it keeps sending", () =>
    Effect.gen(function*() {
      const socket = yield* opened("GET / HTTP/1.1\r\nhost: x\r\n")
      yield* Effect.sync(() => socket.write("x-slow: 1\r\n")).pipe(Effect.delay(50), Effect.forever, Effect.forkScoped)
      expect(yield* closed(socket)).toContain("408")
    }))

  it.scoped("never completes the body of its request is disconnected, even if it keeps sending", () =>
    Effect.gen(function*() {
      const socket = yield* opened("POST /read HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n")
      yield* Effect.sync(() => socket.write("x")).pipe(Effect.delay(50), Effect.forever, Effect.forkScoped)
      yield* closed(socket)
    }))

  it.scoped("becomes idle is disconnected", () =>
    Effect.gen(function*() {
      expect(yield* closed(yield* opened("GET / HTTP/1.1\r\nhost: x\r\n\r\n"))).toContain("200 OK")
    }))

  it.scoped("does not read its response is disconnected", () =>
    Effect.gen(function*() {
      const socket = yield* opened("GET /large HTTP/1.1\r\nhost: x\r\n\r\n")
      socket.pause()
      yield* Effect.async<void>((resume) => {
        socket.once("close", () => resume(Effect.void))
        // A paused socket notices its end only when it writes.
        socket.on("error", () => resume(Effect.void))
        const timer = setInterval(() => socket.write("GET / HTTP/1.1\r\n\r\n"), 50)
        return Effect.sync(() => clearInterval(timer))
      })
    }))

  it.scoped("does not read a stream slows it down, and is disconnected eventually", () =>
    Effect.gen(function*() {
      const { streamed } = yield* Slow
      const socket = yield* opened("GET /endless HTTP/1.1\r\nhost: x\r\n\r\n")
      socket.pause()
      // Only as much as the kernel's buffers accept.
      expect(yield* Deferred.await(streamed)).toBeLessThan(50)
    }))
})
