/** The order in which hundreds of requests that arrive together begin. */
import { describe, expect, it } from "@effect/vitest"
import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { noProxies, type TrustedProxies } from "../../../src/domain/access/TrustedProxies.ts"
import { inFairTurns, mostInTurn } from "../../../src/http/server/FairStarts.ts"

/** Ends with the turn of the event loop. */
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

const makeArrivals = (trusted: TrustedProxies = noProxies) => {
  const begun: Array<string> = []
  const listener = inFairTurns(trusted, ({ url }) => void begun.push(url ?? ""))
  const arrive = (address: string, name: string, forwardedFor?: string): ServerResponse => {
    const socket = new Socket()
    Object.defineProperty(socket, "remoteAddress", { value: address })
    const request = new IncomingMessage(socket)
    request.url = name
    if (forwardedFor !== undefined) request.headers["x-forwarded-for"] = forwardedFor
    const response = new ServerResponse(request)
    listener(request, response)
    return response
  }
  const flood = (address: string, count: number, forwardedFor?: string) =>
    Array.from({ length: count }, (_, n) => arrive(address, `${address} ${n}`, forwardedFor))
  return { begun, arrive, flood }
}

describe("requests that arrive together", () => {
  it("begin immediately while they are few, and otherwise a few in each turn of the event loop, all in the end", async () => {
    const { begun, flood } = makeArrivals()
    flood("192.0.2.1", 100)
    expect(begun).toHaveLength(mostInTurn)
    for (let turns = 0; begun.length < 100 && turns < 100; turns++) {
      const before = begun.length
      await turn()
      expect(begun.length - before).toBeLessThanOrEqual(mostInTurn)
    }
    expect(begun).toEqual(Array.from({ length: 100 }, (_, n) => `192.0.2.1 ${n}`))
  })

  it("take turns by network, so one that comes after a thousand of others is among the next", async () => {
    const { arrive, begun, flood } = makeArrivals()
    flood("192.0.2.1", 500)
    flood("2001:db8::1", 250)
    flood("2001:db8::2", 250)
    arrive("198.51.100.7", "late")
    await turn()
    expect(begun).toContain("late")
    expect(begun.length).toBeLessThanOrEqual(2 * mostInTurn)
    // Two addresses of one IPv6 network are one client.
    expect(begun.filter((name) => name.startsWith("2001"))).toHaveLength(Math.floor((mostInTurn - 1) / 2))
  })

  it("are distinguished behind a trusted proxy", async () => {
    const { arrive, begun, flood } = makeArrivals({ _tag: "Hops", hops: 1 })
    flood("10.0.0.1", 500, "192.0.2.1")
    arrive("10.0.0.1", "late", "198.51.100.7")
    await turn()
    expect(begun).toContain("late")
  })

  it("do not begin once their client has left", async () => {
    const { begun, flood } = makeArrivals()
    for (const response of flood("192.0.2.1", 40).slice(20)) response.destroy()
    for (let turns = 0; turns < 5; turns++) await turn()
    expect(begun).toHaveLength(20)
  })
})
