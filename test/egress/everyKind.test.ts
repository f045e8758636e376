/** The egress guard holds for every kind of check: no spelling of a private address and no change of heart in DNS gets through. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ProbeTarget } from "../../schema/monitor/kinds.ts"
import { lookupName } from "../../src/domain/monitor/settings/HostSettings.ts"
import type { Resolve } from "../../src/egress/Resolver.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentOf, assignmentTo } from "../support/probe/Assignments.ts"
import { mcpTargetOf } from "../support/probe/McpChecks.ts"
import { httpTarget, probing, tcpTarget } from "../support/targets/LocalTargets.ts"

/** Loopback and private addresses in the notations that URLs, C libraries and IPv6 allow. */
const spellings = [
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "0177.0.0.1",
  "017700000001",
  "0.0.0.0",
  "0",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "[fe80::1]",
  "[fd00::1]",
  "[ff02::1]",
  "localhost",
  "localhost.",
  "LOCALHOST",
  "app.localhost",
  "169.254.169.254",
  "[::ffff:a9fe:a9fe]",
  "10.0.0.1",
  "100.64.0.1",
  "192.168.0.1"
]

/** Each kind's target for a host, with the host where its connection goes. */
const targets: Readonly<Record<string, (host: string, port: number) => ProbeTarget>> = {
  http: (host, port) => assignmentOf({ url: `http://${host}:${port}/` }).target,
  manifest: (host, port) => ({
    kind: "manifest",
    url: `http://${host}:${port}/`,
    degradedAfterMs: null,
    sslExpiryDays: null
  }),
  tcp: (host, port) => ({ kind: "tcp", host, port, tls: false, degradedAfterMs: null, sslExpiryDays: null, assertions: [] }),
  dns: (host, port) => ({
    kind: "dns",
    host: "example.com",
    port,
    recordType: "A",
    expected: [],
    resolvers: [host],
    degradedAfterMs: null
  }),
  grpc: (host, port) => ({
    kind: "grpc",
    host,
    port,
    tls: false,
    service: "",
    degradedAfterMs: null,
    sslExpiryDays: null
  }),
  websocket: (host, port) => ({
    kind: "websocket",
    url: `ws://${host}:${port}/`,
    keyword: null,
    degradedAfterMs: null,
    sslExpiryDays: null
  }),
  mcp: (host, port) => mcpTargetOf(`http://${host}:${port}/`),
  ping: (host) => ({ kind: "ping", host, degradedAfterMs: null })
}

/** Answers with a public address first and with loopback afterwards, as a rebinding attack does. */
const rebinding = (): Resolve => {
  let asked = 0
  return (_, done) => done(null, [{ address: asked++ === 0 ? "203.0.113.7" : "127.0.0.1", family: 4 }])
}

/** Resolves the special names as a machine does, and nothing else. */
const local: Resolve = (host, done) =>
  /localhost\.?$/i.test(host) || !host.includes(".")
    ? done(null, [{ address: "127.0.0.1", family: 4 }])
    : done("ENOTFOUND", [])

describe("the egress guard", () => {
  for (const [kind, targetOf] of Object.entries(targets)) {
    it.scopedLive(`lets no ${kind} check reach a private address, in whatever form it is written`, () =>
      Effect.gen(function*() {
        let connections = 0
        const port = yield* tcpTarget(() => connections++)
        for (const host of spellings) {
          const seen = yield* probeOnce(assignmentTo(targetOf(host, port), { timeoutMs: 1000 }))
          expect([host, seen.outcome, seen.cause]).toEqual([host, "down", "blocked_target"])
        }
        expect(connections).toBe(0)
      }).pipe(Effect.provide(probing({ allow: "", resolve: local }))))

    it.scopedLive(`connects a ${kind} check to the very address that it vetted, and vets it again for each check`, () =>
      Effect.gen(function*() {
        let connections = 0
        const port = yield* tcpTarget(() => connections++)
        const assignment = assignmentTo(targetOf("rebound.example", port), { timeoutMs: 300 })
        // The first answer may be reached, but nothing listens there. A second lookup would lead to the server on loopback.
        expect((yield* probeOnce(assignment)).cause).not.toBe("blocked_target")
        expect(yield* probeOnce(assignment)).toMatchObject({ outcome: "down", cause: "blocked_target" })
        expect(connections).toBe(0)
      }).pipe(Effect.provide(probing({ allow: "203.0.113.0/24", resolve: rebinding() }))))
  }

  it.scopedLive("vets each hop of a redirect chain, in each spelling", () =>
    Effect.gen(function*() {
      let connections = 0
      const hidden = yield* tcpTarget(() => connections++, "127.0.0.2")
      for (const host of ["127.0.0.2", "0x7f.2", "2130706434", "[::ffff:127.0.0.2]", "[64:ff9b::127.0.0.2]", "inside.example"]) {
        const url = yield* httpTarget((_, response) => response.writeHead(302, { location: `http://${host}:${hidden}/` }).end())
        for (const target of [assignmentOf({ url }).target, targets["manifest"]?.("x", 1)]) {
          if (target === undefined) continue
          const redirected: ProbeTarget = target.kind === "manifest" ? { ...target, url } : target
          expect([host, (yield* probeOnce(assignmentTo(redirected))).cause]).toEqual([host, "blocked_target"])
        }
      }
      expect(connections).toBe(0)
    }).pipe(Effect.provide(probing({
      allow: "127.0.0.1",
      resolve: (_, done) => done(null, [{ address: "127.0.0.2", family: 4 }])
    }))))

  it.scopedLive("vets the registry that a bootstrap document names, and each redirect of it", () =>
    Effect.gen(function*() {
      let connections = 0
      const hidden = yield* tcpTarget(() => connections++, "127.0.0.2")
      const base = yield* httpTarget((request, response) =>
        request.url === "/dns.json"
          ? response.end(JSON.stringify({
            services: [[["test"], [`http://127.0.0.2:${hidden}/`]], [["example"], [`http://${request.headers.host}/rdap/`]]]
          }))
          : response.writeHead(302, { location: `http://127.0.0.2:${hidden}/` }).end()
      )
      for (const host of ["shop.test", "shop.example"]) {
        const seen = yield* probeOnce(assignmentTo({ kind: "domain", host, expiryDays: 30 })).pipe(
          Effect.provide(probing({ allow: "127.0.0.1", rdapUrl: base }))
        )
        expect([host, seen.cause, seen.error]).toEqual([
          host,
          "domain_unknown",
          expect.stringContaining("is not a public address")
        ])
      }
      expect(connections).toBe(0)
    }))

  it("takes no scope of an IPv6 address for a host name", () => {
    // A zone names an interface of this machine; URLs do not allow it, and sockets get only what was vetted.
    expect(lookupName("fe80::1%eth0")).toBe("fe80::1%eth0")
    expect(URL.canParse("http://[fe80::1%25eth0]/")).toBe(false)
  })

  it.scopedLive("blocks IPv6 addresses with a scope", () =>
    Effect.gen(function*() {
      for (const host of ["fe80::1%lo", "::1%lo", "fd00::1%eth0"]) {
        for (const kind of ["tcp", "dns", "grpc", "ping"]) {
          const target = targets[kind]?.(host, 80)
          if (target === undefined) continue
          expect([kind, host, (yield* probeOnce(assignmentTo(target))).cause]).toEqual([kind, host, "blocked_target"])
        }
      }
    }).pipe(Effect.provide(probing({ allow: "" }))))
})
