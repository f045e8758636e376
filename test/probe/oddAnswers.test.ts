/** The http check against odd responses that browsers accept: odd framing, odd lengths, old charsets. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import type { HttpTarget } from "../../schema/monitor/kinds/http.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentOf } from "../support/probe/Assignments.ts"
import { httpTarget, probing, tcpTarget } from "../support/targets/LocalTargets.ts"

type Rest = Parameters<typeof assignmentOf>[1]

const lookAt = (target: Partial<HttpTarget> & { readonly url: string }, rest?: Rest) => probeOnce(assignmentOf(target, rest))

const answering = (answer: string) =>
  Effect.map(tcpTarget((socket) => socket.once("data", () => socket.end(answer))), (port) => `http://127.0.0.1:${port}/`)

const MiB = 1_048_576

describe("an odd response", () => {
  it.scopedLive("is accepted if browsers accept it, even if its framing violates HTTP", () =>
    Effect.gen(function*() {
      const answers = {
        "lines that end in LF alone": "HTTP/1.1 200 OK\ncontent-length: 4\n\nfine",
        "a length beside chunks":
          "HTTP/1.1 200 OK\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\n\r\n",
        "a body of a 204": "HTTP/1.1 204 No Content\r\ncontent-length: 4\r\n\r\nfine",
        "chunks of a 204": "HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        "bytes after the end": "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfine and more"
      }
      for (const [name, answer] of Object.entries(answers)) {
        const keyword = answer.includes(" 204 ") ? null : "fine"
        const { error, outcome } = yield* lookAt({ url: yield* answering(answer), keyword })
        expect([name, outcome, error]).toEqual([name, "up", null])
      }
    }).pipe(Effect.provide(probing())))

  it.scopedLive("that is truncated at the limit leaves the verdict on the rest open, however short the rest is", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((request, response) =>
        response.end(`${"x".repeat(MiB + Number(request.url?.slice(1)))}needle`)
      )
      expect(yield* lookAt({ url: `${url}/-6`, keyword: "needle" })).toMatchObject({ outcome: "up" })
      for (const from of [-5, 0, 1000]) {
        expect(yield* lookAt({ url: `${url}/${from}`, keyword: "needle" })).toMatchObject({ cause: "body_too_large" })
        expect(yield* lookAt({ url: `${url}/${from}`, keywordAbsent: "needle" })).toMatchObject({ cause: "body_too_large" })
      }
    }).pipe(Effect.provide(probing())))

  it.scopedLive("is decoded with the charset of its header or its page", () =>
    Effect.gen(function*() {
      const pages: Record<string, readonly [string, Buffer]> = {
        "/shift_jis": ["text/html; charset=Shift_JIS", Buffer.from("93fa967b8cea", "hex")],
        "/utf-16": ["text/plain;charset=\"utf-16le\"", Buffer.from("日本語", "utf16le")],
        "/in-the-page": [
          "text/html",
          Buffer.concat([Buffer.from("<head><meta charset='euc-jp'>"), Buffer.from("c6fccbdcb8ec", "hex")])
        ],
        "/unknown": ["text/html; charset=klingon", Buffer.from("日本語")],
        "/none": ["text/plain", Buffer.from("charset=euc-jp is not what <meta charset=euc-jp> says here: 日本語")]
      }
      const url = yield* httpTarget((request, response) => {
        const [type, body] = pages[request.url ?? ""] ?? ["", Buffer.alloc(0)]
        response.setHeader("content-type", type)
        response.end(body)
      })
      for (const path of Object.keys(pages)) {
        const { error, outcome } = yield* lookAt({ url: url + path, keyword: "日本語" })
        expect([path, outcome, error]).toEqual([path, "up", null])
      }
    }).pipe(Effect.provide(probing())))

  it.scopedLive("is decoded as often as it was encoded, and an encoding that is not known is named", () =>
    Effect.gen(function*() {
      const compressed = (text: string) => brotliCompressSync(gzipSync(text))
      const bodies: Record<string, readonly [string, Buffer]> = {
        "/twice": ["gzip, gzip", gzipSync(gzipSync("fine"))],
        "/mixed": ["x-gzip, BR", compressed("fine")],
        "/raw": ["deflate", deflateRawSync("fine")],
        "/zlib": ["deflate, identity", deflateSync("fine")],
        "/none": ["utf-8", Buffer.from("fine")],
        "/wrong": ["gzip, gzip", gzipSync("fine")],
        "/old": ["compress", Buffer.from("1f9d90", "hex")],
        "/new": ["sparkle", Buffer.from("dull")]
      }
      const url = yield* httpTarget((request, response) => {
        const [encoding, body] = bodies[request.url ?? ""] ?? ["", Buffer.alloc(0)]
        response.writeHead(200, { "content-encoding": encoding }).end(body)
      })
      for (const path of ["/twice", "/mixed", "/raw", "/zlib", "/none"]) {
        const { error, outcome } = yield* lookAt({ url: url + path, keyword: "fine" })
        expect([path, outcome, error]).toEqual([path, "up", null])
      }
      const errorOf = (path: string) => Effect.map(lookAt({ url: url + path, keyword: "fine" }), ({ error }) => error)
      expect(yield* errorOf("/wrong")).toBe("The body is not valid gzip data")
      expect(yield* errorOf("/old")).toBe("The body is encoded as compress, which cannot be decoded here")
      expect(yield* errorOf("/new")).toContain("the Content-Encoding \"sparkle\" is unknown, so the body was read as it came")
      // A body that cannot be read is no fault where nothing is expected of it, and no proof that something is absent.
      expect(yield* lookAt({ url: `${url}/old` })).toMatchObject({ outcome: "up" })
      expect(yield* lookAt({ url: `${url}/old`, keywordAbsent: "fine" })).toMatchObject({ outcome: "down" })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("is decoded by its mark and by what its page says, for keywords and patterns alike", () =>
    Effect.gen(function*() {
      const gbk = Buffer.concat([
        Buffer.from("<meta http-equiv=\"Content-Type\" content=\"text/html;charset=gbk\">"),
        Buffer.from("d6d0cec4", "hex")
      ])
      const url = yield* httpTarget((request, response) => {
        response.setHeader("content-type", request.url === "/page" ? "text/html" : "text/plain; charset=iso-8859-1")
        response.end(request.url === "/page" ? gbk : "\uFEFFOK")
      })
      expect(yield* lookAt({ url: `${url}/page`, keywordAbsent: "中文" })).toMatchObject({ outcome: "down", cause: "keyword" })
      const matches = { source: "body", op: "matches", value: "^OK$" } as const
      expect(yield* lookAt({ url: `${url}/mark`, assertions: [matches] })).toMatchObject({ outcome: "up", error: null })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("gets the same request with and without a body: Latin-1 headers, UTF-8 bodies", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => response.end(`${request.headers["x-name"]} ${Buffer.concat(chunks).toString("utf8")}`))
      })
      const headers = { "X-Name": "Zoë" }
      expect(yield* lookAt({ url, keyword: "Zoë" }, { secrets: { headers } })).toMatchObject({ outcome: "up" })
      expect(yield* lookAt({ url, method: "POST", keyword: "Zoë grüßt" }, { secrets: { headers, body: "grüßt" } }))
        .toMatchObject({ outcome: "up" })
    }).pipe(Effect.provide(probing())))
})
