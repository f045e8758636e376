/** Targets that fail in one way each: what scripted outages are made of. All are real servers on loopback. */
import { Effect } from "effect"
import type { Scope } from "effect"
import type { RequestListener } from "node:http"
import type { Socket } from "node:net"
import { gzipSync } from "node:zlib"
import type { Cause } from "../../../schema/check/Check.ts"
import type { HttpTarget } from "../../../schema/monitor/kinds/http.ts"
import type { MonitorState } from "../../../schema/monitor/Monitor.ts"
import type { Resolve } from "../../../src/egress/Resolver.ts"
import { type Credentials, httpsTarget, httpTarget, makeCertificates, tcpTarget, tlsTarget } from "./LocalTargets.ts"

/** The URL of a target that runs as long as the scope. */
export type Faulty = Effect.Effect<string, never, Scope.Scope>

/** A fault, its target, the state, the cause and the error. In the error, <url> is the target's URL and <port> any port. */
export type Fault = readonly [
  fault: string,
  target: Faulty,
  state: MonitorState,
  cause: Cause | null,
  error: string | null,
  settings?: Partial<HttpTarget>
]

export const certificates = makeCertificates()

/** An HTTP server with a path. */
export const http = (listener: RequestListener, path = "/"): Faulty => Effect.map(httpTarget(listener), (url) => url + path)

export const status = (code: number, body = "", headers: Record<string, string> = {}): Faulty =>
  http((_, response) => response.writeHead(code, headers).end(body))

/** A TCP server at which each connection is treated like this. */
export const socket = (onConnection: (socket: Socket) => void): Faulty =>
  Effect.map(tcpTarget(onConnection), (port) => `http://127.0.0.1:${port}/`)

/** Sends these bytes for any request and closes. */
export const bytes = (answer: string | Uint8Array): Faulty => socket((one) => one.once("data", () => one.end(answer)))

/** Sends these bytes and then nothing more. */
export const stuck = (answer: string): Faulty => socket((one) => one.once("data", () => one.write(answer)))

/** Sends these bytes, and resets the connection once they have arrived. */
export const reset = (answer: string): Faulty =>
  socket((one) =>
    one.once("data", () => {
      const end = () => setTimeout(() => one.resetAndDestroy(), 50)
      if (answer === "") end()
      else one.write(answer, end)
    })
  )

const secure = (from: Faulty): Faulty => Effect.map(from, (url) => url.replace("http:", "https:"))

/** A port that nothing listens on. */
export const closed: Faulty = Effect.map(Effect.scoped(tcpTarget(() => {})), (port) => `http://127.0.0.1:${port}/`)

export const redirectTo = (target: Faulty): Faulty => Effect.flatMap(target, (location) => status(302, "", { location }))

/** A chain of redirects: each path leads to the next one. */
export const redirects = (next: (path: string) => string, from: string): Faulty =>
  http((request, response) => response.writeHead(302, { location: next(request.url ?? "") }).end(), from)

/** Lets nobody in without the cookie that it sets. */
export const consentWall: Faulty = http((request, response) =>
  request.headers.cookie === "consent=yes"
    ? response.end("Welcome")
    : response.writeHead(302, { "set-cookie": "consent=yes; Path=/; HttpOnly", location: request.url ?? "/" }).end()
)

export const https = (credentials: Credentials, body = "fine"): Faulty =>
  Effect.map(httpsTarget(credentials, (_, response) => response.end(body)), (url) => `${url}/`)

/** Accepts connections and never says anything. A server for each use: they run at the same time. */
export const silent: Faulty = Effect.suspend(() => socket(() => {}))
export const silentTls: Faulty = secure(silent)

export const plainOnTlsPort: Faulty = secure(status(200))
export const tlsOnPlainPort: Faulty = Effect.map(tlsTarget(certificates.good), (port) => `http://127.0.0.1:${port}/`)

/** Answers after a while. */
export const late = (ms: number): Faulty => http((_, response) => setTimeout(() => response.end("late"), ms))

export const gzipped = (text: string): Faulty =>
  http((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(text)))

/** Headers of so many KB together. */
export const headersOf = (kb: number): Faulty =>
  http((_, response) => {
    for (let index = 0; index < kb / 5; index++) response.setHeader(`x-${index}`, "y".repeat(5000))
    response.end("fine")
  })

/** Names with a fault each; all others are this machine. */
export const faultyNames: Resolve = (host, done) => {
  if (host === "silent.example") return
  if (host === "missing.example") return done("ENOTFOUND", [])
  if (host === "broken.example") return done("ESERVFAIL", [])
  if (host === "empty.example") return done(null, [])
  if (host === "inside.example") return done(null, [{ address: "10.0.0.8", family: 4 }])
  done(null, [{ address: "127.0.0.1", family: 4 }])
}
