/** Strangers cannot fill an installation with workspaces, from however many addresses, nor keep others from making one. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it, layer } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import ipaddr from "ipaddr.js"
import { createHash } from "node:crypto"
import { WorkspaceId } from "../../schema/Ids.ts"
import { networksAround } from "../../src/domain/access/NetworkShares.ts"
import { clientNetwork } from "../../src/domain/access/TrustedProxies.ts"
import { WorkspaceRemoval } from "../../src/store/workspace/WorkspaceRemoval.ts"
import { bootstrapped, forgetLimits } from "../support/browser/Visitor.ts"
import { programOf } from "../support/program/Program.ts"
import { callJson } from "../support/program/TestServer.ts"

describe("the networks around an address", () => {
  it.prop("hold it, from narrow to wide, and allow more to wider ones", [fc.oneof(fc.ipV4(), fc.ipV6())], ([text]) => {
    fc.pre(ipaddr.isValid(text))
    const client = clientNetwork(text)
    const address = ipaddr.process(text)
    const around = networksAround(client)
    expect(around).toHaveLength(address.kind() === "ipv4" ? 2 : 3)
    for (const { network } of around) expect(address.match(ipaddr.parseCIDR(network))).toBe(true)
    const shares = around.map(({ addresses, network }) => [ipaddr.parseCIDR(network)[1], addresses] as const)
    expect(shares).toEqual([...shares].sort(([a], [b]) => b - a))
    expect(shares.map(([, addresses]) => addresses)).toEqual([...shares.map(([, addresses]) => addresses)].sort((a, b) => a - b))
  })

  it("of two addresses with a common prefix are the same", () => {
    expect(networksAround("198.51.100.7")).toEqual([
      { network: "198.51.100.0/24", addresses: 4 },
      { network: "198.51.0.0/16", addresses: 20 }
    ])
    expect(networksAround(clientNetwork("2001:db8:aaaa:1234::7"))).toEqual([
      { network: "2001:db8:aaaa:1200::/56", addresses: 2 },
      { network: "2001:db8:aaaa::/48", addresses: 4 },
      { network: "2001:db8::/32", addresses: 20 }
    ])
    expect(networksAround("unknown")).toEqual([])
  })
})

const from = (address: string, invitation?: string) =>
  callJson("/api/v1/agent/bootstrap", {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": address },
    body: JSON.stringify({ agentName: "scout", ...(invitation === undefined ? {} : { invitation }) })
  })

const madeFrom = Effect.fn("madeFrom")(function*(addresses: ReadonlyArray<string>) {
  const answers = yield* Effect.forEach(addresses, (address) => from(address))
  return answers.filter(({ status }) => status === 201).length
})

const five = (address: string) => Array.from({ length: 5 }, () => address)

const behindProxy = { BELLTOWER_TRUST_PROXY: "loopback" }

layer(programOf(behindProxy), { excludeTestServices: true, timeout: "180 seconds" })("bootstraps of strangers", (it) => {
  it.effect("are limited by the networks of IPv6 customers, who have thousands of /64s", () =>
    Effect.gen(function*() {
      yield* forgetLimits
      const at = (site: string, subnet: string) => `2001:db8:${site}:${subnet}::1`
      // One /56.
      expect(yield* madeFrom(["1201", "1202", "1203", "1204"].flatMap((net) => five(at("a", net))))).toBe(10)
      // One /48, of which two more /56s get what is left.
      expect(yield* madeFrom(["1301", "1302", "1401"].flatMap((net) => five(at("a", net))))).toBe(10)
      const refused = yield* from(at("a", "ff01"))
      expect([refused.status, refused.body.error.code, refused.headers.get("retry-after") !== null]).toEqual([
        429,
        "rate_limited",
        true
      ])
      // Its neighbours are not concerned.
      expect((yield* from(at("b", "1"))).status).toBe(201)
    }))

  it.effect("are limited by the network of IPv4 addresses", () =>
    Effect.gen(function*() {
      yield* forgetLimits
      expect(yield* madeFrom([1, 2, 3, 4, 5, 6].flatMap((host) => five(`198.51.100.${host}`)))).toBe(20)
      expect((yield* from("198.51.101.1")).status).toBe(201)
    }))

  it.effect("are limited by the networks of providers", () =>
    Effect.gen(function*() {
      yield* forgetLimits
      const sql = yield* SqlClient.SqlClient
      yield* Effect.forEach(["198.51.0.0/16", "2001:db8::/32"], (network) =>
        sql`
        insert into rate_limits (key, window_start, count)
        select ${`bootstrap-network:${network}`}, date_trunc('hour', now()) + hour, 100
        from unnest(array[interval '0', interval '1 hour']) as hour`)
      for (const address of ["198.51.7.1", "2001:db8:c:1::1"]) {
        expect([address, (yield* from(address)).status]).toEqual([address, 429])
      }
      for (const address of ["198.52.7.1", "2001:db9::1"]) {
        expect([address, (yield* from(address)).status]).toEqual([address, 201])
      }
    }))
})

const invitation = Effect.fn("invitation")(function*(code: string, uses: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into operator_invitations (token_hash, uses_left, created_at, expires_at)
    values (${createHash("sha256").update(code).digest()}, ${uses}, now(), now() + interval '1 day')`
  return code
})

const small = { ...behindProxy, BELLTOWER_BOOTSTRAPS_AN_HOUR: "3" }

layer(programOf(small), { excludeTestServices: true, timeout: "120 seconds" })("the bootstraps of an hour", (it) => {
  it.effect("have a total, which the operator sets, and which does not keep those out whom the operator invited", () =>
    Effect.gen(function*() {
      yield* forgetLimits
      const addresses = [1, 2, 3, 4, 5].map((net) => `198.51.${net}.1`)
      expect(yield* madeFrom(addresses)).toBe(3)
      const refused = yield* from("203.0.113.1")
      expect([refused.status, refused.body.error.message.includes("BELLTOWER_BOOTSTRAPS_AN_HOUR")]).toEqual([429, true])
      const code = yield* invitation("an invitation of the operator", 6)
      expect((yield* from("203.0.113.1", code)).status).toBe(201)
      // The specified limit of an address holds for them, too.
      yield* Effect.forEach(five("203.0.113.2"), (address) => from(address, code))
      expect((yield* from("203.0.113.2", code)).status).toBe(429)
    }))
})

const removal = Effect.provide(WorkspaceRemoval, WorkspaceRemoval.Default)

layer(programOf(), { excludeTestServices: true, timeout: "120 seconds" })("an unclaimed workspace", (it) => {
  const aged = Effect.fn("aged")(function*(hours: number) {
    const made = yield* bootstrapped
    const sql = yield* SqlClient.SqlClient
    const age = sql`make_interval(hours => ${hours})`
    yield* sql`
      update workspaces set created_at = created_at - ${age}, expires_at = expires_at - ${age} where id = ${made.id}`
    return made
  })
  const calls = (key: string, path: string, body: object) =>
    callJson(`/api/v1${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify(body)
    })

  it.effect("leaves after a day if it never watched anything and shows nothing", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { overdue, removeUnclaimed } = yield* removal
      const [empty, young, watching, watched, showing, lost] = yield* Effect.all([
        aged(25),
        aged(23),
        aged(25),
        aged(25),
        aged(25),
        aged(25)
      ])
      expect((yield* calls(watching.key, "/monitors", { name: "a", periodSec: 3600 })).status).toBe(201)
      const { body: gone } = yield* calls(watched.key, "/monitors", { name: "a", periodSec: 3600 })
      yield* callJson(`/api/v1/monitors/${gone.id}`, { method: "DELETE", headers: { authorization: `Bearer ${watched.key}` } })
      expect((yield* calls(showing.key, "/pages", { name: "Acme" })).status).toBe(201)
      // It was claimed once, and lost its owner: it has no end.
      yield* sql`update workspaces set expires_at = null where id = ${lost.id}`
      const due = yield* overdue(100)
      expect(due).toEqual([empty.id])
      const removed = yield* Effect.forEach([empty, young, watching, watched, showing, lost], ({ id }) =>
        removeUnclaimed(WorkspaceId.make(id)))
      expect(removed).toEqual([true, false, false, false, false, false])
      const left = yield* sql<{ readonly id: string }>`select id from workspaces where id = any(${[
        empty.id,
        showing.id
      ]}::text[])`
      expect(left.map(({ id }) =>
        id
      )).toEqual([showing.id])
    }))
})
