/** Every kind that speaks TLS treats certificates alike; browsers have a test of their own. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Scope } from "effect"
import { createServer as createTlsServer } from "node:tls"
import type { TlsOptions } from "node:tls"
import { afterAll } from "vitest"
import type { ProbeTarget } from "../../schema/monitor/kinds.ts"
import type { TlsTarget } from "../../schema/monitor/TlsSettings.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentTo } from "../support/probe/Assignments.ts"
import { openWorkshop, sending } from "../support/targets/CertificateWorkshop.ts"
import { grpcServer } from "../support/targets/GrpcServer.ts"
import { type Credentials, httpsTarget, listening, probing } from "../support/targets/LocalTargets.ts"
import { webSocketTarget } from "../support/targets/WebSocketTarget.ts"

const { close, make } = openWorkshop()
afterAll(close)

const altName = "IP:127.0.0.1"
const authority = make({ name: "Authority", isAuthority: true })
const good = sending(make({ name: "good", by: authority, altName }))
const own = sending(make({ name: "own", altName }))
const expired = sending(make({ name: "expired", by: authority, altName, from: -20, to: -2 }))
const me = make({ name: "me", by: authority })

type Serve = (credentials: Credentials & TlsOptions) => Effect.Effect<string, never, Scope.Scope>

const none = { degradedAfterMs: null, sslExpiryDays: null }
const manifest = JSON.stringify({ components: [{ id: "api", name: "API", status: "operational" }] })

const serveHttp: Serve = (credentials) => httpsTarget(credentials, (_, response) => response.end("fine"))

/** For each kind a server, and a target at its URL. */
const kinds: ReadonlyArray<readonly [string, Serve, (url: URL) => ProbeTarget]> = [
  [
    "http",
    serveHttp,
    ({ href }) => ({
      kind: "http",
      url: href,
      method: "GET",
      followRedirects: true,
      expectedStatus: "200-299",
      keyword: "fine",
      keywordAbsent: null,
      assertions: [],
      ...none
    })
  ],
  [
    "manifest",
    (credentials) => httpsTarget(credentials, (_, response) => response.end(manifest)),
    ({ href }) => ({ kind: "manifest", url: href, ...none })
  ],
  [
    "tcp",
    (credentials) => {
      const server = createTlsServer(credentials, (socket) => socket.on("error", () => {}).resume())
      server.on("tlsClientError", () => {})
      return Effect.map(listening(server), (port) => `https://127.0.0.1:${port}`)
    },
    ({ port }) => ({ kind: "tcp", host: "127.0.0.1", port: Number(port), tls: true, assertions: [], ...none })
  ],
  [
    "grpc",
    (credentials) => Effect.map(grpcServer(() => ({ serving: 1 }), credentials), ({ port }) => `https://127.0.0.1:${port}`),
    ({ port }) => ({ kind: "grpc", host: "127.0.0.1", port: Number(port), tls: true, service: "", ...none })
  ],
  [
    "websocket",
    (credentials) => Effect.map(webSocketTarget(() => {}, credentials), (url) => url.replace("wss:", "https:")),
    ({ href }) => ({ kind: "websocket", url: href.replace("https:", "wss:"), keyword: null, ...none })
  ],
  [
    "script",
    serveHttp,
    ({ href }) => ({ kind: "script", code: `assert.equal((await http.get("${href}")).body, "fine")`, degradedAfterMs: null })
  ]
]

describe.each(kinds)("a check of kind %s", (kind, serve, targetAt) => {
  const lookAt = (url: string, tls: TlsTarget = {}, clientKey: string | null = null) =>
    probeOnce(assignmentTo({ ...targetAt(new URL(url)), ...tls }, { timeoutMs: 10_000, secrets: { clientKey } }))

  it.scopedLive("is down with a certificate that browsers refuse, unless it is to be accepted", () =>
    Effect.gen(function*() {
      for (
        const [credentials, error] of [[expired, /expired on/], [own, /is self-signed/], [good, /issuer is unknown/]] as const
      ) {
        const url = yield* serve(credentials)
        expect(yield* lookAt(url)).toMatchObject({ outcome: "down", cause: "tls_error", error: expect.stringMatching(error) })
        expect(yield* lookAt(url, { tlsVerify: false })).toMatchObject({ outcome: "up", error: null })
      }
      expect(yield* lookAt(yield* serve(good), { tlsCa: authority.cert })).toMatchObject({ outcome: "up" })
      expect(yield* lookAt(yield* serve(expired), { tlsCa: authority.cert })).toMatchObject({
        outcome: "down",
        cause: "tls_error"
      })
    }).pipe(Effect.provide(probing())), 120_000)

  // The server of the gRPC library takes no settings of its handshake beside its certificate.
  it.scopedLive.skipIf(kind === "grpc")("shows its own certificate to a server that asks for one", () =>
    Effect.gen(function*() {
      const url = yield* serve({ ...good, requestCert: true, ca: authority.cert, maxVersion: "TLSv1.2" })
      const trusted = { tlsCa: authority.cert }
      expect(yield* lookAt(url, { ...trusted, clientCertificate: me.cert }, me.key)).toMatchObject({ outcome: "up" })
      expect(yield* lookAt(url, trusted)).toMatchObject({
        outcome: "down",
        cause: "tls_error",
        error: expect.stringContaining("client certificate")
      })
    }).pipe(Effect.provide(probing())), 120_000)
})
