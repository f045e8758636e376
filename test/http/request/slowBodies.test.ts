/** Clients that begin a request and do not send its body. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connect, type Socket } from "node:net"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { TestProgram } from "../../support/program/Program.ts"
import { bearer, newKey, post } from "../../support/program/TestServer.ts"

/** More than the connections of the program to its database. */
const clients = 20

/** A connection that has sent a request with half of its body. The server answers the request before, so it has read this one too. */
const stalled = (request: string) =>
  Effect.gen(function*() {
    const { port } = yield* ServerAddress
    return yield* Effect.acquireRelease(
      Effect.async<Socket>((resume) => {
        const socket = connect(port, "127.0.0.1", () => socket.write(`GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n`))
        socket.once("data", () => socket.write(request, () => resume(Effect.succeed(socket))))
        socket.on("error", () => {})
      }),
      (socket) => Effect.sync(() => socket.destroy())
    )
  })

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("clients that do not finish their requests", (it) => {
  it.scoped("keep no connection to the database from others", () =>
    Effect.gen(function*() {
      const hostile = yield* newKey()
      const { secret } = yield* newKey()
      const request = `POST /api/v1/monitors HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${hostile.secret}\r\n` +
        "content-type: application/json\r\ncontent-length: 1000\r\n\r\n{\"name\": "
      const sockets = yield* Effect.replicateEffect(stalled(request), clients)
      // Until the server has admitted the last one.
      yield* Effect.sleep("500 millis")
      const made = yield* post("/api/v1/monitors", { name: "Shop", url: "https://shop.test/", paused: true }, bearer(secret))
      expect(made.status).toBe(201)
      expect(sockets.every(({ closed, readableEnded }) => !closed && !readableEnded)).toBe(true)
    }))
})
