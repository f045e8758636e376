/** Which forwarded client addresses are trusted. */
import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { clientBehind, noProxies, parseTrustedProxies } from "../../../src/domain/access/TrustedProxies.ts"

const trusted = (text: string) => Either.getOrThrow(parseTrustedProxies(text))

const address = fc.ipV4()

describe("a client's address", () => {
  it("is the connection's address when no proxy is trusted, whatever the header contains", () => {
    fc.assert(fc.property(address, fc.string(), (peer, header) => {
      expect(clientBehind(noProxies, peer, header)).toBe(peer)
    }))
  })

  it("is the connection's address when that is not a trusted proxy", () => {
    expect(clientBehind(trusted("10.0.0.0/8"), "203.0.113.9", "198.51.100.1")).toBe("203.0.113.9")
  })

  it("is the nearest address that is not a trusted proxy, whatever a client wrote before it", () => {
    fc.assert(fc.property(fc.string(), (forged) => {
      expect(clientBehind(trusted("private"), "10.0.0.1", `${forged}, 203.0.113.9, 10.0.0.2`)).toBe("203.0.113.9")
      expect(clientBehind(trusted("2"), "198.51.100.7", `${forged}, 203.0.113.9, 198.51.100.8`)).toBe("203.0.113.9")
    }))
  })

  it("is read in every form that proxies write", () => {
    const seen = (entry: string) => clientBehind(trusted("loopback"), "::ffff:127.0.0.1", entry)
    expect(seen("203.0.113.9:4711")).toBe("203.0.113.9")
    expect(seen("[2001:db8::1]:4711")).toBe("2001:db8::1")
    expect(seen("2001:db8::1")).toBe("2001:db8::1")
    expect(seen("::ffff:203.0.113.9")).toBe("203.0.113.9")
  })

  it("is the last proxy's address when the header is unusable", () => {
    for (const header of ["", "unknown", "_hidden", "203.0.113.9, not an address", "0x7f.1"]) {
      expect(clientBehind(trusted("loopback"), "127.0.0.1", header)).toBe("127.0.0.1")
    }
  })

  it("is the first address when every hop is trusted", () => {
    expect(clientBehind(trusted("private"), "10.0.0.1", "10.0.0.3, 10.0.0.2")).toBe("10.0.0.3")
  })
})

describe("the setting", () => {
  it("accepts names, addresses, ranges, or the number of proxies", () => {
    expect(trusted("loopback, 10.0.0.0/8,fd00::/8")).toMatchObject({ _tag: "Ranges" })
    expect(trusted("2")).toEqual({ _tag: "Hops", hops: 2 })
    expect(trusted("")).toEqual(noProxies)
  })

  it("names the invalid entry", () => {
    expect(parseTrustedProxies("10.0.0.0/8, nginx")).toEqual(
      Either.left("\"nginx\" is neither an IP address nor a range such as 10.0.0.0/8, nor loopback or private")
    )
    expect(Either.isLeft(parseTrustedProxies("0"))).toBe(true)
    expect(Either.isLeft(parseTrustedProxies("true"))).toBe(true)
  })
})
