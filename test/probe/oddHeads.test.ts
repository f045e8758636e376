/** Heads of responses that browsers and curl take, sent byte by byte as well; and those that could be read in two ways. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { request as httpRequest } from "node:http"
import { connect, type Socket } from "node:net"
import type { HttpTarget } from "../../schema/monitor/kinds/http.ts"
import type { WebsocketTarget } from "../../schema/monitor/kinds/websocket.ts"
import { withPlainHead } from "../../src/egress/PlainHead.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentOf, assignmentTo } from "../support/probe/Assignments.ts"
import { httpTarget, probing, tcpTarget } from "../support/targets/LocalTargets.ts"

const lookAt = (target: Partial<HttpTarget> & { readonly url: string }) => probeOnce(assignmentOf(target))

type Send = (socket: Socket, answer: Buffer) => void

const whole: Send = (socket, answer) => void socket.end(answer)

/** Each byte is a packet of its own. */
const dripping: Send = (socket, answer) => {
  const [first, ...rest] = answer
  if (first === undefined) return void socket.end()
  socket.write(Buffer.of(first), () => setImmediate(dripping, socket, Buffer.from(rest)))
}

const answering = (answer: string, send: Send = whole) =>
  Effect.map(
    tcpTarget((socket) => socket.setNoDelay().once("data", () => send(socket, Buffer.from(answer)))),
    (port) => `http://127.0.0.1:${port}/`
  )

const ok = "HTTP/1.1 200 OK\r\n"

const taken = {
  "a space before the colon": `${ok}Content-Length : 4\r\n\r\nfine`,
  "a line without a colon": `${ok}nonsense\r\nContent-Length: 4\r\n\r\nfine`,
  "an empty name": `${ok}: x\r\nContent-Length: 4\r\n\r\nfine`,
  "a name that is none": `${ok}two words: x\r\nContent-Length: 4\r\n\r\nfine`,
  "a bare CR": `${ok}X: a\rb\r\nContent-Length: 4\r\n\r\nfine`,
  "the length twice in one line": `${ok}Content-Length: 4, 4\r\n\r\nfine`,
  "an empty length": `${ok}Content-Length:\r\n\r\nfine`,
  "a length that is no number": `${ok}Content-Length: four\r\n\r\nfine`,
  "oddities after hints": `HTTP/1.1 103 Early Hints\r\nLink : </x>\r\nhint\r\n\r\n${ok}: x\r\nContent-Length : 4, 4\r\n\r\nfine`,
  "two interim responses": `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${ok}Content-Length: 4,4\r\n\r\nfine`,
  "a folded line": `${ok}X: a\r\n b\r\nContent-Length: 4\r\n\r\nfine`,
  "no reason phrase": "HTTP/1.1 200\r\nContent-Length: 4\r\n\r\nfine",
  "an empty line before it": `\r\n${ok}Content-Length: 4\r\n\r\nfine`,
  "a live stream of SHOUTcast": "ICY 200 OK\r\nicy-name: Radio\r\n\r\nfine",
  "chunks whose lines end in LF": "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n4\nfine\n0\n\n",
  "spaces and extensions at chunks": `${ok}Transfer-Encoding: chunked\r\n\r\n2 ; a="b c" ;;\r\nfi\r\n02\t\r\nne\r\n0\r\n\r\n`,
  "an odd trailer": `${ok}Transfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\nX : y\r\nnonsense\r\n: z\r\n\r\n`,
  "chunked said twice": `${ok}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\n\r\n`
}

const refused = {
  [`${ok}Content-Length: 4\r\nContent-Length: 5\r\n\r\nfine!`]: /two lengths/,
  [`${ok}Content-Length: 4, 5\r\n\r\nfine!`]: /two lengths/,
  [`${ok}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`]: /chunked is not the last/,
  [`${ok}X: a\rContent-Length: 3\r\nContent-Length: 4\r\n\r\nfine`]: /bare CR/,
  [`${ok}X: a\0b\r\n\r\nfine`]: /NUL/,
  [`${ok}Transfer-Encoding: chunked\r\n\r\nfour\r\nfine\r\n0\r\n\r\n`]: /a chunk begins with "four"/,
  [`${ok}Transfer-Encoding: chunked\r\n\r\n3\r\nfine\r\n0\r\n\r\n`]: /a chunk is longer than its size/,
  "HTTP/1.1 fine\r\n\r\n": /begins with "HTTP\/1.1 fine"/
}

const upgrade = (key: string): string =>
  "HTTP/1.1 103 Early Hints\r\nhint\r\n\r\nHTTP/1.1 101 Switching Protocols\r\nno colon\r\nUpgrade : websocket\r\nConnection : Upgrade\r\n" +
  `X-City: Köln\r\nSec-WebSocket-Accept: ${
    createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64")
  }\r\n\r\n\x81\x05hello`

describe("the odd head of a response", () => {
  it.scopedLive("is taken as browsers and curl take it, however it is cut into packets", () =>
    Effect.gen(function*() {
      for (const [name, answer] of Object.entries(taken)) {
        for (const send of [whole, dripping]) {
          const { error, outcome } = yield* lookAt({ url: yield* answering(answer, send), keyword: "fine" })
          expect([name, outcome, error]).toEqual([name, "up", null])
        }
      }
    }).pipe(Effect.provide(probing())))

  it.scopedLive("is a fault with its name if it could be read in two ways", () =>
    Effect.gen(function*() {
      for (const [answer, error] of Object.entries(refused)) {
        expect(yield* lookAt({ url: yield* answering(answer) })).toMatchObject({
          outcome: "down",
          cause: "protocol_error",
          error: expect.stringMatching(error)
        })
      }
    }).pipe(Effect.provide(probing())))

  it.scopedLive("of a 101 is an answer where that is expected", () =>
    Effect.gen(function*() {
      const url = yield* answering("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
      expect(yield* lookAt({ url, expectedStatus: "101" })).toMatchObject({ outcome: "up", statusCode: 101 })
      expect(yield* lookAt({ url })).toMatchObject({
        outcome: "down",
        cause: "protocol_error",
        error: "Expected status 200-299, got 101 Switching Protocols"
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("shows its texts as UTF-8 to assertions and in the evidence", () =>
    Effect.gen(function*() {
      const url = yield* answering(`${ok}X-City: Köln\r\nContent-Length: 4\r\n\r\nfine`)
      const assertion = { source: "header", path: "X-City", op: "eq", value: "Köln" } as const
      const seen = yield* lookAt({ url, assertions: [assertion] })
      expect(seen).toMatchObject({ outcome: "up", error: null })
      expect((yield* seen.evidence)!.responseHeaders["x-city"]).toBe("Köln")
    }).pipe(Effect.provide(probing())))

  it.scopedLive("opens a WebSocket, too, and a script reads it", () =>
    Effect.gen(function*() {
      const port = yield* tcpTarget((socket) =>
        socket.once("data", (head) => {
          const key = /sec-websocket-key: (\S+)/i.exec(head.toString("latin1"))?.[1] ?? ""
          const [text = "", frame = ""] = upgrade(key).split("\r\n\r\n\x81")
          socket.write(Buffer.concat([Buffer.from(`${text}\r\n\r\n`), Buffer.from(`\x81${frame}`, "latin1")]))
        })
      )
      const target: WebsocketTarget = {
        kind: "websocket",
        url: `ws://127.0.0.1:${port}/`,
        keyword: "hello",
        degradedAfterMs: null,
        sslExpiryDays: null
      }
      const seen = yield* probeOnce(assignmentTo(target))
      expect(seen).toMatchObject({ outcome: "up", error: null, statusCode: 101 })
      expect((yield* seen.evidence)!.responseHeaders["x-city"]).toBe("Köln")
      const url = yield* answering(taken["oddities after hints"])
      const code = `const r = await http.get("${url}"); if (r.body !== "fine") throw new Error(r.body)`
      expect(yield* probeOnce(assignmentTo({ kind: "script", code, degradedAfterMs: null }))).toMatchObject({
        outcome: "up",
        error: null
      })
    }).pipe(Effect.provide(probing())), 60_000)

  it.scopedLive("reaches the parser of a browser's proxy in a form that it takes", () =>
    Effect.gen(function*() {
      const port = yield* tcpTarget((socket) =>
        socket.once("data", () => dripping(socket, Buffer.from(taken["oddities after hints"])))
      )
      const body = yield* Effect.async<string>((resume) => {
        const socket = connect(port, "127.0.0.1")
        const fail = (error: unknown) => resume(Effect.die(error))
        withPlainHead(socket, 1000, { onHead: () => {}, onFault: fail })
        httpRequest({ createConnection: () => socket }, (response) => {
          let text = ""
          response.on("data", (chunk: Buffer) => {
            text += chunk.toString()
          })
          response.on("end", () => resume(Effect.succeed(text)))
        }).on("error", fail).end()
      })
      expect(body).toBe("fine")
    }))

  it.scopedLive("sets cookies that go back as they came, and are shown as text", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((request, response) => {
        const cookie = Buffer.from(request.headers.cookie ?? "", "latin1").toString("utf8")
        const setsCookie = Buffer.from("city=Köln 日本; Path=/").toString("latin1")
        if (cookie === "") return void response.writeHead(302, { "set-cookie": setsCookie, location: "/" }).end()
        response.setHeader("set-cookie", setsCookie)
        // Bytes: a text would turn the headers in front of it into UTF-8 once more.
        response.end(Buffer.from(cookie))
      })
      const assertion = { source: "header", path: "set-cookie", op: "contains", value: "city=Köln 日本" } as const
      expect(yield* lookAt({ url, keyword: "city=Köln 日本", assertions: [assertion] })).toMatchObject({
        outcome: "up",
        error: null
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("leads a redirect to the path and the host that its bytes mean", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const url = yield* httpTarget((request, response) => {
        seen.push(`${request.headers.host?.split(":")[0]}${request.url}`)
        response.end("there")
      })
      const leading = (location: Buffer) =>
        Effect.map(
          tcpTarget((socket) =>
            socket.once(
              "data",
              () =>
                socket.end(Buffer.concat([Buffer.from("HTTP/1.1 302 Found\r\nLocation: "), location, Buffer.from("\r\n\r\n")]))
            )
          ),
          (port) => `http://127.0.0.1:${port}/`
        )
      const international = url.replace("127.0.0.1", "bücher.example")
      const locations = ["/größe?ü=1", "/日本", "//bücher.example", "x"].map((path) =>
        Buffer.from(path.startsWith("//") ? `${international}/x` : `${url}/${path.replace(/^\//, "")}`)
      )
      for (const location of [...locations, Buffer.from(`${url}/größe`, "latin1")]) {
        expect(yield* lookAt({ url: yield* leading(location), keyword: "there" })).toMatchObject({ outcome: "up", error: null })
      }
      expect(seen).toEqual([
        "127.0.0.1/gr%C3%B6%C3%9Fe?%C3%BC=1",
        "127.0.0.1/%E6%97%A5%E6%9C%AC",
        "xn--bcher-kva.example/x",
        "127.0.0.1/x",
        "127.0.0.1/gr%F6%DFe"
      ])
    }).pipe(Effect.provide(probing({ resolve: (_, done) => done(null, [{ address: "127.0.0.1", family: 4 }]) }))))
})
