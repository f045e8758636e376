/** International host names as people type them: every kind asks for them in ASCII, and inputs store them so. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Schema } from "effect"
import { MailServerInput } from "../../schema/mail/MailServer.ts"
import type { ProbeTarget } from "../../schema/monitor/kinds.ts"
import { PageInput } from "../../schema/page/Page.ts"
import { EmailAddress } from "../../schema/people/Person.ts"
import type { Resolve } from "../../src/egress/Resolver.ts"
import { hostOf } from "../../src/probe/Host.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { localDns } from "../support/network/LocalDns.ts"
import { assignmentOf, assignmentTo } from "../support/probe/Assignments.ts"
import { httpTarget, probing } from "../support/targets/LocalTargets.ts"

const typed = "Bücher.example"
const ascii = "xn--bcher-kva.example"
const limits = { degradedAfterMs: null, sslExpiryDays: null }

const targetsAt = (port: number): ReadonlyArray<ProbeTarget> => [
  assignmentOf({ url: `http://${typed}:${port}/` }).target,
  { kind: "manifest", url: `http://${typed}:${port}/`, ...limits },
  { kind: "websocket", url: `ws://${typed}:${port}/`, keyword: null, ...limits },
  { kind: "tcp", host: typed, port, tls: false, assertions: [], ...limits },
  { kind: "grpc", host: typed, port, tls: false, service: "", ...limits },
  { kind: "ping", host: typed, degradedAfterMs: null }
]

/** Every name is this machine; those that were asked for are noted. */
const noting = (asked: Array<string>): Resolve => (host, done) => {
  asked.push(host)
  done(null, [{ address: "127.0.0.1", family: 4 }])
}

describe("an international host name", () => {
  const asked: Array<string> = []

  it.scopedLive("is looked up in ASCII by every kind, and counts as one host", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => response.end())
      for (const target of targetsAt(Number(new URL(url).port))) {
        asked.length = 0
        yield* probeOnce(assignmentTo(target, { timeoutMs: 2000 }))
        expect([target.kind, asked, hostOf(target)]).toEqual([target.kind, [ascii], ascii])
      }
    }).pipe(Effect.provide(probing({ resolve: noting(asked) }))))

  it.scopedLive("is asked of DNS, and expected of its records, in any spelling", () =>
    Effect.gen(function*() {
      const questions: Array<string> = []
      const port = yield* localDns(({ name, type }) => {
        questions.push(name)
        return {
          answers: type === "MX"
            ? [{ type: "MX", name, ttl: 60, data: { preference: 10, exchange: `mail.${ascii}` } }]
            : [{ type: "CNAME", name, ttl: 60, data: `www.${ascii}` }]
        }
      })
      const ask = (recordType: "CNAME" | "MX", expected: ReadonlyArray<string>) =>
        probeOnce(
          assignmentTo({ kind: "dns", host: typed, port, recordType, expected, resolvers: ["127.0.0.1"], degradedAfterMs: null })
        )
      expect(yield* ask("CNAME", ["www.bücher.example", "WWW.BÜCHER.EXAMPLE.", `www.${ascii}`])).toMatchObject({ outcome: "up" })
      expect(yield* ask("MX", ["10 mail.bücher.example", "mail.bücher.example"])).toMatchObject({ outcome: "up" })
      expect(yield* ask("CNAME", ["www.bucher.example"])).toMatchObject({ outcome: "down", cause: "dns_mismatch" })
      expect(new Set(questions)).toEqual(new Set([ascii]))
    }).pipe(Effect.provide(probing())))

  it("is stored in ASCII as the domain of a page, in addresses and as a mail server", () => {
    const domainOf = (customDomain: string) =>
      Either.map(Schema.decodeUnknownEither(PageInput)({ name: "Acme", customDomain }), (page) => page.customDomain)
    expect(domainOf("status.bücher.example")).toEqual(Either.right(`status.${ascii}`))
    expect(domainOf("статус.рф")).toEqual(Either.right("xn--80a7abcbg.xn--p1ai"))
    expect(domainOf("xn--80a7abcbg.xn--p1ai")).toEqual(Either.right("xn--80a7abcbg.xn--p1ai"))
    expect(domainOf("x.yz")).toEqual(Either.right("x.yz"))
    for (
      const wrong of [
        ...["http://status.example", "status.example:80", "192.0.2.1", "a@status.example", "status", "a b.example"],
        ...[
          "acme.c0m",
          "x.y1",
          "acme.a1",
          "abcd.e-f",
          "acme.c\uFF10m",
          "acme.xn--",

          "x.y",
          `acme.${"a".repeat(64)}`
        ],
        ...["status.acme.example.", "status.рф。", "Status.Acme.Example", "status.BÜCHER.example"]
      ]
    ) {
      expect([wrong, Either.isLeft(domainOf(wrong))]).toEqual([wrong, true])
    }
    const address = Schema.decodeUnknownEither(EmailAddress)
    expect(address("Ops@Bücher.example")).toEqual(Either.right(`ops@${ascii}`))
    // The Kelvin sign is no k: another domain must not become one that is not meant.
    for (const wrong of ["ops@boo\u212A.example", "öps@acme.example", "ops@bücher example"]) {
      expect([wrong, Either.isLeft(address(wrong))]).toEqual([wrong, true])
    }
    const server = Schema.decodeUnknownEither(MailServerInput)({ host: `mail.${typed}`, port: 465, tls: "implicit" })
    expect(Either.map(server, ({ host }) => host)).toEqual(Either.right(`mail.${ascii}`))
  })
})
