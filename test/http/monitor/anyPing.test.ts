/** Whatever a job sends to its short ping address, the ping counts, and the path decides. */
import { expect, layer } from "@effect/vitest"
import { Array as Arrays, Effect, FastCheck as fc } from "effect"
import { request } from "node:http"
import { connect } from "node:net"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { newHeartbeat, PingServer } from "../../support/program/PingServer.ts"
import { until } from "../../support/time/Until.ts"

interface Sent {
  readonly method: "GET" | "POST" | "HEAD"
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string
}

/** The status of the answer. Unlike fetch, it sends a body with any method, and any header. */
const send = (path: string, { body, headers, method }: Sent) =>
  Effect.flatMap(ServerAddress, ({ host, port }) =>
    Effect.async<number>((resume) => {
      const length = body.length === 0 ? {} : { "content-length": String(Buffer.byteLength(body)) }
      const call = request({ host, port, path, method, headers: { ...headers, ...length } }, (response) => {
        response.resume().once("end", () => resume(Effect.succeed(response.statusCode ?? 0)))
      })
      call.end(body)
    }))

const post = (body: Uint8Array | string, type?: string): Sent => ({
  method: "POST",
  headers: type === undefined ? {} : { "content-type": type },
  body
})

const methods: ReadonlyArray<Sent["method"]> = ["GET", "POST", "HEAD"]
const json = "application/json"
const form = "application/x-www-form-urlencoded"
const failure = "The job reported a failure"
const long = "x".repeat(1_200_000)

type Row = readonly [outcome: string, error: string | null, latencyMs: number | null]

layer(PingServer, { excludeTestServices: true })((it) => {
  it.effect.each<readonly [string, string, Sent, Row]>([
    ["a fraction of a millisecond", "?durationMs=8123.4", post(""), ["up", null, 8123]],
    ["a number in quotes", "", post("{\"durationMs\":\" 12.6 \"}", json), ["up", null, 13]],
    ["a duration that is none", "?durationMs=soon&durationMs=-3", post(""), ["up", null, null]],
    ["a duration that no clock has", "", post("{\"durationMs\":1e300}", json), ["up", null, null]],
    ["a known word in capitals", "?status=DOWN", post(""), ["down", failure, null]],
    ["a known word among spaces, in a field in capitals", "", post("{\"Status\":\" Degraded\\n\",\"MESSAGE\":\"slow\"}", json), [
      "degraded",
      "slow",
      null
    ]],
    ["an unknown word", "", post("{\"status\":\"ok\",\"items\":3}", json), ["up", null, null]],
    ["an unknown word where the query has a known one", "?status=down", post("{\"status\":\"ok\"}", json), [
      "down",
      "{\"status\":\"ok\"}",
      null
    ]],
    ["the same field twice", "?status=down&status=broken", post(""), ["down", failure, null]],
    ["a message that is no text", "/fail", post("{\"message\":5}", json), ["down", "5", null]],
    ["a message that is a list", "/fail", post("{\"message\":[\"disk\",1]}", json), ["down", "[\"disk\",1]", null]],
    ["output of its own as JSON", "/fail", post("{\"error\":\"disk full\",\"code\":28}", json), [
      "down",
      "{\"error\":\"disk full\",\"code\":28}",
      null
    ]],
    ["JSON that is no object", "/fail", post("[1, 2]", json), ["down", "[1, 2]", null]],
    ["JSON that is cut off", "/fail", post("{\"status\":\"up\"", json), ["down", "{\"status\":\"up\"", null]],
    ["JSON with too many fields", "", post(`{"a":[${"1,".repeat(20_000)}1],"status":"down","message":"many"}`, json), [
      "down",
      "many",
      null
    ]],
    ["JSON that is nested too deep", "", post(`{"status":"down","a":${"[".repeat(90)}${"]".repeat(90)}}`, json), [
      "down",
      `{"status":"down","a":${"[".repeat(90)}${"]".repeat(90)}}`,
      null
    ]],
    ["JSON above the limit, which is cut", "", post(`{"status":"down","log":{"status":"up"},"text":"${long}"}`, json), [
      "down",
      `{"status":"down","log":{"status":"up"},"text":"${long}`.slice(0, 500),
      null
    ]],
    ["a form above the limit, which is cut", "", post(`status=down&durationMs=7&message=${long}`, form), [
      "down",
      "x".repeat(500),
      7
    ]],
    ["a form that is cut in a number", "", post(`status=down&a=${long.slice(0, 1_048_546)}&durationMs=123456`, form), [
      "down",
      `status=down&a=${long}`.slice(0, 500),
      null
    ]],
    [
      "fields as curl -F sends them",
      "",
      post("--X\r\nContent-Disposition: form-data; name=\"status\"\r\n\r\ndown\r\n--X--\r\n", "multipart/form-data; boundary=X"),
      ["down", failure, null]
    ],
    ["fields that are no form", "/fail", post("--X\r\nContent", "multipart/form-data; boundary=X"), [
      "down",
      "--X\r\nContent",
      null
    ]],
    [
      "UTF-16, as PowerShell writes it",
      "",
      post(Buffer.from("{\"status\":\"down\",\"message\":\"voll\"}", "utf16le"), "application/json; charset=utf-16le"),
      ["down", "voll", null]
    ],
    ["an unknown charset", "/fail", post(Buffer.from([0x6b, 0xf6]), "text/plain; charset=klingon"), ["down", "k\uFFFD", null]],
    ["a known charset", "/fail", post(Buffer.from([0x6b, 0xf6]), "text/plain; charset=iso-8859-1"), ["down", "k\u00F6", null]],
    ["compressed output", "?status=down", { ...post(Buffer.from([31, 139, 8])), headers: { "content-encoding": "gzip" } }, [
      "down",
      failure,
      null
    ]],
    ["a body with GET", "", { ...post("status=down&message=disk+full", form), method: "GET" }, ["down", "disk full", null]],
    ["HEAD to the fail path", "/fail", { ...post(""), method: "HEAD" }, ["down", failure, null]],
    ["escapes that are none", "?status=down&message=%zz%F0%&%=%", post(""), ["down", "%zz\uFFFD%", null]]
  ])("a ping counts with %s", ([, suffix, sent, row]) =>
    Effect.gen(function*() {
      const { checks, path } = yield* newHeartbeat
      expect(yield* send(`${path}${suffix}`, sent)).toBe(200)
      expect(yield* checks).toEqual([row])
    }))

  it.effect("every ping of a known token is answered with 200, and one to the fail path is a failure", () =>
    Effect.gen(function*() {
      const name = fc.constantFrom("status", "STATUS", "message", "durationMs", "durationms", "items", "__proto__", "")
      const word = fc.constantFrom("up", "Down", "DEGRADED", "ok", "", "null", "-1", "8.5", "1e999", "%", "\0")
      const value = fc.oneof(word, fc.string({ unit: "binary" }))
      const query = fc.array(fc.tuple(name, value), { maxLength: 4 }).map((pairs) => new URLSearchParams(pairs).toString())
      const odd = fc.stringMatching(/^[!-"$-~]{0,30}$/)
      const type = fc.constantFrom(
        "",
        json,
        form,
        "text/plain",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-7",
        ";;,"
      )
      const body = fc.oneof(
        fc.uint8Array({ maxLength: 60 }),
        query,
        fc.json(),
        fc.dictionary(name, fc.oneof(word, fc.jsonValue({ maxDepth: 1 }))).map((fields) => JSON.stringify(fields)),
        fc.json().map((text) => text.slice(0, -1))
      )
      const pings = fc.record({ method: fc.constantFrom(...methods), query: fc.oneof(query, odd), type, body })
      for (const group of Arrays.chunksOf(fc.sample(pings, { numRuns: 120, seed: 7 }), 60)) {
        const { checks, path } = yield* newHeartbeat
        for (const { body, method, query, type } of group) {
          const sent: Sent = { method, headers: type === "" ? {} : { "content-type": type }, body }
          for (const at of [path, `${path}/fail`]) {
            expect([at, query, sent, yield* send(`${at}?${query}`, sent)]).toEqual([at, query, sent, 200])
          }
        }
        // The newest comes first.
        const failed = (yield* checks).map(([outcome]) => outcome).filter((_, index) => index % 2 === 0)
        expect(failed).toEqual(group.map(() => "down"))
      }
    }))

  it.effect("a client that hangs up in its output has pinged", () =>
    Effect.gen(function*() {
      const { checks, path } = yield* newHeartbeat
      const { host, port } = yield* ServerAddress
      yield* Effect.async<void>((resume) => {
        const socket = connect(port, host, () =>
          void socket.write(`POST ${path}/fail HTTP/1.1\r\nHost: belltower.test\r\nContent-Length: 900\r\n\r\ntar: disk`, () => {
            socket.end()
            resume(Effect.void)
          }))
        socket.on("error", () => {})
      })
      expect(
        yield* until(checks, (found) =>
          found.length === 1)
      ).toEqual([["down", "tar: disk", null]])
    }))

  it.effect("output counts when its address has sent too much that was refused, and is cut", () =>
    Effect.gen(function*() {
      const { checks, path } = yield* newHeartbeat
      expect(yield* send(`/hb/${"y".repeat(24)}`, post(long))).toBe(404)
      expect(yield* send(path, post(`status=down&message=${"x".repeat(9000)}`, form))).toBe(200)
      expect(yield* checks).toEqual([["down", "x".repeat(500), null]])
    }))
})
