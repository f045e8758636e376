/** Access to the metrics. */
import { HttpServerRequest } from "@effect/platform"
import { expect, it, layer } from "@effect/vitest"
import { Effect, Either, Option, Redacted } from "effect"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { isPublicUrl } from "../../../src/domain/access/PublicName.ts"
import { mayReadMetrics, type MetricsPolicy } from "../../../src/http/server/MetricsAccess.ts"
import { programOf } from "../../support/program/Program.ts"
import { call } from "../../support/program/TestServer.ts"

it("a deployment is public when its own address is", () => {
  const local = [
    "http://localhost:8080",
    "http://127.0.0.1:8080",
    "http://[::1]",
    "http://10.1.2.3",
    "http://belltower:8080",
    "http://bell.internal",
    "http://status.local."
  ]
  for (const url of local) expect([url, isPublicUrl(url)]).toEqual([url, false])
  for (const url of ["https://status.example.com", "https://example.com.", "http://93.184.216.34", "http://[2606:4700::1]"]) {
    expect([url, isPublicUrl(url)]).toEqual([url, true])
  }
})

it.effect("metrics are open on a private deployment, need their token where one is set, and are closed to strangers", () =>
  Effect.gen(function*() {
    const outcome = (policy: Partial<MetricsPolicy>, authorization?: string) =>
      mayReadMetrics(
        { token: Option.none(), isPublic: false, elsewhere: false, ...policy },
        HttpServerRequest.fromWeb(
          new Request("http://x/metrics", { headers: authorization === undefined ? {} : { authorization } })
        )
      ).pipe(Effect.either, Effect.map(Either.match({ onLeft: ({ _tag }) => _tag, onRight: () => "open" })))
    const token = Option.some(Redacted.make("a token of the tests"))
    expect(yield* outcome({})).toBe("open")
    expect(yield* outcome({ isPublic: true })).toBe("forbidden")
    for (const isPublic of [false, true]) {
      expect(yield* outcome({ isPublic, token })).toBe("unauthorized")
      expect(yield* outcome({ isPublic, token }, "Bearer a token of the test")).toBe("unauthorized")
      expect(yield* outcome({ isPublic, token }, "Bearer a token of the tests")).toBe("open")
    }
    expect(yield* outcome({ elsewhere: true, token }, "Bearer a token of the tests")).toBe("not_found")
  }))

/** A port that is free now. */
const freePort = await new Promise<number>((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo
    server.close(() => resolve(port))
  })
})

layer(programOf({ BELLTOWER_METRICS_PORT: String(freePort) }), { excludeTestServices: true })("A port for metrics", (it) => {
  it.effect("serves them and health, and nothing else; the main port serves them no more", () =>
    Effect.gen(function*() {
      const apart = (path: string) => Effect.promise(() => fetch(`http://127.0.0.1:${freePort}${path}`))
      expect((yield* call("/metrics")).status).toBe(404)
      const metrics = yield* apart("/metrics")
      expect(yield* Effect.promise(() => metrics.text())).toContain("belltower_http_request_duration_seconds")
      expect([(yield* apart("/readyz")).status, (yield* apart("/docs")).status]).toEqual([200, 404])
      expect([(yield* call("/docs")).status, (yield* call("/readyz")).status]).toEqual([200, 200])
    }))
})
