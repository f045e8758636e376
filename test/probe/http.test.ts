/** The http check against real servers that are healthy, slow, broken or hostile. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import { randomBytes } from "node:crypto"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import type { HttpTarget } from "../../schema/monitor/kinds/http.ts"
import { type ProbeExit, tools } from "../../src/probe/Probe.ts"
import { probeOnce, startProbe } from "../../src/probe/probes.ts"
import { assignmentOf } from "../support/probe/Assignments.ts"
import { httpTarget, probing, tcpTarget } from "../support/targets/LocalTargets.ts"

type Rest = Parameters<typeof assignmentOf>[1]

const lookAt = (target: Partial<HttpTarget> & { readonly url: string }, rest?: Rest) => probeOnce(assignmentOf(target, rest))

const evidenceAt = (target: Partial<HttpTarget> & { readonly url: string }, rest?: Rest) =>
  Effect.flatMap(lookAt(target, rest), (seen) => Effect.map(seen.evidence, (evidence) => ({ seen, evidence: evidence! })))

const MiB = 1_048_576

describe("an http check", () => {
  it.scopedLive("is up on the expected status, and reports the time of each phase", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => response.end("fine"))
      const seen = yield* lookAt({ url })
      expect(seen).toMatchObject({ outcome: "up", statusCode: 200, error: null, cause: null })
      expect(seen.latencyMs).toBeGreaterThan(0)
      expect(seen.timings).toMatchObject({ dnsMs: null, tlsMs: null })
      expect(seen.timings!.firstByteMs).toBeGreaterThanOrEqual(0)
    }).pipe(Effect.provide(probing())))

  it.scopedLive("reports the expected and the actual status", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => response.writeHead(503).end("busy"))
      expect(yield* lookAt({ url })).toMatchObject({
        outcome: "down",
        statusCode: 503,
        cause: "status",
        error: "Expected status 200-299, got 503 Service Unavailable: busy"
      })
      expect(yield* lookAt({ url, expectedStatus: "200, 500-503" })).toMatchObject({ outcome: "up" })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("sends the method, headers and body, and a default User-Agent unless one is set", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((request, response) => {
        let body = ""
        request.on("data", (chunk) => (body += chunk))
        request.on("end", () => response.end(JSON.stringify({ method: request.method, headers: request.headers, body })))
      })
      const secrets = {
        headers: { "X-Token": "a-long-token", "Content-Type": "text/plain", Connection: "upgrade" },
        body: "päylöad"
      }
      const { evidence } = yield* evidenceAt({ url, method: "PUT" }, { secrets })
      const sent = JSON.parse(evidence.body!)
      expect(sent).toMatchObject({ method: "PUT", body: "päylöad" })
      expect(sent.headers).toMatchObject({
        "content-type": "text/plain",
        connection: "close",
        "content-length": "9",
        accept: "*/*"
      })
      expect(sent.headers["user-agent"]).toMatch(/^Belltower\//)
      expect(sent.headers["accept-encoding"]).toBeUndefined()
      const other = yield* evidenceAt({ url }, { secrets: { headers: { "user-agent": "Other/2" } } })
      expect(JSON.parse(other.evidence.body!).headers["user-agent"]).toBe("Other/2")
    }).pipe(Effect.provide(probing())))

  it.scopedLive("keeps no credentials in the evidence, even if the target echoes them", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((request, response) => {
        response.setHeader("set-cookie", ["sid=topsecret; Path=/; HttpOnly", "b=other"])
        response.setHeader("x-echo", request.headers.authorization ?? "")
        response.writeHead(500).end(JSON.stringify(request.headers))
      })
      const { evidence, seen } = yield* evidenceAt(
        {
          url: url.replace("//", "//user:sesame-open@") + "/?q=1",
          assertions: [{ source: "header", path: "x-echo", op: "eq", value: "no" }]
        },
        { secrets: { headers: { "X-Api-Key": "key-0123456789" } } }
      )
      const kept = JSON.stringify({ evidence, error: seen.error })
      for (const secret of ["topsecret", "sesame-open", "key-0123456789", "Basic dXNlcj"]) expect(kept).not.toContain(secret)
      expect(evidence.responseHeaders["set-cookie"]).toBe("sid=[hidden]; Path=/; HttpOnly, b=[hidden]")
      expect(evidence.request).toEqual({ method: "GET", url: `${url}/?q=1` })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("keeps no secrets of its URL, of its body and of the URLs that it is sent to", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((request, response) => {
        if (request.url?.startsWith("/old") === true) response.writeHead(302, { location: "/new?sig=of-the-target" }).end()
        else response.writeHead(500).end("said old-token and body-secret")
      })
      const { evidence, seen } = yield* evidenceAt(
        { url: `${url}/old?token=old-token&page=2`, method: "POST" },
        { secrets: { body: "{\"password\":\"body-secret\"}" } }
      )
      const kept = JSON.stringify({ evidence, error: seen.error })
      for (const secret of ["old-token", "body-secret", "of-the-target"]) expect(kept).not.toContain(secret)
      expect(evidence).toMatchObject({
        request: { url: `${url}/new?sig=[hidden]` },
        redirects: [{ url: `${url}/old?token=[hidden]&page=2` }],
        body: "said [hidden] and [hidden]"
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("checks for keywords, and for their absence", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => response.end("all systems go"))
      expect(yield* lookAt({ url, keyword: "systems", keywordAbsent: "error" })).toMatchObject({ outcome: "up" })
      expect(yield* lookAt({ url, keyword: "welcome" })).toMatchObject({
        outcome: "down",
        cause: "keyword",
        error: "Expected the body to contain \"welcome\", but it does not (begins \"all systems go\")"
      })
      expect(yield* lookAt({ url, keywordAbsent: "go" })).toMatchObject({ outcome: "down", cause: "keyword" })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("judges assertions on status, headers, JSON and latency; down takes precedence over degraded", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => {
        response.setHeader("x-cache", "MISS")
        response.end(JSON.stringify({ data: { items: [{ id: 7, tags: ["a", "b"] }] } }))
      })
      const { evidence, seen } = yield* evidenceAt({
        url,
        assertions: [
          { source: "header", path: "X-Cache", op: "eq", value: "HIT", severity: "degraded" },
          { source: "json", path: "data.items[0].id", op: "gte", value: 7 },
          { source: "json", path: "data.items[0].tags", op: "contains", value: "b" },
          { source: "body", op: "matches", value: "\"id\":\\s*\\d+" },
          { source: "latency", op: "lt", value: 60_000 },
          { source: "ssl_days", op: "not_exists" }
        ]
      })
      expect(seen).toMatchObject({
        outcome: "degraded",
        cause: "assertion",
        error: "Expected header X-Cache to equal HIT, got MISS"
      })
      expect(evidence.assertions.map(({ passed }) => passed)).toEqual([false, true, true, true, true, true])
      expect(
        yield* lookAt({
          url,
          assertions: [{ source: "header", path: "x-cache", op: "eq", value: "HIT", severity: "degraded" }, {
            source: "json",
            path: "gone",
            op: "exists"
          }]
        })
      ).toMatchObject({ outcome: "down", error: "Expected JSON gone to exist, but it is missing" })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("is degraded above the latency threshold", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => setTimeout(() => response.end("late"), 80))
      const seen = yield* lookAt({ url, degradedAfterMs: 50 })
      expect(seen).toMatchObject({ outcome: "degraded", cause: "slow" })
      expect(seen.error).toMatch(/^Expected a response within 50 ms, but it took \d+ ms$/)
    }).pipe(Effect.provide(probing())))

  it.scopedLive("decodes gzip, deflate in both forms, brotli, zstd and latin1", () =>
    Effect.gen(function*() {
      const text = "grüße ".repeat(50)
      const bodies: Record<string, [string, Buffer]> = {
        "/gzip": ["gzip", gzipSync(text)],
        // As browsers and curl do, it ignores bytes after the end.
        "/trailing": ["gzip", Buffer.concat([gzipSync(text), Buffer.from("\r\n<!-- cached -->")])],
        "/deflate": ["deflate", deflateSync(text)],
        "/raw": ["deflate", deflateRawSync(text)],
        "/br": ["br", brotliCompressSync(text)],
        "/zstd": ["zstd", zstdCompressSync(text)],
        "/latin1": ["identity", Buffer.from(text, "latin1")]
      }
      const url = yield* httpTarget((request, response) => {
        const [encoding, body] = bodies[request.url!]!
        response.setHeader("content-type", request.url === "/latin1" ? "text/plain; charset=ISO-8859-1" : "text/plain")
        response.setHeader("content-encoding", encoding)
        response.end(body)
      })
      for (const path of Object.keys(bodies)) {
        const { evidence, seen } = yield* evidenceAt({ url: url + path, keyword: "grüße grüße" })
        expect([path, seen.outcome, evidence.body]).toEqual([path, "up", text])
      }
    }).pipe(Effect.provide(probing())))

  it.scopedLive("reports a body that does not match its content encoding", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => {
        response.setHeader("content-encoding", "gzip")
        response.end("plainly not gzip")
      })
      expect(yield* lookAt({ url, keyword: "x" })).toMatchObject({
        cause: "protocol_error",
        error: "The body is not valid gzip data"
      })
      expect(yield* lookAt({ url })).toMatchObject({ outcome: "down", cause: "protocol_error" })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("truncates a huge body, and fails only if the verdict depends on the rest", () =>
    Effect.gen(function*() {
      const chunk = Buffer.alloc(65_536, "x")
      const url = yield* httpTarget((_, response) => {
        response.write("needle")
        const more = (): void => {
          while (!response.destroyed && response.write(chunk)) { /* until the buffer is full */ }
        }
        response.on("drain", more)
        more()
      })
      expect(yield* lookAt({ url })).toMatchObject({ outcome: "up" })
      expect(yield* lookAt({ url, keyword: "needle" })).toMatchObject({ outcome: "up" })
      expect(yield* lookAt({ url, keyword: "hay" })).toMatchObject({ outcome: "down", cause: "body_too_large" })
      expect(yield* lookAt({ url, keywordAbsent: "hay" })).toMatchObject({ outcome: "down", cause: "body_too_large" })
      expect(yield* lookAt({ url, assertions: [{ source: "json", op: "exists", severity: "degraded" }] })).toMatchObject({
        outcome: "degraded",
        cause: "body_too_large"
      })
      const { evidence } = yield* evidenceAt({ url })
      expect(evidence.body).toHaveLength(16_384)
      expect(evidence.bodyTruncated).toBe(true)
    }).pipe(Effect.provide(probing())))

  it.scopedLive("reads the part below the limit of a compressed body", () =>
    Effect.gen(function*() {
      const text = `needle ${randomBytes(3 * MiB).toString("base64")}`
      const encodings: Readonly<Record<string, (text: string) => Buffer>> = {
        gzip: gzipSync,
        deflate: deflateSync,
        br: brotliCompressSync,
        zstd: zstdCompressSync
      }
      const url = yield* httpTarget((request, response) => {
        const encoding = request.url!.slice(1)
        response.setHeader("content-encoding", encoding)
        response.end(encodings[encoding]!(text))
      })
      for (const encoding of Object.keys(encodings)) {
        const seen = yield* lookAt({ url: url + `/${encoding}`, keyword: "needle" })
        expect([encoding, seen.outcome, seen.error]).toEqual([encoding, "up", null])
      }
    }).pipe(Effect.provide(probing())))

  it.scopedLive("stops a gzip bomb at the limit", () =>
    Effect.gen(function*() {
      const bomb = gzipSync(Buffer.alloc(200 * MiB))
      const url = yield* httpTarget((_, response) => {
        response.setHeader("content-encoding", "gzip")
        response.end(bomb)
      })
      expect(yield* lookAt({ url, keyword: "needle" })).toMatchObject({ outcome: "down", cause: "body_too_large" })
      const { evidence } = yield* evidenceAt({ url })
      expect(evidence.body!.length).toBeLessThanOrEqual(16_384)
      // PostgreSQL rejects NUL.
      expect(evidence.body).not.toContain("\0")
    }).pipe(Effect.provide(probing())))

  it.scopedLive("times out on a target that hangs, or drips without what is expected of it", () =>
    Effect.gen(function*() {
      const hanging = yield* httpTarget(() => {})
      const dripping = yield* httpTarget((_, response) => {
        const timer = setInterval(() => response.write("."), 20)
        response.on("close", () => clearInterval(timer))
      })
      const silent = yield* tcpTarget(() => {})
      const [one, other, third] = yield* Effect.all([
        lookAt({ url: hanging }, { timeoutMs: 300 }),
        lookAt({ url: dripping, keyword: "x" }, { timeoutMs: 300 }),
        lookAt({ url: `https://127.0.0.1:${silent}` }, { timeoutMs: 300 })
      ], { concurrency: "unbounded" })
      expect(one).toMatchObject({
        outcome: "down",
        cause: "timeout",
        error: "Connected, but no response within 300 ms",
        statusCode: null,
        latencyMs: null
      })
      expect(other).toMatchObject({
        outcome: "down",
        cause: "timeout",
        error: expect.stringMatching(/^The response body did not complete within 300 ms: \d+ bytes? arrived$/),
        statusCode: 200
      })
      expect(third).toMatchObject({ cause: "timeout", error: "The TLS handshake with 127.0.0.1 did not complete within 300 ms" })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("distinguishes refused connections, resets and invalid responses", () =>
    Effect.gen(function*() {
      const free = yield* Effect.scoped(tcpTarget(() => {}))
      expect(yield* lookAt({ url: `http://127.0.0.1:${free}` })).toMatchObject({
        outcome: "down",
        cause: "connect_refused",
        error: `The connection to 127.0.0.1:${free} was refused`
      })
      const resetting = yield* tcpTarget((socket) => socket.on("data", () => socket.resetAndDestroy()))
      expect(yield* lookAt({ url: `http://127.0.0.1:${resetting}` })).toMatchObject({
        cause: "protocol_error",
        error: "The connection was reset before a response arrived"
      })
      const closing = yield* tcpTarget((socket) => socket.end())
      expect(yield* lookAt({ url: `https://127.0.0.1:${closing}` })).toMatchObject({ cause: "tls_error" })
      const babbling = yield* tcpTarget((socket) => socket.end("SSH-2.0-OpenSSH_9.7\r\n"))
      expect(yield* lookAt({ url: `http://127.0.0.1:${babbling}` })).toMatchObject({
        outcome: "down",
        cause: "protocol_error",
        error: "Not HTTP: the response begins with \"SSH-2.0-OpenSSH_9.7\""
      })
      expect(yield* lookAt({ url: `https://127.0.0.1:${babbling}` })).toMatchObject({
        outcome: "down",
        cause: "tls_error",
        error: "The port does not speak TLS"
      })
      const shortened = yield* tcpTarget((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort"))
      expect(yield* lookAt({ url: `http://127.0.0.1:${shortened}` })).toMatchObject({
        cause: "protocol_error",
        error: "The connection was closed before the body was complete: got 5 of 100 bytes"
      })
      const switching = yield* tcpTarget((socket) =>
        socket.on("data", () => socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"))
      )
      expect(yield* lookAt({ url: `http://127.0.0.1:${switching}` })).toMatchObject({ outcome: "down", cause: "protocol_error" })
      const flooding = yield* tcpTarget((socket) =>
        socket.on("data", () => socket.end(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(270_000)}\r\n\r\n`))
      )
      expect(yield* lookAt({ url: `http://127.0.0.1:${flooding}` })).toMatchObject({
        cause: "protocol_error",
        error: "The response headers are larger than 256 KiB"
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("closes its connection when interrupted", () =>
    Effect.gen(function*() {
      let left = (): void => {}
      const gone = new Promise<void>((resolve) => (left = resolve))
      let arrived = (): void => {}
      const there = new Promise<void>((resolve) => (arrived = resolve))
      const url = yield* httpTarget((request) => {
        request.socket.on("close", left)
        arrived()
      })
      const fiber = yield* Effect.fork(lookAt({ url }))
      yield* Effect.promise(() => there)
      yield* fiber.interruptAsFork(fiber.id())
      yield* Effect.promise(() => gone)
    }).pipe(Effect.provide(probing())))

  it.live("reports a monitor that it cannot check, without revealing its secrets", () =>
    Effect.gen(function*() {
      const url = "http://127.0.0.1:1/"
      expect(yield* lookAt({ url }, { secrets: { headers: { "bad name": "x" } } })).toMatchObject({
        cause: "internal_error",
        error: "\"bad name\" is not a valid header name"
      })
      expect(yield* lookAt({ url, expectedStatus: "ok" })).toMatchObject({ outcome: "down" })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("reports a defect during the check, and does not crash the process", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => response.end("fine"))
      const broken = {
        ...(yield* tools),
        now: () => {
          throw new Error("no clock")
        }
      }
      const seen = yield* Effect.async<ProbeExit>((resume) => {
        startProbe(assignmentOf({ url }), broken, (one) => resume(Effect.succeed(one)))
      })
      expect(Either.getLeft(seen)).toEqual(Option.some(new Error("no clock")))
      const unreadable = assignmentOf({ url, assertions: null! })
      expect(yield* probeOnce(unreadable)).toMatchObject({ outcome: "down", cause: "internal_error" })
    }).pipe(Effect.provide(probing())))
})
