/** The egress guard and its connections: host names, address families and forbidden addresses. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { LookupAddress } from "node:dns"
import { makeDeadlines } from "../../src/egress/Deadlines.ts"
import { BlockedTarget } from "../../src/egress/EgressGuard.ts"
import { send } from "../../src/egress/HttpExchange.ts"
import { makeSystemResolver } from "../../src/egress/Resolver.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentOf } from "../support/probe/Assignments.ts"
import { httpTarget, probing, tcpTarget } from "../support/targets/LocalTargets.ts"

const answering = (addresses: ReadonlyArray<string>) => ({
  resolve: (_: string, done: (failure: null, found: ReadonlyArray<LookupAddress>) => void) =>
    done(null, addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })))
})

const post = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  send({
    url: new URL(url),
    method: "POST",
    headers,
    body: "{}",
    timeoutMs: 2000,
    spentMs: 0,
    readLimit: 100,
    keepLimit: 100
  })

describe("the egress guard", () => {
  it.scopedLive("connects to no loopback address by default, in whatever form it is written", () =>
    Effect.gen(function*() {
      let connections = 0
      const port = yield* tcpTarget(() => connections++)
      for (const host of ["127.0.0.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0", "localhost"]) {
        const seen = yield* probeOnce(assignmentOf({ url: `http://${host}:${port}/` }))
        expect([host, seen.cause]).toEqual([host, "blocked_target"])
      }
      expect(connections).toBe(0)
    }).pipe(Effect.provide(probing({ allow: "" }))))

  it.scopedLive("blocks a name with one private address among public ones", () =>
    Effect.gen(function*() {
      const blocked = yield* Effect.flip(post("http://rebound.example/"))
      expect(blocked).toEqual(new BlockedTarget({ host: "rebound.example", address: "10.0.0.7", isPublicService: false }))
      expect(blocked.message).toBe(
        "rebound.example (10.0.0.7) is not a public address; to allow it, add it to BELLTOWER_ALLOW_TARGETS"
      )
    }).pipe(Effect.provide(probing(answering(["93.184.215.14", "10.0.0.7"])))))

  it.scopedLive("returns any response, with as much of the body as requested", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((request, response) => request.pipe(response.writeHead(202)))
      const reply = yield* post(url)
      expect([reply.response.statusCode, Buffer.concat(reply.chunks).toString()]).toEqual([202, "{}"])
    }).pipe(Effect.provide(probing())))

  it.scopedLive("frames a request itself, whatever length and connection its headers name", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((request, response) => {
        const named = request.rawHeaders.filter((_, index) => index % 2 === 0)
        response.end(JSON.stringify([named, request.headers["content-length"], request.headers["connection"]]))
      })
      const reply = yield* post(url, { "content-length": "7", connection: "keep-alive", ttl: "60", host: "named.example" })
      expect(JSON.parse(Buffer.concat(reply.chunks).toString())).toEqual([
        ["host", "ttl", "content-length", "connection"],
        "2",
        "close"
      ])
    }).pipe(Effect.provide(probing())))

  it.scopedLive("reaches a host over IPv4 while its IPv6 address is dead", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => response.end("fine"))
      const seen = yield* probeOnce(assignmentOf({ url: url.replace("127.0.0.1", "dual.example") }))
      expect(seen).toMatchObject({ outcome: "up", error: null })
      expect((yield* seen.evidence)!.remoteAddress).toBe("127.0.0.1")
    }).pipe(Effect.provide(probing(answering(["::1", "127.0.0.1"])))))

  it.scopedLive("does not wait for an address that never answers", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => response.end("fine"))
      const seen = yield* probeOnce(assignmentOf({ url: url.replace("127.0.0.1", "dual.example") }, { timeoutMs: 5000 }))
      expect((yield* seen.evidence)!.remoteAddress).toBe("127.0.0.1")
      expect(seen.outcome).toBe("up")
      // Documentation addresses are unroutable: the connection times out or is refused immediately.
    }).pipe(
      Effect.provide(
        probing({ ...answering(["192.0.2.1", "2001:db8::1", "127.0.0.1"]), allow: "127.0.0.0/8,192.0.2.0/24,2001:db8::/32" })
      )
    ))

  it.scopedLive("reports why a name has no address", () =>
    Effect.gen(function*() {
      const at = (url: string) => probeOnce(assignmentOf({ url }, { timeoutMs: 200 }))
      expect(yield* at("http://nowhere.example/")).toMatchObject({
        outcome: "down",
        cause: "dns_error",
        error: "nowhere.example has no address in DNS (ENOTFOUND)"
      })
      expect(yield* at("http://broken.example/")).toMatchObject({
        cause: "dns_error",
        error: "The DNS lookup of broken.example failed (ESERVFAIL)"
      })
      expect(yield* at("http://slow.example/")).toMatchObject({
        cause: "dns_error",
        error: "The DNS lookup of slow.example took longer than 200 ms"
      })
    }).pipe(Effect.provide(probing({
      resolve: (host, done) => {
        if (host === "nowhere.example") done("ENOTFOUND", [])
        if (host === "broken.example") done("ESERVFAIL", [])
      }
    }))))

  it.scopedLive("resolves local names like the system does", () =>
    Effect.gen(function*() {
      const resolve = makeSystemResolver(yield* makeDeadlines)
      const addresses = yield* Effect.async<ReadonlyArray<LookupAddress>>((resume) => {
        void resolve("localhost", "a", (_, found) => resume(Effect.succeed(found)))
      })
      expect(addresses.map(({ address }) => address)).toContain("127.0.0.1")
      const failure = yield* Effect.async<string | undefined>((resume) => {
        void resolve("nowhere.invalid", "a", (why) => resume(Effect.succeed(why ?? undefined)))
      })
      expect(failure).toBeDefined()
    }))
})

describe("deadlines", () => {
  it.scopedLive("fire in order, and not once cancelled, even after an idle period", () =>
    Effect.gen(function*() {
      const deadlines = yield* makeDeadlines
      const passed: Array<string> = []
      const wait = (ms: number, name: string) =>
        Effect.async<void>((resume) => {
          deadlines.after(ms, () => {
            passed.push(name)
            resume(Effect.void)
          })
        })
      const late = yield* Effect.fork(wait(120, "late"))
      const early = yield* Effect.fork(wait(40, "early"))
      yield* Effect.yieldNow()
      deadlines.after(60, () => passed.push("cancelled"))()
      yield* Fiber.joinAll([late, early])
      yield* wait(10, "again")
      expect(passed).toEqual(["early", "late", "again"])
    }))
})
