/** Whose request it is, by Host and Origin: one host for each request, and only pages of the configured hosts write. */
import { describe, expect, it, layer } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { type IncomingHttpHeaders, request } from "node:http"
import { connect } from "node:net"
import { makeServedHosts } from "../../src/domain/access/ServedHosts.ts"
import { ServerAddress } from "../../src/http/server/ServeApp.ts"
import { newOwner } from "../support/browser/Visitor.ts"
import { freePort } from "../support/network/FreePort.ts"
import { programBaseUrl, programOf } from "../support/program/Program.ts"

/** The server's answer to bytes, until it closes the connection or the text is complete. */
const answerTo = (port: number, bytes: string) =>
  Effect.async<{ readonly text: string; readonly closed: boolean }>((resume) => {
    let text = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
    const done = (closed: boolean) => {
      socket.destroy()
      resume(Effect.succeed({ text, closed }))
    }
    socket.on("data", (data) => {
      text += data.toString()
      // The second request of a pipeline, or its absence, shows whether the connection goes on.
      if (text.includes("second")) done(false)
    })
    socket.on("end", () => done(true))
    socket.on("error", () => done(true))
  })

const pipelined = (head: string) => `${head}\r\n\r\nGET /second HTTP/1.1\r\nHost: belltower.test\r\nConnection: close\r\n\r\n`

interface Sent {
  readonly method?: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: string
}

/** A request with a Host of its own, which `fetch` would replace. */
const send = Effect.fn("send")(function*({ body, headers, method = "POST", path }: Sent) {
  const { host, port } = yield* ServerAddress
  return yield* Effect.async<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }>(
    (resume) => {
      const sent = request({ host, port, path, method, headers }, (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () =>
          resume(Effect.succeed({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString("utf8")
          })))
      })
      sent.end(body)
    }
  )
})

const form = "application/x-www-form-urlencoded"

describe("the configured hosts", () => {
  const { isOwnOrigin, serves } = makeServedHosts("https://belltower.example", ["Status.example", "*.agents.example"])

  it("are the public address, the added names, addresses and local names", () => {
    for (
      const host of ["belltower.example", "status.example:8443", "a.agents.example", "10.0.0.7:8080", "[::1]:8080", "localhost"]
    ) {
      expect([host, serves(host)]).toEqual([host, true])
    }
    for (
      const host of ["evil.example", "agents.example", "belltower.example.evil.example", "127.0.0.1.evil.example", "", undefined]
    ) {
      expect([host, serves(host)]).toEqual([host, false])
    }
  })

  it("have one origin at the public address, and that of the request elsewhere", () => {
    expect(isOwnOrigin("https://belltower.example", "127.0.0.1:8080")).toBe(true)
    expect(isOwnOrigin("https://status.example", "status.example")).toBe(true)
    // Whoever can change what the network carries serves this page.
    expect(isOwnOrigin("http://belltower.example", "belltower.example")).toBe(false)
    expect(isOwnOrigin("https://status.example:444", "status.example")).toBe(false)
    expect(isOwnOrigin("http://evil.example:8080", "evil.example:8080")).toBe(false)
    expect(isOwnOrigin("null", "belltower.example")).toBe(false)
  })

  it.prop("take no origin of another name, whatever the Host says", [fc.domain()], ([name]) => {
    fc.pre(name !== "belltower.example" && name !== "status.example" && !name.endsWith(".agents.example"))
    expect(isOwnOrigin(`https://${name}`, name)).toBe(false)
    expect(isOwnOrigin(`https://${name}`, "belltower.example")).toBe(false)
  })
})

layer(programOf({ BELLTOWER_ALLOWED_HOSTS: "status.lan" }), { excludeTestServices: true, timeout: "120 seconds" })(
  "a request",
  (it) => {
    it.effect("with two Hosts is refused before anything else, and its connection ends", () =>
      Effect.gen(function*() {
        const { port } = yield* ServerAddress
        // Before the router, in each lane, and behind it.
        for (const path of ["/healthz", "/hb/token", "/s/acme", "/api/v1/public/pages/acme", "/app", "/mcp", "/"]) {
          for (const second of ["Host: evil.example", "hOST: belltower.test", "Host:"]) {
            const { closed, text } = yield* answerTo(port, pipelined(`GET ${path} HTTP/1.1\r\nHost: belltower.test\r\n${second}`))
            expect([path, second, /^HTTP\/1\.1 (\d+)/.exec(text)?.[1], closed]).toEqual([path, second, "400", true])
            expect(text).toContain("more than one Host header")
          }
        }
      }))

    it.effect("with a Host that is none is refused; one of HTTP/1.0 needs none", () =>
      Effect.gen(function*() {
        const { port } = yield* ServerAddress
        for (const host of ["belltower.test, evil.example", "evil.example@belltower.test", "belltower.test/x", "a b"]) {
          const { text } = yield* answerTo(port, pipelined(`GET /healthz HTTP/1.1\r\nHost: ${host}`))
          expect([host, /^HTTP\/1\.1 (\d+)/.exec(text)?.[1]]).toEqual([host, "400"])
        }
        const { text } = yield* answerTo(port, "GET /healthz HTTP/1.0\r\n\r\n")
        expect(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]).toBe("200")
        for (const host of ["belltower.test", "belltower.test:8080", "127.0.0.1", "[::1]:8080", "a_b.example"]) {
          const answered = yield* answerTo(port, `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
          expect([host, /^HTTP\/1\.1 (\d+)/.exec(answered.text)?.[1]]).toEqual([host, "200"])
        }
      }))

    it.effect("of a page under a name that a stranger points here writes nothing with a session", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
        const { port } = yield* ServerAddress
        const host = `evil.example:${port}`
        const rebound = [
          { host, origin: `http://${host}` },
          { host, origin: `http://${host}`, "sec-fetch-site": "same-origin" },
          { host, "sec-fetch-site": "same-origin" },
          { host: `127.0.0.1:${port}`, origin: `http://${host}` },
          // The name of the service without TLS, where it has TLS.
          { host: "belltower.test", origin: "http://belltower.test" }
        ]
        const statuses = (headers: Record<string, string>) =>
          Effect.gen(function*() {
            const json = { ...headers, cookie, "content-type": "application/json" }
            const posted = { ...headers, cookie, "content-type": form }
            const answers = yield* Effect.all([
              send({ method: "PATCH", path: "/api/v1/workspace", headers: json, body: JSON.stringify({ name: "x" }) }),
              send({ path: "/app/do/create_my_workspace", headers: posted, body: "_form=f&_back=/app/workspaces&name=x" }),
              send({ path: "/app/theme", headers: posted, body: "theme=dark" }),
              send({ path: "/sign-in", headers: posted, body: "email=ada@example.com" }),
              send({ path: "/sign-out", headers: posted })
            ])
            return answers.map(({ status }) => status)
          })
        for (const headers of rebound) expect([headers, yield* statuses(headers)]).toEqual([headers, [403, 403, 403, 403, 403]])
        expect((yield* visitor.api("GET", "/me")).status).toBe(200)
      }))

    it.effect("of a page at a configured host writes", () =>
      Effect.gen(function*() {
        const { port } = yield* ServerAddress
        const { visitor } = yield* newOwner()
        const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
        const own = [
          { host: `127.0.0.1:${port}`, origin: programBaseUrl },
          { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` },
          { host: `localhost:${port}`, origin: `http://localhost:${port}`, "sec-fetch-site": "same-origin" },
          { host: "status.lan", origin: "https://status.lan", "sec-fetch-site": "same-origin" },
          { host: "status.lan", "sec-fetch-site": "same-origin" }
        ]
        for (const headers of own) {
          const answer = yield* send({
            method: "PATCH",
            path: "/api/v1/workspace",
            headers: { ...headers, cookie, "content-type": "application/json" },
            body: JSON.stringify({ name: "Acme" })
          })
          expect([headers, answer.status]).toEqual([headers, 200])
        }
      }))
  }
)

it.scopedLive("the port of the metrics refuses two Hosts, too", () =>
  Effect.gen(function*() {
    const port = yield* freePort
    yield* Effect.provide(
      Effect.gen(function*() {
        const { text } = yield* answerTo(port, pipelined("GET /metrics HTTP/1.1\r\nHost: a\r\nHost: b"))
        expect(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]).toBe("400")
      }),
      programOf({ BELLTOWER_METRICS_PORT: String(port) })
    )
  }), 60_000)
