/** What each check kind makes of its input: defaults, refusals with their paths, and edits. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import type { MonitorUpdate } from "../../../schema/monitor/Monitor.ts"
import { confidentialTexts } from "../../../src/domain/monitor/ConfidentialTexts.ts"
import { hostTexts, lookupName } from "../../../src/domain/monitor/HostSettings.ts"
import { settleTarget } from "../../../src/domain/monitor/TargetSettings.ts"

const settled = (input: MonitorUpdate, base: MonitorUpdate | null = null) =>
  Either.getOrThrow(settleTarget(input, base === null ? null : Either.getOrThrow(settleTarget(base, null))))

const refused = (input: MonitorUpdate, base: MonitorUpdate | null = null) =>
  Either.match(settleTarget(input, base === null ? null : Either.getOrThrow(settleTarget(base, null))), {
    onLeft: ({ message, path }) => [path, message],
    onRight: () => null
  })

describe("a host", () => {
  it("is a name or an address, and nothing around it", () => {
    expect(lookupName("db.example.com.")).toBe("db.example.com")
    expect(lookupName("DB.example.com")).toBe("db.example.com")
    expect(lookupName("bücher.example")).toBe("xn--bcher-kva.example")
    expect(lookupName("[2001:db8::1]")).toBe("2001:db8::1")
    expect(lookupName("_dmarc.example.com")).toBe("_dmarc.example.com")
    // Old spellings of IPv4 addresses are addresses, so that the egress guard sees them.
    expect(lookupName("0x7f.1")).toBe("127.0.0.1")
    expect(lookupName("2130706433")).toBe("127.0.0.1")
    expect(lookupName("0177.0.0.1")).toBe("127.0.0.1")
    for (
      const wrong of [
        "",
        " ",
        "http://a.test",
        "a.test:80",
        "a.test/path",
        "a b",
        "user@a.test",
        "a%2e.test",
        "[::1",
        "999.1.1.1"
      ]
    ) {
      expect([wrong, lookupName(wrong)]).toEqual([wrong, null])
    }
  })

  it("is hidden from public pages in all its spellings", () => {
    expect(hostTexts("[2001:db8::1]", 5432)).toEqual(expect.arrayContaining(["2001:db8::1", "[2001:db8::1]:5432"]))
    expect(confidentialTexts(settled({ host: "DB.int.acme.test", port: 5432 }))).toEqual(
      expect.arrayContaining(["DB.int.acme.test", "db.int.acme.test", "db.int.acme.test:5432"])
    )
    expect(confidentialTexts(settled({ kind: "dns", host: "int.acme.test", resolvers: ["10.0.0.53"] }))).toEqual(
      expect.arrayContaining(["int.acme.test", "10.0.0.53"])
    )
  })
})

describe("a tcp monitor", () => {
  const base = { host: "db.example.com", port: 5432 }

  it("needs a host and a port, and connects without TLS", () => {
    expect(settled(base)).toEqual({
      kind: "tcp",
      ...base,
      tls: false,
      degradedAfterMs: null,
      sslExpiryDays: null,
      assertions: []
    })
    expect(refused({ kind: "tcp", port: 1 })).toEqual(["host", "host is required for tcp monitors"])
    expect(refused({ kind: "tcp", host: "a.test" })).toEqual(["port", "port is required for tcp monitors"])
    expect(refused({ host: "http://a.test", port: 80 })?.[0]).toBe("host")
  })

  it("shakes hands when something is expected of the certificate, and refuses to leave it out then", () => {
    expect(settled({ ...base, sslExpiryDays: 14 })).toMatchObject({ tls: true, sslExpiryDays: 14 })
    expect(settled({ sslExpiryDays: 14 }, base)).toMatchObject({ tls: true })
    expect(refused({ ...base, tls: false, sslExpiryDays: 14 })?.[0]).toBe("tls")
    expect(refused({ tls: false }, { ...base, sslExpiryDays: 14 })?.[0]).toBe("tls")
    expect(settled({ tls: false, sslExpiryDays: null }, { ...base, sslExpiryDays: 14 })).toMatchObject({ tls: false })
  })

  it("accepts assertions on the latency and the certificate only", () => {
    expect(settled({ ...base, assertions: [{ source: "latency", op: "lt", value: 100 }] })).toMatchObject({ tls: false })
    expect(refused({ ...base, assertions: [{ source: "body", op: "exists" }] })?.[0]).toBe("assertions.0.source")
  })
})

describe("a dns monitor", () => {
  const base = { kind: "dns", host: "example.com" } as const

  it("asks the system's servers for A records by default", () => {
    expect(settled(base)).toEqual({
      ...base,
      port: null,
      recordType: "A",
      expected: [],
      resolvers: [],
      degradedAfterMs: null
    })
    expect(refused({ kind: "dns" })).toEqual(["host", "host is required for dns monitors"])
  })

  it("refuses addresses, resolvers with a port, and values that its records cannot have", () => {
    expect(refused({ ...base, host: "192.0.2.1" })?.[0]).toBe("host")
    expect(refused({ ...base, resolvers: ["1.1.1.1", "8.8.8.8:53"] })?.[0]).toBe("resolvers.1")
    expect(refused({ ...base, expected: ["2001:db8::1"] })).toEqual(["expected.0", "\"2001:db8::1\" is not an IPv4 address"])
    expect(refused({ recordType: "AAAA" }, { ...base, expected: ["192.0.2.1"] })?.[0]).toBe("expected.0")
  })
})
