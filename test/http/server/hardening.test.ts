/** Hostile requests, and leaks. */
import { describe, expect, layer } from "@effect/vitest"
import { Effect, Layer, Logger, LogLevel } from "effect"
import { connect } from "node:net"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { bearer, call, callJson, type Json, newKey, post, TestServer } from "../../support/program/TestServer.ts"

/** Everything that the server logs, at every level. */
const logged: Array<string> = []
const capturing = Logger.replace(
  Logger.defaultLogger,
  Logger.make((line) => {
    logged.push(Logger.logfmtLogger.log(line))
  })
)
const ground = TestServer.pipe(Layer.provide(Layer.merge(capturing, Logger.minimumLogLevel(LogLevel.All))))

/** A raw request, for input that no client would send. */
const raw = (text: string) =>
  Effect.flatMap(ServerAddress, ({ host, port }) =>
    Effect.async<string>((resume) => {
      let answer = ""
      const socket = connect(port, host, () => socket.write(text))
      socket.on("data", (chunk: Buffer) => {
        answer += chunk.toString("utf8")
      })
      socket.on("error", () => {})
      socket.once("close", () => resume(Effect.succeed(answer)))
    }))

const sendJson = (path: string, text: string, headers: Record<string, string>, method = "POST") =>
  callJson(path, { method, headers: { "content-type": "application/json", ...headers }, body: text })

const issues = (body: Json): ReadonlyArray<readonly [string, string]> =>
  body.error.details.map(({ message, path }: { readonly message: string; readonly path: string }) => [path, message])

layer(ground, { excludeTestServices: true })("the server", (it) => {
  describe("with a hostile body", () => {
    it.effect("rejects prototype property names like any other unknown field", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const body =
          `{"name":"api","url":"https://example.com","__proto__":{"admin":true},"constructor":{},"prototype":1,"toString":2}`
        const answer = yield* sendJson("/api/v1/monitors", body, headers)
        expect(answer.status).toBe(422)
        expect(issues(answer.body).map(([path]) => path).sort()).toEqual(["__proto__", "constructor", "prototype", "toString"])
        expect(Reflect.get({}, "admin")).toBeUndefined()
      }))

    it.effect("rejects the one that a map of names to values would lose, instead of losing it", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const named = (map: string) => `{"name":"api","url":"https://example.com","headers":{${map}}}`
        const answer = yield* sendJson("/api/v1/monitors", named(`"x-a":"1","__proto__":"2"`), headers)
        expect([answer.status, issues(answer.body)]).toEqual([
          422,
          [["headers.__proto__", "Unknown field"]]
        ])
        const other = yield* sendJson("/api/v1/monitors", named(`"constructor":"2"`), headers)
        expect([other.status, other.body.seen.payload.headers]).toEqual([200, { constructor: "2" }])
      }))

    it.effect("rejects them in a query or a form too", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const query = yield* callJson("/api/v1/monitors?__proto__=a&__proto__=b&constructor=c", { headers })
        expect(query.status).toBe(422)
        expect(issues(query.body)).toContainEqual(["constructor", "Unknown field"])
        const form = yield* callJson("/api/v1/monitors", {
          method: "POST",
          headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
          body: "name=api&url=https%3A%2F%2Fexample.com&__proto__=x"
        })
        expect([form.status, issues(form.body)]).toEqual([422, [["__proto__", "Unknown field"]]])
      }))

    it.effect("survives a very deeply nested one", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const deep = (n: number, field: string) => `{"name":"api","${field}":${"[".repeat(n)}${"]".repeat(n)}}`
        for (const field of ["tags", "assertions", "headers", "name", "unknown"]) {
          for (const idempotent of [{}, { "idempotency-key": "deep" }]) {
            const { status } = yield* sendJson("/api/v1/monitors", deep(200_000, field), { ...headers, ...idempotent })
            expect([field, status]).toEqual([field, 422])
          }
        }
        const rpc = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "create_monitor", arguments: "DEEP" } }
        const text = JSON.stringify(rpc).replace("\"DEEP\"", deep(100_000, "tags"))
        const answer = yield* sendJson("/mcp", text, { ...headers, accept: "application/json, text/event-stream" })
        expect(answer.status).toBeLessThan(500)
        expect((yield* callJson("/healthz")).status).toBe(200)
      }))

    it.effect("rejects numbers beyond all limits", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        for (const number of ["1e400", "-1e400", "1e308", "9007199254740993", "-0.5", "60.0000001"]) {
          const { body, status } = yield* sendJson(
            "/api/v1/monitors",
            `{"name":"api","url":"https://e.com","intervalSec":${number}}`,
            headers
          )
          expect([number, status, body.error?.details[0].path]).toEqual([number, 422, "intervalSec"])
        }
        for (const limit of ["1e9", "-1", "NaN", "Infinity", "1.5", "9".repeat(400)]) {
          expect([limit, (yield* callJson(`/api/v1/events?limit=${limit}`, { headers })).status]).toEqual([limit, 422])
        }
        expect((yield* callJson("/api/v1/events?limit=1&limit=2", { headers })).status).toBe(422)
      }))

    it.effect("rejects unstorable characters anywhere", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        expect((yield* sendJson("/api/v1/api-keys", "{\"name\":\"a\\u0000b\"}", headers)).status).toBe(422)
        expect((yield* sendJson("/api/v1/api-keys", "{\"name\":\"a\\ud800b\"}", headers)).status).toBeLessThan(500)
        expect((yield* callJson("/api/v1/api-keys/%00", { method: "DELETE", headers })).status).toBeLessThan(500)
        expect((yield* callJson("/api/v1/audit?actor=%00", { headers })).status).toBeLessThan(500)
        expect((yield* post("/api/v1/api-keys", { name: "a" }, { ...headers, "x-workspace": "\u00ff" })).status).toBe(201)
      }))
  })

  describe("with a hostile path", () => {
    it.effect("treats dots, slashes and bad escapes in an id as an unknown id", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const ids = [
          "..",
          "..%2f..%2fetc%2fpasswd",
          "%2e%2e",
          "%00",
          "%ff",
          "%",
          "%zz",
          "a%0d%0aset-cookie:%20x=y",
          "x".repeat(5_000)
        ]
        for (const id of ids) {
          const answer = yield* raw(
            `DELETE /api/v1/api-keys/${id} HTTP/1.1\r\nhost: x\r\nauthorization: ${headers.authorization}\r\nconnection: close\r\n\r\n`
          )
          expect([id, answer.slice(0, 12)]).toEqual([id, expect.stringMatching(/^HTTP\/1\.1 4(?:00|04|05|22)/)])
          expect(answer.toLowerCase().split("\r\n\r\n")[0]).not.toContain("set-cookie")
        }
      }))

    it.effect("keeps its data out of caches under every path spelling, and rejects spellings that proxy rules miss", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const at = (path: string) =>
          raw(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${headers.authorization}\r\nconnection: close\r\n\r\n`)
        for (
          const path of ["//api/v1/api-keys", "/api//v1/api-keys", "/%61pi/v1/api-keys", "http://x/api/v1/api-keys", "/healthz"]
        ) {
          const [head = ""] = (yield* at(path)).split("\r\n\r\n")
          expect([path, head]).toEqual([path, expect.stringContaining(" 200 ")])
          expect([path, head]).toEqual([path, expect.stringContaining("cache-control: no-store")])
          expect([path, head]).toEqual([path, expect.stringContaining("content-security-policy: default-src 'none'")])
        }
        for (
          const path of ["/api/v1/api-keys;a.css", "/API/V1/api-keys", "/METRICS", "/metrics;", "/mcp;x", "/;/api/v1/api-keys"]
        ) {
          expect([path, (yield* at(path)).slice(0, 12)]).toEqual([path, "HTTP/1.1 404"])
        }
      }))

    it.effect("answers HEAD like GET without a body, and no other method like it", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const head = yield* call("/api/v1/api-keys", { method: "HEAD", headers })
        const get = yield* call("/api/v1/api-keys", { headers })
        expect([head.status, head.headers.get("content-type")]).toEqual([200, get.headers.get("content-type")])
        expect(yield* Effect.promise(() => head.text())).toBe("")
        expect((yield* call("/api/v1/api-keys", { method: "HEAD" })).status).toBe(401)
        for (const method of ["TRACE", "CONNECT", "PROPFIND"]) {
          expect(yield* raw(`${method} /api/v1/api-keys HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)).not.toContain(" 200 ")
        }
      }))

    it.effect("rejects two lengths, a length with chunks, and request heads above 16 KiB", () =>
      Effect.gen(function*() {
        const heads = [
          "content-length: 5\r\ncontent-length: 6\r\n",
          "content-length: 5\r\ntransfer-encoding: chunked\r\n",
          "transfer-encoding: chunked, identity\r\n",
          `x-long: ${"x".repeat(20_000)}\r\n`
        ]
        for (const head of heads) {
          const answer = yield* raw(`POST /api/v1/monitors HTTP/1.1\r\nhost: x\r\n${head}\r\nhello`)
          expect([head.slice(0, 40), /^HTTP\/1\.1 4(?:00|31)/.test(answer)]).toEqual([head.slice(0, 40), true])
        }
      }))
  })

  describe("protects its responses", () => {
    it.effect("on every surface from sniffing, caching and framing, and tells browsers to stay on https", () =>
      Effect.gen(function*() {
        for (const path of ["/api/v1/agent/whoami", "/api/v1/nothing", "/mcp", "/mcp/public", "/hb/nothing"]) {
          const { headers } = yield* call(path)
          expect([path, headers.get("x-content-type-options")]).toEqual([path, "nosniff"])
          expect([path, headers.get("content-security-policy")]).toEqual([path, "default-src 'none'; frame-ancestors 'none'"])
          expect([path, headers.get("cache-control")]).toEqual([path, "no-store"])
          expect([path, headers.get("referrer-policy")]).toEqual([path, "no-referrer"])
        }
        expect((yield* call("/healthz")).headers.get("x-content-type-options")).toBe("nosniff")
        const own = yield* raw("GET /healthz HTTP/1.1\r\nhost: belltower.test\r\nconnection: close\r\n\r\n")
        expect(own).toContain("strict-transport-security: max-age=31536000")
        const other = yield* raw("GET /healthz HTTP/1.1\r\nhost: status.customer.example\r\nconnection: close\r\n\r\n")
        expect(other).not.toContain("strict-transport-security")
      }))
  })

  it.effect("ignores forwarded addresses without a trusted proxy", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      yield* post("/api/v1/api-keys", { name: "a" }, { ...headers, "x-forwarded-for": "203.0.113.9" })
      expect((yield* callJson("/api/v1/audit", { headers })).body.data[0].ip).toBe("127.0.0.1")
    }))

  it.effect("logs no secret, wherever a request contains it, and whatever its outcome", () =>
    Effect.gen(function*() {
      const { headers, secret } = yield* newKey()
      const made = yield* post("/api/v1/api-keys", { name: "a" }, { ...headers, "idempotency-key": "storm" })
      const secrets = [secret, made.body.secret, "hunter2-the-password", "cookie-of-a-session"]
      const hostile = {
        ...headers,
        cookie: `belltower_session=${secrets[3]}; __Host-belltower_session=${secrets[3]}`,
        "idempotency-key": secrets[2]!,
        "x-workspace": secrets[2]!,
        "last-event-id": secrets[2]!
      }
      const paths = [
        "/api/v1/monitors",
        "/api/v1/api-keys",
        "/api/v1/checks/chk_1",
        `/hb/${secrets[2]}`,
        `/api/v1/push/${secrets[2]}`,
        `/api/v1/api-keys/${secret}`,
        `/api/v1/events?after=${secret}`,
        `/s/${secrets[2]}`,
        "/mcp",
        `/nothing?token=${secrets[2]}`
      ]
      const bodies = [
        JSON.stringify({ name: secrets[2], url: `https://u:${secrets[2]}@e.com`, headers: { authorization: secret } }),
        `{"name":"${secrets[2]}\\u0000"}`,
        `{"password":"${secrets[2]}`,
        `message=${secrets[2]}`
      ]
      for (const path of paths) {
        yield* call(path, { headers: hostile })
        yield* call(path, { headers: bearer(`${secret}x`) })
        for (const body of bodies) {
          yield* call(path, { method: "POST", body, headers: { ...hostile, "content-type": "application/json" } })
        }
      }
      // The handler of this operation fails, so the log contains its error with all details.
      expect(logged.join("\n")).toContain("A request failed unexpectedly")
      for (const text of secrets) expect(logged.filter((line) => line.includes(text))).toEqual([])
    }))
})
