/** The message of a failed http check: it has to be enough for somebody who is woken by it. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { gzipSync } from "node:zlib"
import type { HttpTarget } from "../../schema/monitor/kinds/http.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentOf } from "../support/probe/Assignments.ts"
import { httpTarget, makeCertificates, probing, tcpTarget, tlsTarget } from "../support/targets/LocalTargets.ts"

const lookAt = (target: Partial<HttpTarget> & { readonly url: string }, timeoutMs = 5000) =>
  probeOnce(assignmentOf(target, { timeoutMs }))

const answering = (answer: string) =>
  Effect.map(tcpTarget((socket) => socket.once("data", () => socket.end(answer))), (port) => `http://127.0.0.1:${port}/`)

/** Answers, and then neither sends more nor closes. */
const stopping = (answer: string) =>
  Effect.map(tcpTarget((socket) => socket.once("data", () => socket.write(answer))), (port) => `http://127.0.0.1:${port}/`)

/** Answers, and resets the connection as soon as that has arrived. */
const resetting = (answer: string) =>
  Effect.map(
    tcpTarget((socket) => socket.once("data", () => socket.write(answer, () => setTimeout(() => socket.resetAndDestroy(), 50)))),
    (port) => `http://127.0.0.1:${port}/`
  )

const page = "<!doctype html><html><head><title>Sign in &amp; go</title><style>p{}</style></head>" +
  "<body><script>let a = '<p>'</script><h1>Welcome back</h1><p>Please sign in</p></body></html>"

describe("the error of a failed http check", () => {
  it.scopedLive("names the redirect that led to a closed port", () =>
    Effect.gen(function*() {
      const closed = yield* Effect.scoped(tcpTarget(() => {}))
      const url = yield* httpTarget((_, response) => response.writeHead(302, { location: `http://127.0.0.1:${closed}/x` }).end())
      expect(yield* lookAt({ url })).toMatchObject({
        cause: "connect_refused",
        error: `The connection to 127.0.0.1:${closed} was refused, after the redirect from ${url}/`
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("shows what came instead of the keyword, and from where", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((request, response) =>
        request.url === "/login" ? response.end(page) : response.writeHead(302, { location: "/login" }).end()
      )
      expect(yield* lookAt({ url, keyword: "Dashboard" })).toMatchObject({
        cause: "keyword",
        error: "Expected the body to contain \"Dashboard\", but it does not " +
          `(redirected to ${url}/login, title "Sign in & go", begins "Welcome back Please sign in")`
      })
      const empty = yield* httpTarget((_, response) => response.end())
      expect(yield* lookAt({ url: empty, keyword: "x" })).toMatchObject({
        error: "Expected the body to contain \"x\", but it does not (the body is empty)"
      })
      expect(yield* lookAt({ url: empty, method: "HEAD", keyword: "x" })).toMatchObject({
        error: "Expected the body to contain \"x\", but it does not (an answer to HEAD has no body; set method to GET)"
      })
      const app = yield* httpTarget((_, response) =>
        response.end("<!doctype html><title>Shop</title><body><div id=app></div><script>start()</script></body>")
      )
      expect(yield* lookAt({ url: app, keyword: "x" })).toMatchObject({
        error: "Expected the body to contain \"x\", but it does not (title \"Shop\", no visible text)"
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("gives the status its text and the first line of the body, also of a compressed one", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((request, response) => {
        if (request.url === "/html") return response.writeHead(502).end(page)
        if (request.url === "/gzip") {
          return response.writeHead(500, { "content-encoding": "gzip" }).end(gzipSync("\n\nout of disk\nat line 1"))
        }
        return response.writeHead(503).end("no healthy upstream\nretry later")
      })
      expect((yield* lookAt({ url })).error).toBe("Expected status 200-299, got 503 Service Unavailable: no healthy upstream")
      expect((yield* lookAt({ url: `${url}/html` })).error).toBe("Expected status 200-299, got 502 Bad Gateway: Sign in & go")
      expect((yield* lookAt({ url: `${url}/gzip` })).error).toBe(
        "Expected status 200-299, got 500 Internal Server Error: out of disk"
      )
    }).pipe(Effect.provide(probing())))

  it.scopedLive("masks the monitor's secrets in what it quotes", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((request, response) => response.writeHead(500).end(`bad key ${request.headers["x-key"]}`))
      const seen = yield* probeOnce(assignmentOf({ url }, { secrets: { headers: { "x-key": "s3cr3t-value" } } }))
      expect(seen.error).toBe("Expected status 200-299, got 500 Internal Server Error: bad key [hidden]")
    }).pipe(Effect.provide(probing())))

  it.scopedLive("says how far a response came before its connection ended", () =>
    Effect.gen(function*() {
      const head = "HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n"
      expect((yield* lookAt({ url: yield* answering(`${head}${"x".repeat(81)}`) })).error).toBe(
        "The connection was closed before the body was complete: got 81 of 5,000 bytes"
      )
      expect((yield* lookAt({ url: yield* resetting(head) })).error).toBe(
        "The connection was reset after the response headers, before the body"
      )
      expect((yield* lookAt({ url: yield* answering("HTTP/1.1 200 OK\r\nx: y\r\n") })).error).toBe(
        "The connection was closed before the response headers were complete, after 23 bytes"
      )
    }).pipe(Effect.provide(probing())))

  it.scopedLive("says how far a response came within the timeout", () =>
    Effect.gen(function*() {
      const head = "HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n"
      expect((yield* lookAt({ url: yield* stopping(`${head}twelve bytes`) }, 300)).error).toBe(
        "The response body did not complete within 300 ms: 12 of 5,000 bytes arrived"
      )
      expect((yield* lookAt({ url: yield* stopping("HTTP/1.1 200") }, 300)).error).toBe(
        "The response headers were incomplete after 300 ms: 12 bytes arrived"
      )
      expect((yield* lookAt({ url: yield* stopping("") }, 300)).error).toBe("Connected, but no response within 300 ms")
    }).pipe(Effect.provide(probing())))

  it.scopedLive("shows the URLs of a redirect loop", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((request, response) =>
        response.writeHead(302, { location: request.url === "/a" ? "/b" : "/a" }).end()
      )
      expect(yield* lookAt({ url: `${url}/start` })).toMatchObject({
        cause: "redirect_limit",
        error: `Redirect loop: ${url}/b, ${url}/a, ${url}/b`
      })
      const wandering = yield* httpTarget((request, response) =>
        response.writeHead(302, { location: `/${Number(request.url?.slice(1)) + 1}` }).end()
      )
      expect((yield* lookAt({ url: `${wandering}/0` })).error).toBe(
        `More than 10 redirects, the last from ${wandering}/10`
      )
    }).pipe(Effect.provide(probing())))

  it.scopedLive("says that a port speaks another protocol", () =>
    Effect.gen(function*() {
      const plain = yield* httpTarget((_, response) => response.end())
      expect((yield* lookAt({ url: plain.replace("http:", "https:") })).error).toBe("The port does not speak TLS")
      const ssh = yield* answering("SSH-2.0-OpenSSH_9.7 Debian-1\r\n")
      expect((yield* lookAt({ url: ssh })).error).toBe(
        "Not HTTP: the response begins with \"SSH-2.0-OpenSSH_9.7 Debian-1\""
      )
      const alert = yield* tcpTarget((socket) => socket.once("data", () => socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, 70]))))
      expect((yield* lookAt({ url: `http://127.0.0.1:${alert}` })).error).toBe(
        "Not HTTP: the port speaks TLS. Use https:// in the URL."
      )
      const encrypted = yield* tlsTarget(makeCertificates().good)
      expect(yield* lookAt({ url: `http://127.0.0.1:${encrypted}` })).toMatchObject({ cause: "protocol_error" })
    }).pipe(Effect.provide(probing())))
})

describe("a response that browsers accept", () => {
  it.scopedLive("may repeat its length, but not give two different ones", () =>
    Effect.gen(function*() {
      const twice = yield* answering("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nx: y\r\ncontent-length: 4\r\n\r\nfine")
      expect(yield* lookAt({ url: twice, keyword: "fine" })).toMatchObject({ outcome: "up", error: null })
      const different = yield* answering("HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\nfine!")
      expect(yield* lookAt({ url: different })).toMatchObject({ outcome: "down", cause: "protocol_error" })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("may have 100 KB of headers, of which the evidence keeps the beginning", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => {
        for (let index = 0; index < 20; index++) response.setHeader(`x-${index}`, "y".repeat(5000))
        response.end("fine")
      })
      const seen = yield* lookAt({ url, keyword: "fine" })
      expect(seen).toMatchObject({ outcome: "up", error: null })
      expect(JSON.stringify((yield* seen.evidence)!.responseHeaders).length).toBeLessThan(34_000)
    }).pipe(Effect.provide(probing())))

  it.scopedLive("is down if it claims an encoding that it does not have, also without a keyword", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("not gzip"))
      expect(yield* lookAt({ url })).toMatchObject({ cause: "protocol_error", error: "The body is not valid gzip data" })
      const good = yield* httpTarget((_, response) =>
        response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x".repeat(3_000_000)))
      )
      expect(yield* lookAt({ url: good })).toMatchObject({ outcome: "up" })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("may set cookies that the next hop needs, and they stay with their host", () =>
    Effect.gen(function*() {
      let strangerGot: string | undefined
      const stranger = yield* httpTarget((request, response) => {
        strangerGot = request.headers.cookie
        response.end("elsewhere")
      })
      const url = yield* httpTarget((request, response) => {
        const consented = request.headers.cookie?.includes("consent=yes") === true
        if (request.url === "/leave") {
          return response.writeHead(302, {
            "set-cookie": "consent=yes; Path=/",
            location: stranger.replace("127.0.0.1", "other.example")
          })
            .end()
        }
        return consented
          ? response.end(`own ${request.headers.cookie}`)
          : response.writeHead(302, { "set-cookie": "consent=yes; Path=/; HttpOnly", location: "/" }).end()
      })
      const seen = yield* probeOnce(
        assignmentOf({ url, keyword: "own mine=1; consent=yes" }, { secrets: { headers: { cookie: "mine=1" } } })
      )
      expect(seen).toMatchObject({ outcome: "up", error: null })
      expect(yield* lookAt({ url: `${url}/leave`, keyword: "elsewhere" })).toMatchObject({ outcome: "up" })
      expect(strangerGot).toBeUndefined()
    }).pipe(Effect.provide(probing({ resolve: (_, done) => done(null, [{ address: "127.0.0.1", family: 4 }]) }))))
})
