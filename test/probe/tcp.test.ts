/** The tcp check against real ports: open, closed, silent, encrypted with good and bad certificates, and forbidden. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { TcpTarget } from "../../schema/monitor/kinds/tcp.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentTo } from "../support/probe/Assignments.ts"
import { makeCertificates, probing, tcpTarget, tlsTarget } from "../support/targets/LocalTargets.ts"
import { until } from "../support/time/Until.ts"

const certificates = makeCertificates()
const trusting = probing({ authorities: certificates.authority })

const tcp = (port: number, rest: Partial<TcpTarget> = {}): TcpTarget => ({
  kind: "tcp",
  host: "127.0.0.1",
  port,
  tls: false,
  degradedAfterMs: null,
  sslExpiryDays: null,
  assertions: [],
  ...rest
})

const lookAt = (target: TcpTarget, timeoutMs = 5000) => probeOnce(assignmentTo(target, { timeoutMs }))

describe("a tcp check", () => {
  it.scopedLive("is up when the port accepts a connection, which it closes again", () =>
    Effect.gen(function*() {
      let closed = 0
      const port = yield* tcpTarget((socket) => socket.on("close", () => closed++).resume())
      const seen = yield* lookAt(tcp(port))
      expect(seen).toMatchObject({ outcome: "up", cause: null, error: null, statusCode: null })
      expect(seen.timings).toMatchObject({ dnsMs: null, tlsMs: null, firstByteMs: null })
      expect(seen.timings!.connectMs).toBeGreaterThanOrEqual(0)
      expect(yield* seen.evidence).toMatchObject({
        request: { method: "CONNECT", url: `tcp://127.0.0.1:${port}` },
        remoteAddress: "127.0.0.1",
        certificate: null
      })
      yield* until(Effect.sync(() => closed), (count) => count === 1)
    }).pipe(Effect.provide(probing())))

  it.scopedLive("reports a refused connection", () =>
    Effect.gen(function*() {
      const port = yield* Effect.scoped(tcpTarget(() => {}))
      expect(yield* lookAt(tcp(port))).toMatchObject({
        outcome: "down",
        cause: "connect_refused",
        error: `The connection to 127.0.0.1:${port} was refused`,
        latencyMs: null
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("reports a name that does not resolve, and one that takes too long", () =>
    Effect.gen(function*() {
      expect(yield* lookAt(tcp(80, { host: "nowhere.example" }))).toMatchObject({
        cause: "dns_error",
        error: "nowhere.example has no address in DNS (ENOTFOUND)"
      })
      expect(yield* lookAt(tcp(80, { host: "slow.example" }), 200)).toMatchObject({
        cause: "dns_error",
        error: "The DNS lookup of slow.example took longer than 200 ms"
      })
    }).pipe(Effect.provide(probing({
      resolve: (host, done) => {
        if (host === "nowhere.example") done("ENOTFOUND", [])
      }
    }))))

  it.scopedLive("is degraded when a connection takes too long, or when an assertion of that severity fails", () =>
    Effect.gen(function*() {
      const port = yield* tcpTarget((socket) => socket.resume())
      const assertions = [{ source: "latency", op: "lt", value: 0, severity: "degraded" }] as const
      const seen = yield* lookAt(tcp(port, { assertions }))
      expect(seen).toMatchObject({ outcome: "degraded", cause: "assertion" })
      expect((yield* seen.evidence)!.assertions).toMatchObject([{ index: 0, passed: false }])
      expect(yield* lookAt(tcp(port, { degradedAfterMs: 0 }))).toMatchObject({
        outcome: "degraded",
        cause: "slow",
        error: expect.stringMatching(/^Expected a connection within 0 ms, but it took \d+ ms$/)
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("shakes hands if asked, keeps the certificate, and warns before it expires", () =>
    Effect.gen(function*() {
      const port = yield* tlsTarget(certificates.expiring)
      const seen = yield* lookAt(tcp(port, { tls: true }))
      expect(seen).toMatchObject({ outcome: "up", error: null })
      expect(seen.timings!.tlsMs).toBeGreaterThan(0)
      expect(yield* seen.evidence).toMatchObject({
        request: { method: "CONNECT", url: `tls://127.0.0.1:${port}` },
        certificate: { subject: "CN=expiring", daysLeft: 5, authorized: true }
      })
      expect(yield* lookAt(tcp(port, { tls: true, sslExpiryDays: 14 }))).toMatchObject({
        outcome: "degraded",
        cause: "ssl_expiry",
        error: expect.stringMatching(/^The TLS certificate of 127\.0\.0\.1 expires on .*, in 5 days; expected more than 14$/)
      })
      const assertions = [{ source: "ssl_days", op: "gt", value: 30 }] as const
      expect(yield* lookAt(tcp(port, { tls: true, assertions }))).toMatchObject({ outcome: "down", cause: "assertion" })
    }).pipe(Effect.provide(trusting)))

  for (const name of ["expired", "wrongHost", "selfSigned"] as const) {
    it.scopedLive(`is down with a bad certificate (${name}), and keeps it as evidence`, () =>
      Effect.gen(function*() {
        const port = yield* tlsTarget(certificates[name])
        const seen = yield* lookAt(tcp(port, { tls: true }))
        expect(seen).toMatchObject({
          outcome: "down",
          cause: "tls_error",
          error: expect.stringContaining("127.0.0.1")
        })
        expect((yield* seen.evidence)!.certificate).toMatchObject({ authorized: false, subject: `CN=${name}` })
      }).pipe(Effect.provide(trusting)))
  }

  it.scopedLive("tells a port without TLS from one that never finishes the handshake", () =>
    Effect.gen(function*() {
      const plain = yield* tcpTarget((socket) => socket.end("220 mail.example ESMTP ready\r\n"))
      expect(yield* lookAt(tcp(plain, { tls: true }))).toMatchObject({
        cause: "tls_error",
        error: "The port does not speak TLS"
      })
      const silent = yield* tcpTarget((socket) => socket.resume())
      expect(yield* lookAt(tcp(silent, { tls: true }), 300)).toMatchObject({
        cause: "timeout",
        error: "The TLS handshake with 127.0.0.1 did not complete within 300 ms"
      })
      const closing = yield* tcpTarget((socket) => socket.once("data", () => socket.end()))
      expect(yield* lookAt(tcp(closing, { tls: true }))).toMatchObject({
        cause: "tls_error",
        error: "The connection was closed during the TLS handshake"
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("reaches IPv6 addresses, with and without brackets", () =>
    Effect.gen(function*() {
      const port = yield* tcpTarget((socket) => socket.resume(), "::1")
      for (const host of ["::1", "[::1]"]) expect(yield* lookAt(tcp(port, { host }))).toMatchObject({ outcome: "up" })
    }).pipe(Effect.provide(probing())))
})
