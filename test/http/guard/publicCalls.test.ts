/** Calls without a key are limited by their client's address before anything of their body is read. */
import { SqlClient } from "@effect/sql"
import { expect, it, layer } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer } from "effect"
import { Either } from "effect"
import { connect } from "node:net"
import { bootstraps } from "../../../schema/api/parts/AddressLimit.ts"
import { makeByteBudget } from "../../../src/domain/access/ByteBudget.ts"
import { parseTrustedProxies } from "../../../src/domain/access/TrustedProxies.ts"
import { Proxies } from "../../../src/http/request/ClientAddress.ts"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { RateLimits } from "../../../src/store/access/RateLimits.ts"
import { newHeartbeat, PingServer } from "../../support/program/PingServer.ts"
import { call, callJson, TestServer } from "../../support/program/TestServer.ts"

it.prop(
  "an address gets its capacity at first, and its rate in the long run; never more addresses than allowed are remembered",
  [fc.array(fc.tuple(fc.nat(8), fc.nat(5_000), fc.nat(3_000)), { maxLength: 200 })],
  ([calls]) => {
    const settings = { capacity: 4_000, perSecond: 1_000, addresses: 5 }
    const budget = makeByteBudget({ ...settings, addresses: 100 })
    const small = makeByteBudget(settings)
    const sent = new Map<number, number>()
    let now = 0
    for (const [address, bytes, ms] of calls) {
      now += ms
      small.charge(String(address), bytes, now)
      expect(small.size()).toBeLessThanOrEqual(settings.addresses)
      if (budget.wait(String(address), now) > 0) continue
      const before = sent.get(address) ?? 0
      // The last call may exceed what is left.
      expect(before).toBeLessThanOrEqual(settings.capacity + (now / 1000) * settings.perSecond)
      budget.charge(String(address), bytes, now)
      sent.set(address, before + bytes)
    }
  }
)

it("what comes back never exceeds the capacity, and the wait is right", () => {
  const budget = makeByteBudget({ capacity: 1_000, perSecond: 100, addresses: 5 })
  budget.charge("a", 1_500, 0)
  expect(budget.wait("a", 0)).toBe(5_010)
  expect(budget.wait("a", 5_010)).toBe(0)
  budget.charge("a", -10_000, 5_010)
  expect([budget.wait("a", 5_010), budget.size()]).toEqual([0, 0])
})

/** The status of the answer to headers that announce a body, of which nothing is sent. */
const announced = Effect.fn("announced")(function*(path: string, address: string, length: number) {
  const { host, port } = yield* ServerAddress
  return yield* Effect.async<number>((resume) => {
    const socket = connect(port, host, () =>
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nContent-Type: application/json\r\n` +
          `X-Forwarded-For: ${address}\r\nContent-Length: ${length}\r\n\r\n`
      ))
    socket.once("data", (data) => {
      resume(Effect.succeed(Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString())?.[1])))
      socket.destroy()
    })
    socket.on("error", () => {})
    return Effect.sync(() => socket.destroy())
  })
})

const proxied = Layer.succeed(Proxies, Either.getOrThrow(parseTrustedProxies("127.0.0.1/32")))

const send = (path: string, address: string, body: string) =>
  callJson(path, { method: "POST", headers: { "content-type": "application/json", "x-forwarded-for": address }, body })

/** A body of about half a megabyte that no operation accepts. */
const refused = JSON.stringify(Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`field${index}`, "x".repeat(40)])))

layer(TestServer.pipe(Layer.provide(proxied)), { excludeTestServices: true })("A call without a key", (it) => {
  it.effect.each<readonly [string, string]>([
    ["POST /agent/bootstrap", "/api/v1/agent/bootstrap"],
    ["sign-in", "/api/v1/auth/email"],
    ["a push", "/api/v1/push/token"],
    ["a heartbeat", "/api/v1/heartbeat/token"],
    ["public MCP", "/mcp/public"]
  ])(
    "to %s is refused before its body is read, once too much from its address was refused",
    ([name, path]) =>
      Effect.gen(function*() {
        const address = `192.0.2.${name.length}`
        for (let round = 0; round < 3; round++) yield* send(path, address, refused)
        expect(yield* announced(path, address, refused.length)).toBe(429)
        // Small requests from there are still answered, and other addresses are not affected.
        expect((yield* send(path, address, "{}")).status).not.toBe(429)
        expect((yield* send(path, `198.51.100.${name.length}`, refused)).status).not.toBe(429)
      })
  )

  it.effect("is refused before its body is read when its operation's own limit is exhausted", () =>
    Effect.gen(function*() {
      const limits = yield* RateLimits
      for (let count = 0; count < bootstraps.limit; count++) yield* limits.take(bootstraps, "192.0.2.100")
      expect(yield* announced("/api/v1/agent/bootstrap", "192.0.2.100", 900)).toBe(429)
      const { body, headers, status } = yield* send("/api/v1/agent/bootstrap", "192.0.2.100", "{}")
      expect([status, body.error.code, Number(headers.get("retry-after")) > 0]).toEqual([429, "rate_limited", true])
      // Peeking counts nothing.
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`select count from rate_limits where key = 'bootstrap:192.0.2.100'`
      expect(rows).toEqual([{ count: bootstraps.limit }])
    }))
})

layer(PingServer.pipe(Layer.provide(proxied)), { excludeTestServices: true })("A ping", (it) => {
  it.effect("costs its address nothing when it is stored, however long its output is", () =>
    Effect.gen(function*() {
      const { path } = yield* newHeartbeat
      for (let round = 0; round < 6; round++) {
        const response = yield* call(path, { method: "POST", body: "output ".repeat(70_000) })
        expect(response.status).toBe(200)
      }
    }))

  it.effect("with a JSON body of too many or too deep fields counts", () =>
    Effect.gen(function*() {
      const { path } = yield* newHeartbeat
      const deep = `{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`
      for (const body of [`{${Array.from({ length: 20_000 }, (_, index) => `"f${index}":1`).join()}}`, deep]) {
        expect((yield* send(path, "192.0.2.7", body)).status).toBe(200)
      }
    }))
})
