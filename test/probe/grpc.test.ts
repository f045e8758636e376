/** The grpc check against a server of the reference implementation, and against ports that speak something else. */
import { describe, expect, it } from "@effect/vitest"
import { status } from "@grpc/grpc-js"
import { Effect } from "effect"
import * as fc from "fast-check"
import { createServer } from "node:http2"
import type { GrpcTarget } from "../../schema/monitor/kinds/grpc.ts"
import { healthQuestion, readHealthAnswer } from "../../src/domain/check/answer/GrpcVerdict.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentTo } from "../support/probe/Assignments.ts"
import { grpcServer } from "../support/targets/GrpcServer.ts"
import type { Health } from "../support/targets/GrpcServer.ts"
import { httpTarget, listening, makeCertificates, probing, tcpTarget } from "../support/targets/LocalTargets.ts"

type Rest = Parameters<typeof assignmentTo>[1]

const certificates = makeCertificates()

const lookAt = (port: number, more: Partial<GrpcTarget> = {}, rest: Rest = { timeoutMs: 5000 }) =>
  probeOnce(assignmentTo<GrpcTarget>({
    kind: "grpc",
    host: "127.0.0.1",
    port,
    tls: false,
    service: "",
    degradedAfterMs: null,
    sslExpiryDays: null,
    ...more
  }, rest))

const answers: Readonly<Record<string, Health>> = {
  "": { serving: 1 },
  "shop.v1.Orders": { serving: 1 },
  ill: { serving: 2 },
  undecided: { serving: 0 },
  broken: { code: status.UNAVAILABLE, details: "no connection to the database: 100 % lost" },
  hanging: null
}

const healthOf = (service: string): Health =>
  service in answers ? answers[service] ?? null : { code: status.NOT_FOUND, details: "unknown service" }

describe("a grpc check", () => {
  it.scopedLive("asks the health service about the server or one service, and says what it answers", () =>
    Effect.gen(function*() {
      const { asked, port } = yield* grpcServer(healthOf)
      const seen = yield* lookAt(port)
      expect(seen).toMatchObject({ outcome: "up", error: null, statusCode: 200, reached: "127.0.0.1" })
      expect(seen.timings).toMatchObject({ dnsMs: null, firstByteMs: expect.any(Number) })
      expect((yield* seen.evidence)!).toMatchObject({ body: "OK SERVING", remoteAddress: "127.0.0.1" })
      expect(yield* lookAt(port, { service: "shop.v1.Orders" })).toMatchObject({ outcome: "up" })
      const failures = [
        ["ill", "not_serving", "The health check says that the service ill is NOT_SERVING"],
        ["undecided", "not_serving", "The health check says that the service undecided is UNKNOWN"],
        ["nobody", "grpc_error", "The health check does not know the service nobody (NOT_FOUND)"],
        ["broken", "grpc_error", "The health check failed: UNAVAILABLE: no connection to the database: 100 % lost"]
      ] as const
      for (const [service, cause, error] of failures) {
        expect(yield* lookAt(port, { service })).toMatchObject({ outcome: "down", cause, error })
      }
      expect(asked.map(({ service }) => service)).toEqual(["", "shop.v1.Orders", "ill", "undecided", "nobody", "broken"])
    }).pipe(Effect.provide(probing())))

  it.scopedLive("ends at its timeout", () =>
    Effect.gen(function*() {
      const { port } = yield* grpcServer(healthOf)
      expect(yield* lookAt(port, { service: "hanging" }, { timeoutMs: 400 })).toMatchObject({
        outcome: "down",
        // The server may report the deadline first, which it was told.
        cause: expect.stringMatching(/^(?:timeout|grpc_error)$/)
      })
      const silent = yield* tcpTarget((socket) => socket.resume())
      expect(yield* lookAt(silent, {}, { timeoutMs: 300 })).toMatchObject({
        cause: "timeout",
        error: "Connected, but the health check was not answered within 300 ms"
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("sends metadata, and nothing to hosts that it does not trust", () =>
    Effect.gen(function*() {
      const good = yield* grpcServer(healthOf, certificates.good)
      const secrets = { headers: { Authorization: "Bearer 0123456789" } }
      expect(yield* lookAt(good.port, { tls: true }, { secrets })).toMatchObject({ outcome: "up" })
      expect(good.asked).toEqual([{ service: "", token: "Bearer 0123456789" }])
      const expiring = yield* grpcServer(healthOf, certificates.expiring)
      expect(yield* lookAt(expiring.port, { tls: true, sslExpiryDays: 14 })).toMatchObject({
        outcome: "degraded",
        cause: "ssl_expiry"
      })
      const expired = yield* grpcServer(healthOf, certificates.expired)
      for (const rest of [{}, { secrets }]) {
        expect(yield* lookAt(expired.port, { tls: true }, rest)).toMatchObject({ outcome: "down", cause: "tls_error" })
      }
      expect(expired.asked).toEqual([])
    }).pipe(Effect.provide(probing({ authorities: certificates.authority }))))

  it.scopedLive("says that a port speaks another protocol", () =>
    Effect.gen(function*() {
      const web = yield* httpTarget((_, response) => response.end("hello"))
      expect(yield* lookAt(Number(new URL(web).port))).toMatchObject({
        outcome: "down",
        cause: "protocol_error",
        error: expect.stringContaining("does not speak HTTP/2")
      })
      const closing = yield* tcpTarget((socket) => socket.once("data", () => socket.end()))
      expect(yield* lookAt(closing)).toMatchObject({ outcome: "down", cause: "protocol_error" })
      const closed = yield* Effect.scoped(tcpTarget(() => {}))
      expect(yield* lookAt(closed)).toMatchObject({ outcome: "down", cause: "connect_refused" })
      expect(yield* lookAt(Number(new URL(web).port), { tls: true })).toMatchObject({ cause: "tls_error" })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("tells a server without a health check, and an HTTP/2 server that is none of gRPC", () =>
    Effect.gen(function*() {
      const plain = createServer((request, response) => {
        if (request.headers["x-large"] !== undefined) response.end(Buffer.alloc(200_000))
        else response.writeHead(404).end("not here")
      })
      const port = yield* listening(plain)
      expect(yield* lookAt(port)).toMatchObject({ cause: "status", error: "Expected status 200 of a gRPC call, got 404" })
      expect(yield* lookAt(port, {}, { secrets: { headers: { "x-large": "1" } } })).toMatchObject({ cause: "body_too_large" })
      const { port: other } = yield* grpcServer(() => ({ code: status.UNIMPLEMENTED, details: "" }))
      expect(yield* lookAt(other)).toMatchObject({
        cause: "grpc_error",
        error: "The server has no health check (grpc.health.v1 is UNIMPLEMENTED)"
      })
    }).pipe(Effect.provide(probing())))

  it("reads any bytes as an answer or as none, and never fails", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const read = readHealthAnswer(Buffer.from(bytes))
      expect(read === null || Number.isSafeInteger(read)).toBe(true)
    }))
    const framed = (...message: ReadonlyArray<number>) => Buffer.from([0, 0, 0, 0, message.length, ...message])
    expect(readHealthAnswer(framed())).toBe(0)
    expect(readHealthAnswer(framed(8, 1))).toBe(1)
    // A field that is not known is passed over.
    expect(readHealthAnswer(framed(18, 2, 65, 66, 8, 2))).toBe(2)
    expect(readHealthAnswer(framed(8))).toBeNull()
    expect(healthQuestion("a".repeat(200)).length).toBe(5 + 3 + 200)
  })
})
