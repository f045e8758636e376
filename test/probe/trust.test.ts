/** The trust of a check: by the path that clients find, by authorities of the monitor's own, and despite old protocols. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { TlsOptions } from "node:tls"
import { afterAll } from "vitest"
import type { HttpTarget } from "../../schema/monitor/kinds/http.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentOf } from "../support/probe/Assignments.ts"
import { openWorkshop, sending } from "../support/targets/CertificateWorkshop.ts"
import { type Credentials, httpsTarget, probing } from "../support/targets/LocalTargets.ts"
import { oldTlsServer } from "../support/targets/OldTlsServer.ts"

const { close, make } = openWorkshop()
afterAll(close)

const altName = "IP:127.0.0.1,DNS:one.example"
const root = make({ name: "Root", isAuthority: true, to: 3000 })
const stranger = make({ name: "Stranger", isAuthority: true, to: 3000 })
const middle = make({ name: "Middle", by: root, isAuthority: true, to: 700 })
const leaf = make({ name: "leaf", by: middle, altName, to: 80 })
/** Known to no client. */
const privateLeaf = make({ name: "private", by: stranger, altName })

const trusting = probing({
  authorities: root.cert,
  resolve: (_, done) => done(null, [{ address: "127.0.0.1", family: 4 }])
})

const serve = (credentials: Credentials & TlsOptions) => httpsTarget(credentials, (_, response) => response.end("fine"))

const lookAt = (url: string, more: Partial<HttpTarget> = {}, clientKey: string | null = null) =>
  probeOnce(assignmentOf({ url, keyword: "fine", ...more }, { secrets: { clientKey } }))

/** The result of a check of a server that sends these certificates. */
const seenWith = (credentials: Credentials & TlsOptions, more: Partial<HttpTarget> = {}) =>
  Effect.flatMap(serve(credentials), (url) => lookAt(url, more))

const down = (error: string | RegExp) => ({
  outcome: "down",
  cause: "tls_error",
  error: typeof error === "string" ? error : expect.stringMatching(error)
})

describe("the expiry of a chain", () => {
  const warned = { sslExpiryDays: 30 }
  const expired = { from: -900, to: -60, isAuthority: true }

  it.scopedLive("is that of the path to a trusted authority: what else the server sends is no news", () =>
    Effect.gen(function*() {
      const crossSigned = make({ name: "Root", of: root, by: stranger, ...expired })
      const unrelated = make({ name: "Unrelated", ...expired })
      const superseded = make({ name: "Middle", of: middle, by: root, ...expired })
      const ending = make({ name: "Middle", of: middle, by: root, isAuthority: true, to: 3 })
      const bundles = [
        sending(leaf, middle),
        sending(leaf, middle, crossSigned),
        sending(leaf, middle, unrelated, crossSigned),
        sending(leaf, superseded, middle),
        sending(leaf, ending, middle)
      ]
      for (const bundle of bundles) {
        expect(yield* seenWith(bundle, warned)).toMatchObject({ outcome: "up", error: null })
      }
      expect(yield* seenWith(sending(leaf, ending), warned)).toMatchObject({
        outcome: "degraded",
        cause: "ssl_expiry",
        error: expect.stringMatching(/^The certificate "CN=Middle" in the TLS chain of 127\.0\.0\.1 expires on .*, in 2 days/)
      })
      expect(yield* seenWith(sending(leaf, superseded), warned)).toMatchObject(
        down(/^The certificate "CN=Middle" in the TLS chain of 127\.0\.0\.1 expired on \d{4}-\d\d-\d\d$/)
      )
    }).pipe(Effect.provide(trusting)))

  it.scopedLive("is that of the hop whose trust ends first, which the warning names", () =>
    Effect.gen(function*() {
      const ending = make({ name: "Middle", of: middle, by: root, isAuthority: true, to: 3 })
      const end = yield* serve(sending(make({ name: "end", by: root, altName, to: 20 })))
      const url = yield* httpsTarget(sending(leaf, ending), (_, response) => response.writeHead(302, { location: end }).end())
      expect(yield* lookAt(url.replace("127.0.0.1", "one.example"), warned)).toMatchObject({
        outcome: "degraded",
        error: expect.stringMatching(/^The certificate "CN=Middle" in the TLS chain of one\.example expires on /)
      })
    }).pipe(Effect.provide(trusting)))

  it.scopedLive("warns of a certificate that nobody verifies, too", () =>
    Effect.gen(function*() {
      const own = make({ name: "own", altName, to: 10 })
      expect(yield* seenWith(sending(own), { tlsVerify: false })).toMatchObject({ outcome: "up" })
      expect(yield* seenWith(sending(own), { tlsVerify: false, ...warned })).toMatchObject({ cause: "ssl_expiry" })
    }).pipe(Effect.provide(trusting)))
})

describe("a certificate that browsers refuse", () => {
  it.scopedLive("is named with its fault", () =>
    Effect.gen(function*() {
      const faults = [
        [sending(leaf), /is incomplete .*: the server does not send the certificate of "CN=Middle"$/],
        [
          sending(make({ name: "early", by: root, altName, from: 10 })),
          /^The TLS certificate of 127\.0\.0\.1 is not valid before \d/
        ],
        [
          sending(make({ name: "127.0.0.1", by: root })),
          /^The TLS certificate is not for 127\.0\.0\.1; it has no alternative names, and its subject "CN=127\.0\.0\.1" does not/
        ],
        [sending(make({ name: "x", by: root, altName: "DNS:127.0.0.1.example" })), /; it is for 127\.0\.0\.1\.example$/],
        [sending(make({ name: "x", by: root, altName, usage: "clientAuth" })), /is not meant for servers$/],
        [
          { ...sending(make({ name: "x", by: root, altName, digest: "sha1" })), ciphers: "DEFAULT@SECLEVEL=0" },
          /is signed with MD5 or SHA-1/
        ]
      ] as const
      for (const [credentials, error] of faults) expect(yield* seenWith(credentials)).toMatchObject(down(error))
    }).pipe(Effect.provide(trusting)))
})

describe("an authority of the monitor's own", () => {
  it.scopedLive("is trusted beside the public ones, and as strictly", () =>
    Effect.gen(function*() {
      expect(yield* seenWith(sending(privateLeaf))).toMatchObject(down(/issuer is unknown/))
      const trusted = { tlsCa: stranger.cert }
      const seen = yield* seenWith(sending(privateLeaf), trusted)
      expect(seen).toMatchObject({ outcome: "up" })
      expect((yield* seen.evidence)!.certificate).toMatchObject({ subject: "CN=private", authorized: true })
      expect(yield* seenWith(sending(leaf, middle), trusted)).toMatchObject({ outcome: "up" })
      const other = make({ name: "x", by: stranger, altName: "DNS:other.example" })
      expect(yield* seenWith(sending(other), trusted)).toMatchObject(down(/; it is for other\.example$/))
      const late = make({ name: "x", by: stranger, altName, from: -20, to: -2 })
      expect(yield* seenWith(sending(late), trusted)).toMatchObject(down(/ expired on /))
      expect(yield* seenWith(sending(make({ name: "x", altName })), trusted)).toMatchObject(down(/is self-signed$/))
    }).pipe(Effect.provide(trusting)))

  it.scopedLive("may be a certificate that signs itself, an intermediate, or several", () =>
    Effect.gen(function*() {
      const own = make({ name: "own", altName })
      expect(yield* seenWith(sending(own), { tlsCa: own.cert })).toMatchObject({ outcome: "up" })
      expect(yield* seenWith(sending(leaf), { tlsCa: middle.cert })).toMatchObject({ outcome: "up" })
      expect(yield* seenWith(sending(privateLeaf), { tlsCa: own.cert + stranger.cert })).toMatchObject({ outcome: "up" })
    }).pipe(Effect.provide(trusting)))

  it.scopedLive("counts on every hop of a redirect", () =>
    Effect.gen(function*() {
      const end = yield* serve(sending(leaf, middle))
      const url = yield* httpsTarget(sending(privateLeaf), (_, response) => response.writeHead(302, { location: end }).end())
      expect(yield* lookAt(url, { tlsCa: stranger.cert })).toMatchObject({ outcome: "up" })
      expect(yield* lookAt(url)).toMatchObject({ outcome: "down" })
    }).pipe(Effect.provide(trusting)))
})

describe("a server that asks for a client certificate", () => {
  const me = make({ name: "me", by: stranger, usage: "clientAuth" })
  const nobody = make({ name: "nobody" })

  for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
    it.scopedLive(`gets that of the monitor (${maxVersion}), and without one the error says what to do`, () =>
      Effect.gen(function*() {
        const url = yield* httpsTarget(
          { ...sending(leaf, middle), requestCert: true, ca: stranger.cert, maxVersion },
          (_, response) => response.end("fine")
        )
        expect(yield* lookAt(url, { clientCertificate: me.cert }, me.key)).toMatchObject({ outcome: "up" })
        expect(yield* lookAt(url)).toMatchObject(down(/asks? for a client certificate/))
        expect(yield* lookAt(url, { clientCertificate: nobody.cert }, nobody.key)).toMatchObject({ outcome: "down" })
      }).pipe(Effect.provide(trusting)))
  }

  it.scopedLive("does not get it where another host redirects to", () =>
    Effect.gen(function*() {
      const shown: Array<string> = []
      const asking = { ...sending(leaf, middle), requestCert: true, rejectUnauthorized: false, ca: stranger.cert }
      const note = (socket: object): void => {
        const certificate = "getPeerX509Certificate" in socket && typeof socket.getPeerX509Certificate === "function"
          ? socket.getPeerX509Certificate()
          : undefined
        shown.push(certificate?.subject ?? "none")
      }
      const end = yield* httpsTarget(asking, (request, response) => {
        note(request.socket)
        response.end("fine")
      })
      const url = yield* httpsTarget(asking, (request, response) => {
        note(request.socket)
        response.writeHead(302, { location: request.url === "/" ? "/again" : end }).end()
      })
      expect(yield* lookAt(`${url}/`, { clientCertificate: me.cert }, me.key)).toMatchObject({ outcome: "up" })
      expect(shown).toEqual(["CN=me", "CN=me", "none"])
    }).pipe(Effect.provide(trusting)))
})

describe("an old TLS server", () => {
  const direct = make({ name: "direct", by: root, altName })

  it.scopedLive("is up without secure renegotiation, which browsers do not need", () =>
    Effect.gen(function*() {
      const port = yield* oldTlsServer(direct, "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfine")
      expect(yield* lookAt(`https://127.0.0.1:${port}/`)).toMatchObject({ outcome: "up", error: null, statusCode: 200 })
    }).pipe(Effect.provide(trusting)))

  for (const [version, name] of [["TLSv1", "TLS 1.0"], ["TLSv1.1", "TLS 1.1"]] as const) {
    it.scopedLive(`is degraded if it speaks only ${name}, unless nothing is verified`, () =>
      Effect.gen(function*() {
        const old = { ...sending(direct), minVersion: "TLSv1", maxVersion: version, ciphers: "DEFAULT@SECLEVEL=0" } as const
        const seen = yield* seenWith(old)
        expect(seen).toMatchObject({
          outcome: "degraded",
          cause: "tls_version",
          error: `127.0.0.1 speaks only ${name}, which current browsers refuse; it should speak TLS 1.2 or 1.3`
        })
        expect((yield* seen.evidence)!.certificate).toMatchObject({ tlsVersion: version, authorized: true })
        expect(yield* seenWith(old, { keyword: "missing" })).toMatchObject({ outcome: "down", cause: "keyword" })
        expect(yield* seenWith(old, { tlsVerify: false })).toMatchObject({ outcome: "up" })
        const weak = make({ name: "weak", by: root, altName, digest: "sha1" })
        expect(yield* seenWith({ ...old, ...sending(weak) })).toMatchObject(down(/SHA-1/))
      }).pipe(Effect.provide(trusting)))
  }
})
