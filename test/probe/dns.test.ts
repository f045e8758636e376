/** The dns check against a server that speaks the protocol: every record type, every response code, silence, forgery and truncation. */
import { describe, expect, it } from "@effect/vitest"
import type { Answer } from "dns-packet"
import { Effect } from "effect"
import type { DnsTarget } from "../../schema/monitor/kinds/dns.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { localDns } from "../support/network/LocalDns.ts"
import type { DnsReaction, rcodes } from "../support/network/LocalDns.ts"
import { assignmentTo } from "../support/probe/Assignments.ts"
import { probing } from "../support/targets/LocalTargets.ts"

const name = "shop.example.com"

const dns = (port: number, rest: Partial<DnsTarget> = {}): DnsTarget => ({
  kind: "dns",
  host: name,
  port,
  recordType: "A",
  expected: [],
  resolvers: ["127.0.0.1"],
  degradedAfterMs: null,
  ...rest
})

const lookAt = (target: DnsTarget, timeoutMs = 5000) => probeOnce(assignmentTo(target, { timeoutMs }))

const records: Readonly<Record<DnsTarget["recordType"], ReadonlyArray<Answer>>> = {
  A: [
    { type: "CNAME", name, data: "edge.example.net" },
    { type: "A", name: "edge.example.net", ttl: 60, data: "192.0.2.1" },
    { type: "A", name: "edge.example.net", ttl: 60, data: "192.0.2.2" }
  ],
  AAAA: [{ type: "AAAA", name, ttl: 60, data: "2001:db8::1" }],
  CNAME: [{ type: "CNAME", name, ttl: 60, data: "Edge.Example.net" }],
  MX: [{ type: "MX", name, ttl: 60, data: { preference: 10, exchange: "mail.example.com" } }],
  TXT: [{ type: "TXT", name, ttl: 60, data: ["v=spf1 include:_spf.example.com ", "-all"] }],
  NS: [{ type: "NS", name, ttl: 60, data: "ns1.example.com" }]
}

const answers = (type: string): ReadonlyArray<Answer> => Object.entries(records).find(([one]) => one === type)?.[1] ?? []

describe("a dns check", () => {
  it.scopedLive("finds the expected values of each record type, in the spellings people use", () =>
    Effect.gen(function*() {
      const port = yield* localDns(({ type }) => ({ answers: answers(type) }))
      const expected: Readonly<Record<DnsTarget["recordType"], ReadonlyArray<string>>> = {
        A: ["192.0.2.2"],
        AAAA: ["2001:DB8:0::1"],
        CNAME: ["edge.example.NET."],
        MX: ["10 mail.example.com", "Mail.example.com."],
        TXT: ["v=spf1 include:_spf.example.com -all", "\"v=spf1 include:_spf.example.com -all\""],
        NS: ["ns1.example.com."]
      }
      for (const recordType of ["A", "AAAA", "CNAME", "MX", "TXT", "NS"] as const) {
        const seen = yield* lookAt(dns(port, { recordType, expected: expected[recordType] }))
        expect([recordType, seen.outcome, seen.error]).toEqual([recordType, "up", null])
      }
    }).pipe(Effect.provide(probing())))

  it.scopedLive("is down when a value is missing, and names it beside the values found", () =>
    Effect.gen(function*() {
      const port = yield* localDns(({ type }) => ({ answers: answers(type) }))
      const seen = yield* lookAt(dns(port, { expected: ["192.0.2.1", "192.0.2.9"] }))
      expect(seen).toMatchObject({
        outcome: "down",
        cause: "dns_mismatch",
        error: `Expected A of ${name} to include 192.0.2.9; got 192.0.2.1, 192.0.2.2`
      })
      expect(yield* seen.evidence).toMatchObject({
        request: { method: "QUERY", url: `dns://127.0.0.1:${port}/${name}?type=A` },
        dns: {
          rcode: "NOERROR",
          protocol: "udp",
          answers: [
            { type: "CNAME", value: "edge.example.net" },
            { name: "edge.example.net", type: "A", ttl: 60, value: "192.0.2.1" },
            { value: "192.0.2.2" }
          ],
          attempts: [{ resolver: `127.0.0.1:${port}`, result: "NOERROR" }]
        }
      })
    }).pipe(Effect.provide(probing())))

  const failures: ReadonlyArray<readonly [keyof typeof rcodes, string, RegExp]> = [
    ["NXDOMAIN", "dns_no_name", /^The name shop\.example\.com does not exist \(NXDOMAIN, says 127\.0\.0\.1:\d+\)$/],
    ["SERVFAIL", "dns_server_failed", /^127\.0\.0\.1:\d+ failed to resolve shop\.example\.com \(SERVFAIL\)$/],
    ["REFUSED", "dns_refused", /^127\.0\.0\.1:\d+ refused to answer for shop\.example\.com \(REFUSED\)$/],
    ["NOTIMP", "dns_server_failed", /^127\.0\.0\.1:\d+ answered the query for shop\.example\.com A with NOTIMP$/],
    ["FORMERR", "dns_server_failed", /with FORMERR$/],
    ["NOERROR", "dns_no_record", /^shop\.example\.com has no A record \(NOERROR without one, says 127\.0\.0\.1:\d+\)$/]
  ]
  for (const [rcode, cause, error] of failures) {
    it.scopedLive(`tells ${rcode} apart`, () =>
      Effect.gen(function*() {
        const port = yield* localDns(() => ({ rcode }))
        const seen = yield* lookAt(dns(port))
        expect(seen).toMatchObject({ outcome: "down", cause, error: expect.stringMatching(error) })
        expect((yield* seen.evidence)!.dns).toMatchObject({ rcode })
      }).pipe(Effect.provide(probing())))
  }

  it.scopedLive("tells silence from a closed port, and asks again before it gives up", () =>
    Effect.gen(function*() {
      let asked = 0
      const port = yield* localDns(() => {
        asked++
        return null
      })
      expect(yield* lookAt(dns(port), 600)).toMatchObject({
        outcome: "down",
        cause: "dns_timeout",
        error: `127.0.0.1:${port} did not answer the query for ${name} within 600 ms`,
        latencyMs: null
      })
      expect(asked).toBe(2)
      const closed = yield* Effect.scoped(localDns(() => null))
      expect(yield* lookAt(dns(closed))).toMatchObject({
        cause: "dns_error",
        error: `The query for ${name} failed: 127.0.0.1:${closed} refused the connection`
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("repeats a lost question", () =>
    Effect.gen(function*() {
      let asked = 0
      const port = yield* localDns(({ type }) => (asked++ === 0 ? null : { answers: answers(type) }))
      expect(yield* lookAt(dns(port), 900)).toMatchObject({ outcome: "up" })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("asks over TCP if the answer does not fit into a packet", () =>
    Effect.gen(function*() {
      for (const how of [{ truncated: true }, { cut: true }]) {
        const port = yield* localDns(({ type }) => ({ answers: answers(type), ...how }))
        const seen = yield* lookAt(dns(port, { expected: ["192.0.2.1"] }), 1000)
        expect(seen).toMatchObject({ outcome: "up", error: null })
        expect((yield* seen.evidence)!.dns).toMatchObject({ protocol: "tcp" })
      }
    }).pipe(Effect.provide(probing())))

  it.scopedLive("asks the next resolver if one fails, and prefers a reply to silence", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const reactions: Array<DnsReaction | null> = [{ rcode: "SERVFAIL" }, { answers: records.A }]
      const port = yield* localDns(({ type }) => {
        asked.push(type)
        return reactions[asked.length - 1] ?? null
      })
      const both = dns(port, { resolvers: ["127.0.0.1", "one.resolver.example"] })
      const seen = yield* lookAt(both)
      expect(seen).toMatchObject({ outcome: "up" })
      expect((yield* seen.evidence)!.dns!.attempts.map(({ result }) => result)).toEqual(["SERVFAIL", "NOERROR"])
      asked.length = 0
      reactions[1] = null
      expect(yield* lookAt(both, 600)).toMatchObject({ cause: "dns_server_failed" })
    }).pipe(Effect.provide(probing({
      resolve: (host, done) => {
        if (host === "one.resolver.example") done(null, [{ address: "127.0.0.1", family: 4 }])
      }
    }))))

  it.scopedLive("ignores answers to other questions and bytes that are no DNS", () =>
    Effect.gen(function*() {
      const forged = Uint8Array.from([0, 1, 129, 128, 0, 0, 0, 0, 0, 0, 0, 0])
      const port = yield* localDns(() => forged)
      expect(yield* lookAt(dns(port), 600)).toMatchObject({ cause: "dns_timeout" })
      const noise = yield* localDns(() => Uint8Array.from([1, 2, 3]))
      expect(yield* lookAt(dns(noise), 600)).toMatchObject({ cause: "dns_timeout" })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("uses the servers of the system without resolvers of its own", () =>
    Effect.gen(function*() {
      const port = yield* localDns(({ type }) => ({ answers: answers(type) }))
      expect(yield* lookAt(dns(port, { resolvers: [] }))).toMatchObject({ outcome: "up" })
    }).pipe(Effect.provide(probing({ nameServers: () => ["127.0.0.1"], allow: "" }))))

  it.scopedLive("sends nothing to a resolver of its own that is not public", () =>
    Effect.gen(function*() {
      let asked = 0
      const port = yield* localDns(() => {
        asked++
        return null
      })
      for (const resolver of ["127.0.0.1", "2130706433", "rebound.example", "::ffff:127.0.0.1", "[::1]"]) {
        const seen = yield* lookAt(dns(port, { resolvers: [resolver] }))
        expect([resolver, seen.cause]).toEqual([resolver, "blocked_target"])
      }
      expect(asked).toBe(0)
    }).pipe(Effect.provide(probing({
      allow: "",
      resolve: (_, done) => done(null, [{ address: "1.1.1.1", family: 4 }, { address: "127.0.0.1", family: 4 }])
    }))))

  it.scopedLive("is degraded when the answer takes too long", () =>
    Effect.gen(function*() {
      const port = yield* localDns(({ type }) => ({ answers: answers(type) }))
      expect(yield* lookAt(dns(port, { degradedAfterMs: 0 }))).toMatchObject({ outcome: "degraded", cause: "slow" })
    }).pipe(Effect.provide(probing())))
})
