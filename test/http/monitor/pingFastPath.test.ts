/** Raw connections to the fast lane of the pings: no request smuggling, and no answer before the ping is stored. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "node:net"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { newHeartbeat, PingServer } from "../../support/program/PingServer.ts"
import { until } from "../../support/time/Until.ts"

/** Sends these bytes on their own connection and reads until the server closes it. */
const exchange = (...parts: ReadonlyArray<string>) =>
  Effect.flatMap(ServerAddress, ({ host, port }) =>
    Effect.async<string>((resume) => {
      let heard = ""
      const socket = connect(port, host, () => {
        for (const part of parts) socket.write(part)
      })
      socket.setNoDelay(true)
      socket.setEncoding("utf8").on("data", (text) => {
        heard += text
      })
      socket.on("error", () => {}).on("close", () => resume(Effect.succeed(heard)))
      return Effect.sync(() => socket.destroy())
    }))

const statusesOf = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))

const head = (line: string, ...headers: ReadonlyArray<string>) => [line, "Host: belltower.test", ...headers, "", ""].join("\r\n")
const last = (line: string, ...headers: ReadonlyArray<string>) => head(line, ...headers, "Connection: close")

layer(PingServer, { excludeTestServices: true })((it) => {
  it.effect("pipelined pings are answered in order, each once, mixed with other requests", () =>
    Effect.gen(function*() {
      const { checks, path } = yield* newHeartbeat
      const answer = yield* exchange(
        head(`GET ${path} HTTP/1.1`) + head(`GET /hb/${"x".repeat(24)} HTTP/1.1`) +
          head(`GET ${path}?durationMs=7 HTTP/1.1`) + last(`POST ${path} HTTP/1.1`, "Content-Length: 0")
      )
      expect(statusesOf(answer)).toEqual([200, 404, 200, 200])
      expect((yield* checks).map(([outcome]) => outcome)).toEqual(["up", "up", "up"])
    }))

  it.effect("the body of a GET is not treated as the next request", () =>
    Effect.gen(function*() {
      const { checks, path } = yield* newHeartbeat
      const hidden = head(`GET ${path}/fail HTTP/1.1`)
      const answer = yield* exchange(
        head(`GET ${path} HTTP/1.1`, `Content-Length: ${hidden.length}`) + hidden +
          head(`GET ${path} HTTP/1.1`, "Transfer-Encoding: chunked") + `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n` +
          last(`GET ${path} HTTP/1.1`)
      )
      expect(statusesOf(answer)).toEqual([200, 200, 200])
      expect(yield* checks).toEqual(Array(3).fill(["up", null, null]))
    }))

  it.effect.each(
    [
      ["two lengths", "POST", ["Content-Length: 0", "Content-Length: 5"]],
      ["a length and chunks", "POST", ["Content-Length: 5", "Transfer-Encoding: chunked"]],
      ["a list of lengths", "POST", ["Content-Length: 0, 0"]],
      ["a signed length", "POST", ["Content-Length: +0"]],
      ["chunks that are not last", "POST", ["Transfer-Encoding: chunked, identity"]],
      ["a header that is folded", "GET", ["X: 1", " Transfer-Encoding: chunked"]],
      ["a space before the colon", "POST", ["Content-Length : 5"]]
    ] as const
  )("a request with %s is refused and counts for nothing", ([, method, headers]) =>
    Effect.gen(function*() {
      const { checks, path } = yield* newHeartbeat
      const answer = yield* exchange(
        head(`${method} ${path} HTTP/1.1`, ...headers) + "0\r\n\r\n" + last(`GET ${path}/fail HTTP/1.1`)
      )
      expect(statusesOf(answer)).toEqual([400])
      expect(yield* checks).toEqual([])
    }))

  it.effect(
    "a client that sends Expect: 100-continue gets the continue, and its message is accepted",
    () =>
      Effect.gen(function*() {
        const { checks, path } = yield* newHeartbeat
        const answer = yield* exchange(
          head(`POST ${path} HTTP/1.1`, "Content-Length: 0", "Expect: 100-continue"),
          last(`POST ${path}?status=down HTTP/1.1`, "Content-Length: 9", "Expect: 100-continue"),
          "disk full"
        )
        expect(statusesOf(answer)).toEqual([100, 200, 100, 200])
        expect(yield* checks).toEqual([["down", "disk full", null], ["up", null, null]])
      })
  )

  it.effect("a token may be percent-encoded, and the request target may be absolute", () =>
    Effect.gen(function*() {
      const { checks, path, token } = yield* newHeartbeat
      const escaped = `/hb/%${token.charCodeAt(0).toString(16)}${token.slice(1)}`
      const answer = yield* exchange(
        head(`GET ${escaped} HTTP/1.1`) + head(`GET http://belltower.test${path} HTTP/1.1`) + last(`HEAD ${path} HTTP/1.1`)
      )
      expect(statusesOf(answer)).toEqual([200, 200, 200])
      expect(yield* checks).toHaveLength(3)
    }))

  it.effect("a connection continues after a rejected ping; an overlong path is rejected", () =>
    Effect.gen(function*() {
      const { checks, path } = yield* newHeartbeat
      const answer = yield* exchange(
        head(`GET /hb/${"x".repeat(24)} HTTP/1.1`) + head(`GET /hb/${"y".repeat(9000)} HTTP/1.1`) +
          last(`GET ${path} HTTP/1.1`)
      )
      expect(statusesOf(answer)).toEqual([404, 404, 200])
      expect(statusesOf(yield* exchange(head(`GET /hb/${"z".repeat(20_000)} HTTP/1.1`)))).toEqual([431])
      expect(yield* checks).toHaveLength(1)
    }))

  it.effect("pipelined pings with output are each answered once, and keep their own output", () =>
    Effect.gen(function*() {
      const { checks, path } = yield* newHeartbeat
      const failing = (text: string) => head(`POST ${path}/fail HTTP/1.1`, `Content-Length: ${text.length}`) + text
      const answer = yield* exchange(
        failing("one") + failing("two") + head(`POST ${path}/fail HTTP/1.1`, "Transfer-Encoding: chunked") +
          "3\r\nthr\r\n2\r\nee\r\n0\r\n\r\n" + last(`GET ${path} HTTP/1.1`)
      )
      expect(statusesOf(answer)).toEqual([200, 200, 200, 200])
      expect((yield* checks).map(([, error]) => String(error)).sort()).toEqual(["null", "one", "three", "two"])
    }))

  it.effect("output that comes in pieces is taken when it is complete, and the connection goes on", () =>
    Effect.gen(function*() {
      const { checks, path } = yield* newHeartbeat
      const answer = yield* exchange(
        head(`POST ${path}/fail HTTP/1.1`, "Content-Length: 9"),
        "disk",
        " full" + head(`PUT ${path} HTTP/1.1`, "Content-Length: 0"),
        last(`GET ${path} HTTP/1.1`)
      )
      expect(statusesOf(answer)).toEqual([200, 405, 200])
      expect((yield* checks).toSorted()).toEqual([["down", "disk full", null], ["up", null, null]])
    }))

  it.effect("a connection goes on after output above the limit, and after output for an unknown token", () =>
    Effect.gen(function*() {
      const { checks, path } = yield* newHeartbeat
      const large = "x".repeat(1_100_000)
      const answer = yield* exchange(
        head(`POST /hb/${"x".repeat(24)} HTTP/1.1`, "Content-Length: 3"),
        "abc",
        head(`POST ${path}/fail HTTP/1.1`, `Content-Length: ${large.length}`),
        large,
        last(`GET ${path} HTTP/1.1`)
      )
      expect(statusesOf(answer)).toEqual([404, 200, 200])
      expect((yield* checks).toSorted()).toEqual([["down", "x".repeat(500), null], ["up", null, null]])
    }))

  it.effect("an address that is nearly a ping's is none, and its body is not the next request", () =>
    Effect.gen(function*() {
      const { checks, path, token } = yield* newHeartbeat
      const hidden = head(`GET ${path} HTTP/1.1`)
      for (
        const near of [`/hb${token}`, `/HB/${token}`, `//hb/${token}`, `/x/../hb/${token}`, `/hb/${token}x`, `/hb/./${token}`]
      ) {
        const answer = yield* exchange(
          head(`POST ${near} HTTP/1.1`, `Content-Length: ${hidden.length}`) + hidden +
            last("GET /nothing HTTP/1.1")
        )
        expect([near, statusesOf(answer)]).toEqual([near, [404, 404]])
      }
      expect(yield* checks).toEqual([])
    }))

  it.effect("the ping of a caller that hangs up immediately is recorded", () =>
    Effect.gen(function*() {
      const { checks, path } = yield* newHeartbeat
      const { host, port } = yield* ServerAddress
      yield* Effect.async<void>((resume) => {
        const socket = connect(port, host, () =>
          void socket.write(head(`GET ${path} HTTP/1.1`), () => {
            socket.destroy()
            resume(Effect.void)
          }))
      })
      yield* until(checks, (found) => found.length === 1)
    }))
})
