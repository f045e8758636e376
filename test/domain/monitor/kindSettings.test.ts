/** Each check kind's reading of its input: defaults, refusals with their paths, and edits. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import type { MonitorUpdate } from "../../../schema/monitor/Monitor.ts"
import { confidentialTexts } from "../../../src/domain/monitor/settings/ConfidentialTexts.ts"
import { hostTexts, lookupName } from "../../../src/domain/monitor/settings/HostSettings.ts"
import { settleTarget } from "../../../src/domain/monitor/settings/TargetSettings.ts"

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

describe("a heartbeat", () => {
  it("has its schedule in UTC again when its timezone is taken away", () => {
    const base: MonitorUpdate = { schedule: "0 5 * * *", timezone: "Europe/Rome" }
    expect(settled({ graceSec: 5 }, base)).toMatchObject({ timezone: "Europe/Rome" })
    expect(settled({ timezone: null }, base)).toMatchObject({ schedule: "0 5 * * *", timezone: "UTC" })
  })
})

describe("a script monitor", () => {
  it("needs code, whose URLs stay off public pages", () => {
    const code = "const r = await http.get('https://int.acme.test/x'); assert(r.ok)"
    expect(settled({ kind: "script", code })).toEqual({ kind: "script", code, degradedAfterMs: null })
    expect(refused({ kind: "script", code: " " })?.[0]).toBe("code")
    expect(confidentialTexts(settled({ kind: "script", code }))).toEqual(
      expect.arrayContaining(["https://int.acme.test/x", "int.acme.test"])
    )
  })
})

describe.each(["script", "browser"] as const)("the code of a %s monitor", (kind) => {
  const problem = (code: string) => refused({ kind, code })?.[1]

  it("is parsed, and never run", () => {
    const refusal = "code is not valid JavaScript: "
    expect(settled({ kind, code: "await sleep(1)\nreturn" })).toMatchObject({ kind })
    expect(problem("const a = 1\nconst b = ;")).toBe(`${refusal}line 2: Unexpected token ';'`)
    expect(problem("if (true) {")).toBe(`${refusal}it ends within a block, a call or a text`)
    expect(problem("[".repeat(49_999))).toBe(`${refusal}it is nested too deeply`)
    expect(problem("}); globalThis.hasRun = true; (() => {")).toBeUndefined()
    expect("hasRun" in globalThis).toBe(false)
  })

  it("that was stored before stays, so that other settings can be edited", () => {
    const stored = { ...settled({ kind, code: "await sleep(1)" }), code: "const = 1" }
    const edited = Either.getOrThrow(settleTarget({ degradedAfterMs: 500 }, stored))
    expect(edited).toMatchObject({ code: "const = 1", degradedAfterMs: 500 })
  })
})

describe("a manifest monitor", () => {
  it("needs a URL without credentials, and is never inferred", () => {
    const url = "https://status.example.com/summary.json"
    expect(settled({ kind: "manifest", url })).toEqual({ kind: "manifest", url, degradedAfterMs: null, sslExpiryDays: null })
    expect(settled({ url }).kind).toBe("http")
    expect(refused({ kind: "manifest" })?.[0]).toBe("url")
    expect(refused({ kind: "manifest", url: "https://a:b@status.example.com/" })?.[0]).toBe("url")
    expect(refused({ kind: "manifest", url, keyword: "x" })?.[0]).toBe("keyword")
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

describe("a grpc monitor", () => {
  const base = { kind: "grpc", host: "api.example.com", port: 443 } as const

  it("asks about the whole server over TLS by default", () => {
    expect(settled(base)).toEqual({ ...base, tls: true, service: "", degradedAfterMs: null, sslExpiryDays: null })
    expect(settled({ tls: false, service: "shop.v1.Orders" }, base)).toMatchObject({ tls: false, service: "shop.v1.Orders" })
    expect(refused({ kind: "grpc", host: "a.test" })).toEqual(["port", "port is required for grpc monitors"])
    expect(refused({ ...base, tls: false, sslExpiryDays: 14 })?.[0]).toBe("tls")
    expect(refused({ ...base, headers: { "grpc-timeout": "1S" } })?.[0]).toBe("headers.grpc-timeout")
    expect(refused({ ...base, keyword: "x" })?.[0]).toBe("keyword")
  })
})

describe("a websocket monitor", () => {
  it("needs a URL of ws or wss, and refuses the headers of the handshake", () => {
    const url = "wss://live.example.com/feed"
    expect(settled({ kind: "websocket", url, keyword: "ready" })).toEqual({
      kind: "websocket",
      url,
      keyword: "ready",
      degradedAfterMs: null,
      sslExpiryDays: null
    })
    expect(refused({ kind: "websocket" })).toEqual(["url", "url is required for websocket monitors"])
    expect(refused({ kind: "websocket", url: "wss://a:b@live.example.com/" })?.[0]).toBe("url")
    expect(refused({ kind: "websocket", url, headers: { "Sec-WebSocket-Key": "x" } })?.[0]).toBe("headers.Sec-WebSocket-Key")
    expect(refused({ url })).toEqual(["url", "The url of http monitors begins with http:// or https://"])
    expect(refused({ kind: "manifest", url })?.[0]).toBe("url")
  })
})

describe("an mcp monitor", () => {
  const url = "https://mcp.example.com/mcp"
  const base = { kind: "mcp", url } as const

  it("needs a URL, and refuses the headers of the protocol", () => {
    expect(settled({ ...base, callTool: "search", body: "{}" })).toEqual({
      kind: "mcp",
      url,
      tokenUrl: null,
      clientId: null,
      scope: null,
      expectedTools: [],
      pinnedTools: [],
      callTool: "search",
      callMayChange: false,
      degradedAfterMs: null,
      sslExpiryDays: null,
      assertions: []
    })
    expect(refused({ kind: "mcp" })).toEqual(["url", "url is required for mcp monitors"])
    expect(refused({ ...base, headers: { "Mcp-Session-Id": "x" } })?.[0]).toBe("headers.Mcp-Session-Id")
    expect(refused({ ...base, headers: { Authorization: "Bearer x" } })).toBeNull()
    expect(refused({ url, expectedTools: ["a"] })?.[0]).toBe("expectedTools")
  })

  it("takes client credentials as a whole, and arguments only of a call", () => {
    const credentials = { tokenUrl: "https://auth.example.com/token", clientId: "belltower" }
    expect(settled({ ...base, ...credentials })).toMatchObject({ tokenUrl: credentials.tokenUrl, clientId: "belltower" })
    const paths = [
      { ...credentials, clientId: null },
      { ...credentials, tokenUrl: null },
      { ...credentials, tokenUrl: "https://auth.example.com/token?key=1" },
      { ...credentials, headers: { authorization: "Bearer x" } },
      { body: "{}" },
      { body: "[1]", callTool: "search" },
      { pinnedTools: ["search"] },
      { assertions: [{ source: "status", op: "eq", value: 200 }] as const }
    ].map((more) => refused({ ...base, ...more })?.[0])
    expect(paths).toEqual([
      "clientId",
      "tokenUrl",
      "tokenUrl",
      "headers.authorization",
      "body",
      "body",
      "pinnedTools.0",
      "assertions.0.source"
    ])
  })
})

describe("a ping or domain monitor", () => {
  it("needs a host, and a domain is no address", () => {
    expect(settled({ kind: "ping", host: "192.0.2.1" })).toEqual({ kind: "ping", host: "192.0.2.1", degradedAfterMs: null })
    expect(refused({ kind: "ping" })).toEqual(["host", "host is required for ping monitors"])
    expect(refused({ kind: "ping", host: "-c 1" })?.[0]).toBe("host")
    expect(settled({ kind: "domain", host: "example.com" })).toEqual({ kind: "domain", host: "example.com", expiryDays: 30 })
    for (const host of ["192.0.2.1", "localhost", "https://example.com"]) {
      expect([host, refused({ kind: "domain", host })?.[0]]).toEqual([host, "host"])
    }
  })
})
