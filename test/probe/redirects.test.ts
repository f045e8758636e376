/** Redirects: followed within limits, vetted at each hop, and without sending credentials to other origins. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { IncomingHttpHeaders, RequestListener } from "node:http"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentOf } from "../support/probe/Assignments.ts"
import { httpTarget, probing } from "../support/targets/LocalTargets.ts"

interface Received {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Remembers the last request that was not answered with a redirect. */
const recorder = () => {
  let last: Received | null = null
  const listener: RequestListener = (request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += chunk))
    request.on("end", () => {
      last = { method: request.method ?? "", headers: request.headers, body }
      response.end("arrived")
    })
  }
  return { listener, last: () => last! }
}

const secrets = {
  headers: { authorization: "Bearer 0123456789", cookie: "a=b", "x-key": "mine", "content-type": "text/plain" },
  body: "hello"
}

describe("redirects", () => {
  it.scopedLive("are followed, and shown in the evidence", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((request, response) =>
        request.url === "/end"
          ? response.end("here")
          : response.writeHead(302, { location: request.url === "/" ? "/middle" : "end" }).end()
      )
      const seen = yield* probeOnce(assignmentOf({ url, keyword: "here" }))
      const evidence = yield* seen.evidence
      expect(seen).toMatchObject({ outcome: "up", statusCode: 200 })
      expect(evidence!.redirects).toEqual([{ statusCode: 302, url: `${url}/` }, { statusCode: 302, url: `${url}/middle` }])
      expect(evidence!.request.url).toBe(`${url}/end`)
    }).pipe(Effect.provide(probing())))

  it.scopedLive("are not followed if the monitor disables them", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => response.writeHead(301, { location: "/elsewhere" }).end())
      expect(yield* probeOnce(assignmentOf({ url, followRedirects: false, expectedStatus: "301" }))).toMatchObject({
        outcome: "up",
        statusCode: 301
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("stop after ten", () =>
    Effect.gen(function*() {
      let requests = 0
      const url = yield* httpTarget((request, response) => {
        requests++
        response.writeHead(302, { location: request.url }).end()
      })
      expect(yield* probeOnce(assignmentOf({ url }))).toMatchObject({
        outcome: "down",
        cause: "redirect_limit",
        statusCode: 302,
        error: `Redirect loop: ${url}/, ${url}/`
      })
      expect(requests).toBe(11)
    }).pipe(Effect.provide(probing())))

  it.scopedLive("share one time limit", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => setTimeout(() => response.writeHead(302, { location: "/" }).end(), 150))
      expect(yield* probeOnce(assignmentOf({ url }, { timeoutMs: 400 }))).toMatchObject({
        cause: "timeout",
        error: `Connected, but no response within 400 ms, after the redirect from ${url}/`
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("to an address that is not allowed are blocked", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) =>
        response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end()
      )
      expect(yield* probeOnce(assignmentOf({ url }))).toMatchObject({
        outcome: "down",
        cause: "blocked_target",
        error: `169.254.169.254 is not a public address, after the redirect from ${url}/; ` +
          "to allow it, add it to BELLTOWER_ALLOW_TARGETS"
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("to other kinds of URL are not followed", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end())
      expect(yield* probeOnce(assignmentOf({ url }))).toMatchObject({ outcome: "down", cause: "protocol_error" })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("keep credentials within an origin and drop them across origins", () =>
    Effect.gen(function*() {
      const stranger = recorder()
      const strangerUrl = yield* httpTarget(stranger.listener)
      const own = recorder()
      const url = yield* httpTarget((request, response) =>
        request.url === "/stay"
          ? response.writeHead(307, { location: "/end" }).end()
          : request.url === "/leave"
          ? response.writeHead(307, { location: strangerUrl }).end()
          : own.listener(request, response)
      )
      yield* probeOnce(assignmentOf({ url: `${url}/stay`, method: "POST" }, { secrets }))
      expect(own.last()).toMatchObject({
        method: "POST",
        body: "hello",
        headers: { authorization: "Bearer 0123456789", "x-key": "mine" }
      })
      yield* probeOnce(assignmentOf({ url: `${url}/leave`, method: "POST" }, { secrets }))
      expect(stranger.last()).toMatchObject({ method: "POST", body: "hello", headers: { "content-type": "text/plain" } })
      for (const name of ["authorization", "cookie", "x-key"]) expect(stranger.last().headers[name]).toBeUndefined()
    }).pipe(Effect.provide(probing())))

  it.scopedLive("turn a POST into a GET, as browsers do", () =>
    Effect.gen(function*() {
      const end = recorder()
      const url = yield* httpTarget((request, response) => {
        const status = Number(request.url!.slice(1))
        return status === 0 ? end.listener(request, response) : response.writeHead(status, { location: "/0" }).end()
      })
      for (const [status, method] of [[301, "GET"], [302, "GET"], [303, "GET"], [307, "POST"], [308, "POST"]] as const) {
        yield* probeOnce(assignmentOf({ url: `${url}/${status}`, method: "POST" }, { secrets }))
        expect([status, end.last().method, end.last().body]).toEqual([status, method, method === "GET" ? "" : "hello"])
      }
      yield* probeOnce(assignmentOf({ url: `${url}/303`, method: "HEAD" }))
      expect(end.last().method).toBe("HEAD")
    }).pipe(Effect.provide(probing())))
})
