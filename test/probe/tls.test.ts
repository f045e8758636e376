/** TLS: a certificate that browsers refuse is down, its problem is described, and nothing is sent to an untrusted server. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentOf } from "../support/probe/Assignments.ts"
import { httpsTarget, httpTarget, makeCertificates, probing } from "../support/targets/LocalTargets.ts"
import type { Credentials } from "../support/targets/LocalTargets.ts"

const certificates = makeCertificates()
const trusting = probing({ authorities: certificates.authority })

describe("an https check", () => {
  it.scopedLive("reports the handshake time and keeps the certificate", () =>
    Effect.gen(function*() {
      const url = yield* httpsTarget(certificates.good, (_, response) => response.end("safe"))
      const seen = yield* probeOnce(
        assignmentOf({ url, sslExpiryDays: 30, assertions: [{ source: "ssl_days", op: "gt", value: 90 }] })
      )
      expect(seen).toMatchObject({ outcome: "up", error: null })
      expect(seen.timings!.tlsMs).toBeGreaterThan(0)
      const { certificate } = (yield* seen.evidence)!
      expect(certificate).toMatchObject({
        subject: "CN=good",
        issuer: "CN=Test authority",
        daysLeft: 99,
        authorized: true,
        altNames: ["127.0.0.1", "good.example"]
      })
    }).pipe(Effect.provide(trusting)))

  it.scopedLive("resolves names, sends them as SNI and checks them", () =>
    Effect.gen(function*() {
      const url = yield* httpsTarget(certificates.good, (request, response) => response.end(request.headers.host))
      const named = url.replace("127.0.0.1", "good.example")
      const seen = yield* probeOnce(assignmentOf({ url: named, keyword: "good.example" }))
      expect(seen).toMatchObject({ outcome: "up", error: null })
      expect(seen.timings!.dnsMs).toBeGreaterThanOrEqual(0)
    }).pipe(Effect.provide(probing({
      authorities: certificates.authority,
      resolve: (_, done) => done(null, [{ address: "127.0.0.1", family: 4 }])
    }))))

  const distrusted: ReadonlyArray<readonly [string, Credentials, RegExp]> = [
    ["expired", certificates.expired, /^The TLS certificate of 127\.0\.0\.1 expired on \d{4}-\d\d-\d\d$/],
    ["made for another host", certificates.wrongHost, /^The TLS certificate is not for 127\.0\.0\.1; it is for other\.example$/],
    ["self-signed", certificates.selfSigned, /^The TLS certificate of 127\.0\.0\.1 is self-signed$/]
  ]
  for (const [what, credentials, error] of distrusted) {
    it.scopedLive(`is down with a certificate that is ${what}: nothing is sent, and the certificate is kept`, () =>
      Effect.gen(function*() {
        let requests = 0
        const url = yield* httpsTarget(credentials, (_, response) => {
          requests++
          response.end("fine")
        })
        const secrets = { headers: { authorization: "Bearer 0123456789" } }
        for (const rest of [{}, { secrets }]) {
          const seen = yield* probeOnce(assignmentOf({ url, keyword: "fine", sslExpiryDays: 30 }, rest))
          expect(seen).toMatchObject({
            outcome: "down",
            cause: "tls_error",
            error: expect.stringMatching(error),
            statusCode: null
          })
          expect((yield* seen.evidence)!).toMatchObject({ certificate: { authorized: false } })
        }
        expect(requests).toBe(0)
      }).pipe(Effect.provide(trusting)))

    it.scopedLive(`accepts a certificate that is ${what} with tlsVerify false, and shows what is wrong with it`, () =>
      Effect.gen(function*() {
        let status = 200
        const url = yield* httpsTarget(
          credentials,
          (request, response) => response.writeHead(status).end(`for ${request.headers.authorization}`)
        )
        const secrets = { headers: { authorization: "Bearer 0123456789" } }
        const seen = yield* probeOnce(assignmentOf({ url, keyword: "for Bearer 0123456789", tlsVerify: false }, { secrets }))
        expect(seen).toMatchObject({ outcome: "up", cause: null, error: null })
        expect((yield* seen.evidence)!.certificate).toMatchObject({ authorized: false, authorizationError: expect.any(String) })
        status = 503
        expect(yield* probeOnce(assignmentOf({ url, tlsVerify: false }))).toMatchObject({ outcome: "down", cause: "status" })
      }).pipe(Effect.provide(trusting)))
  }

  it.scopedLive("names the hop of a redirect chain whose certificate is not trusted", () =>
    Effect.gen(function*() {
      const end = yield* httpTarget((_, response) => response.end("arrived"))
      const url = yield* httpsTarget(certificates.expired, (_, response) => response.writeHead(302, { location: end }).end())
      const from = yield* httpTarget((_, response) => response.writeHead(302, { location: url }).end())
      const seen = yield* probeOnce(assignmentOf({ url: from, keyword: "arrived" }))
      expect(seen).toMatchObject({
        outcome: "down",
        cause: "tls_error",
        error: expect.stringMatching(/ expired on .*, after the redirect from http:/)
      })
      const accepted = yield* probeOnce(assignmentOf({ url: from, keyword: "arrived", tlsVerify: false }))
      expect(accepted).toMatchObject({ outcome: "up" })
      for (const { evidence } of [seen, accepted]) {
        expect((yield* evidence)!.certificate).toMatchObject({ subject: "CN=expired", authorized: false })
      }
    }).pipe(Effect.provide(trusting)))

  it.scopedLive("does not trust an unknown authority", () =>
    Effect.gen(function*() {
      const url = yield* httpsTarget(certificates.good, (_, response) => response.end())
      expect(yield* probeOnce(assignmentOf({ url }))).toMatchObject({
        outcome: "down",
        cause: "tls_error",
        error: "The TLS certificate chain of 127.0.0.1 is incomplete or its issuer is unknown: " +
          "the server does not send the certificate of \"CN=Test authority\""
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("is degraded when the certificate expires soon", () =>
    Effect.gen(function*() {
      const url = yield* httpsTarget(certificates.expiring, (_, response) => response.end())
      const seen = yield* probeOnce(assignmentOf({ url, sslExpiryDays: 14 }))
      expect(seen).toMatchObject({
        outcome: "degraded",
        cause: "ssl_expiry",
        error: expect.stringMatching(/in 5 days; expected more than 14$/)
      })
      expect(yield* probeOnce(assignmentOf({ url, sslExpiryDays: 3 }))).toMatchObject({ outcome: "up" })
    }).pipe(Effect.provide(trusting)))

  it.scopedLive("is degraded when a certificate of the chain expires soon, and keeps the chain", () =>
    Effect.gen(function*() {
      const url = yield* httpsTarget(certificates.expiringIssuer, (_, response) => response.end())
      const seen = yield* probeOnce(assignmentOf({ url, sslExpiryDays: 14 }))
      expect(seen).toMatchObject({
        outcome: "degraded",
        cause: "ssl_expiry",
        error: expect.stringMatching(
          /^The certificate "CN=Intermediate" in the TLS chain of 127\.0\.0\.1 expires on .* in 2 days/
        )
      })
      expect((yield* seen.evidence)!.certificate).toMatchObject({
        subject: "CN=expiringIssuer",
        chain: [{ subject: "CN=Intermediate", issuer: "CN=Test authority", daysLeft: 2 }]
      })
    }).pipe(Effect.provide(trusting)))

  it.scopedLive("checks the certificate of a host that redirects", () =>
    Effect.gen(function*() {
      const end = yield* httpTarget((_, response) => response.end())
      const url = yield* httpsTarget(certificates.expiring, (_, response) => response.writeHead(302, { location: end }).end())
      expect(yield* probeOnce(assignmentOf({ url, sslExpiryDays: 14 }))).toMatchObject({
        outcome: "degraded",
        cause: "ssl_expiry"
      })
    }).pipe(Effect.provide(trusting)))
})
