/** The protocol version without sessions, beside those that begin with one. The conformance suite tests the rest. */
import { expect, layer } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer } from "effect"
import { servedVersions } from "../../src/mcp/protocol/ProtocolVersion.ts"
import { statelessRefusal } from "../../src/mcp/protocol/StatelessRequest.ts"
import { call, newKey, post, TestServer } from "../support/program/TestServer.ts"

const version = "2026-07-28"

const metaOf = (protocolVersion: string, capabilities: object = {}) => ({
  "io.modelcontextprotocol/protocolVersion": protocolVersion,
  "io.modelcontextprotocol/clientCapabilities": capabilities
})

const rpc = (method: string, params: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  params: { _meta: metaOf(version), ...params }
})

const headersOf = (method: string, more: Record<string, string> = {}) => ({
  "mcp-protocol-version": version,
  "mcp-method": method,
  ...more
})

const discover = rpc("server/discover")

layer(TestServer, { excludeTestServices: true })("in the version without sessions", (it) => {
  it.effect("a client discovers both endpoints", () =>
    Effect.gen(function*() {
      const { headers: key } = yield* newKey()
      for (const [path, scope] of [["/mcp", "private"], ["/mcp/public", "public"]] as const) {
        const { body, headers, status } = yield* post(path, discover, { ...key, ...headersOf("server/discover") })
        expect([status, headers.get("mcp-session-id")]).toEqual([200, null])
        expect(body.result).toMatchObject({
          resultType: "complete",
          supportedVersions: servedVersions,
          cacheScope: scope,
          _meta: { "io.modelcontextprotocol/serverInfo": { name: "belltower" } }
        })
        // No list changes by itself, nothing is logged, and nothing can be subscribed to.
        expect(body.result.capabilities).toEqual({ tools: {}, prompts: {}, resources: {}, completions: {} })
        expect(body.result.instructions).toContain("Belltower")
      }
      expect(servedVersions).toEqual(expect.arrayContaining([version, "2025-11-25", "2025-06-18"]))
    }))

  it.effect("what the server does not offer is an unknown method, and a session is ignored", () =>
    Effect.gen(function*() {
      const { headers: key } = yield* newKey()
      for (const method of ["subscriptions/listen", "resources/subscribe", "initialize", "ping", "nonsense"]) {
        const { body, status } = yield* post("/mcp", rpc(method), { ...key, ...headersOf(method, { "mcp-session-id": "ended" }) })
        expect([method, status, body.error.code]).toEqual([method, 404, -32601])
      }
    }))

  it.effect("a batch is refused, and a notification is taken", () =>
    Effect.gen(function*() {
      const { headers: key } = yield* newKey()
      const batch = yield* post("/mcp", [discover], { ...key, ...headersOf("server/discover") })
      expect([batch.status, batch.body.error.code]).toEqual([400, -32600])
      const { status } = yield* call("/mcp", {
        method: "POST",
        headers: { "content-type": "application/json", ...key, ...headersOf("notifications/cancelled") },
        body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })
      })
      expect(status).toBe(202)
    }))

  it.effect("a header may be the encoded text of the body's field", () =>
    Effect.gen(function*() {
      const { headers: key } = yield* newKey()
      const encoded = `=?base64?${Buffer.from("whoami").toString("base64")}?=`
      for (
        const [name, expected] of [["whoami", 200], [encoded, 200], ["=?base64?d2hvYW1p!?=", 400], ["list_pages", 400]] as const
      ) {
        const { status } = yield* post("/mcp", rpc("tools/call", { name: "whoami" }), {
          ...key,
          ...headersOf("tools/call", { "mcp-name": name })
        })
        expect([name, status]).toEqual([name, expected])
      }
    }))

  it.effect("a browser may send its headers", () =>
    Effect.gen(function*() {
      const { headers } = yield* call("/mcp", {
        method: "OPTIONS",
        headers: { origin: "https://a.test", "access-control-request-method": "POST" }
      })
      const allowed = (headers.get("access-control-allow-headers") ?? "").toLowerCase()
      for (const name of ["mcp-protocol-version", "mcp-method", "mcp-name"]) expect(allowed).toContain(name)
    }))
})

layer(Layer.empty)("any name of a tool", (it) => {
  it.prop(
    "is the body's if a header has it encoded",
    [fc.string({ unit: "grapheme", minLength: 1 })],
    ([name]) =>
      statelessRefusal(
        headersOf("tools/call", { "mcp-name": `=?base64?${Buffer.from(name).toString("base64")}?=` }),
        rpc("tools/call", { name })
      ) === null
  )
})
