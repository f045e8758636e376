/** Sessions that every process of a deployment knows, and that end everywhere. */
import { describe, expect, layer } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js"
import { Context, Effect, FastCheck as fc, Layer } from "effect"
import { makeLinkSigner } from "../../src/domain/access/LinkSigner.ts"
import { makeSessionId, readSessionId } from "../../src/domain/access/SignedText.ts"
import { operations } from "../../src/http/openapi/Operations.ts"
import { ServerAddress } from "../../src/http/server/ServeApp.ts"
import { servedVersions } from "../../src/mcp/protocol/ProtocolVersion.ts"
import { initialize, rpc } from "../support/mcp/Rpc.ts"
import { call, callJson, newKey, post, serverOver, TestServer } from "../support/program/TestServer.ts"

const withSession = (id: string, key: Record<string, string>) => ({ ...key, "mcp-session-id": id })

/** A new session, and the headers of messages in it. */
const begin = Effect.gen(function*() {
  const { headers: key } = yield* newKey()
  const { headers } = yield* post("/mcp", initialize("2025-11-25"), key)
  const id = headers.get("mcp-session-id") ?? ""
  return { id, key, within: withSession(id, key) }
})

/** Another process of the same deployment: its own server on the same database. */
const elsewhere = Effect.map(Layer.build(Layer.fresh(serverOver())), (context) => Context.get(context, ServerAddress))

layer(TestServer, { excludeTestServices: true })("an MCP session", (it) => {
  it.scoped("continues in another process, and is over everywhere once a client ended it in one", () =>
    Effect.gen(function*() {
      const { within } = yield* begin
      const there = yield* elsewhere
      const inTheOther = Effect.provideService(ServerAddress, there)
      expect((yield* post("/mcp", rpc("tools/list"), within).pipe(inTheOther)).status).toBe(200)
      expect((yield* call("/mcp", { method: "DELETE", headers: within }).pipe(inTheOther)).status).toBe(200)
      for (
        const here of [post("/mcp", rpc("ping"), within), post("/mcp", rpc("ping"), within).pipe(inTheOther)]
      ) {
        const { body, status } = yield* here
        expect([status, body.error.code]).toEqual([404, "not_found"])
      }
    }))

  it.scoped("is resumed by the SDK's client, in another process too", () =>
    Effect.gen(function*() {
      const { id, key, within } = yield* begin
      const there = yield* elsewhere
      const transport = new StreamableHTTPClientTransport(new URL(`http://${there.host}:${there.port}/mcp`), {
        sessionId: id,
        requestInit: { headers: key }
      })
      const client = new Client({ name: "test", version: "1" })
      // With an existing session the client skips the initialization.
      yield* Effect.acquireRelease(
        Effect.promise(() => client.connect(transport as Transport)),
        () => Effect.promise(() => client.close())
      )
      const { tools } = yield* Effect.promise(() => client.listTools())
      expect(tools.length).toBe(operations.length)
      yield* Effect.promise(() => transport.terminateSession())
      expect((yield* post("/mcp", rpc("ping"), within)).status).toBe(404)
    }))

  it.effect("cannot be invented by a client", () =>
    Effect.gen(function*() {
      const { id, key } = yield* begin
      for (const made of ["x", `${id}x`, id.slice(1), id.replace(/^\w+/, "zzzzzz"), "0".repeat(4000)]) {
        expect([made.slice(0, 80), (yield* post("/mcp", rpc("ping"), withSession(made, key))).status]).toEqual([
          made.slice(0, 80),
          404
        ])
      }
    }))

  describe("and protocol versions", () => {
    it.effect("start with any version of the SDK, and with the newest for an unknown one", () =>
      Effect.gen(function*() {
        expect(SUPPORTED_PROTOCOL_VERSIONS).toEqual(expect.arrayContaining(["2025-06-18", "2025-11-25"]))
        const { headers: key } = yield* newKey()
        for (const version of SUPPORTED_PROTOCOL_VERSIONS) {
          const begun = yield* post("/mcp", initialize(version), key)
          expect(begun.body.result.protocolVersion).toBe(version)
          const next = yield* post("/mcp", rpc("ping"), {
            ...withSession(begun.headers.get("mcp-session-id") ?? "", key),
            "mcp-protocol-version": version
          })
          expect([version, next.status]).toEqual([version, 200])
        }
        expect((yield* post("/mcp", initialize("1999-01-01"), key)).body.result.protocolVersion).toBe(
          SUPPORTED_PROTOCOL_VERSIONS[0]
        )
      }))

    it.effect("that nobody knows get the error that the newest defines, with the versions to fall back to", () =>
      Effect.gen(function*() {
        const { headers: key } = yield* newKey()
        const modern = "2027-01-01"
        const meta = { _meta: { "io.modelcontextprotocol/protocolVersion": modern } }
        const asked = [
          post("/mcp", rpc("server/discover", meta), { ...key, "mcp-protocol-version": modern }),
          post("/mcp/public", rpc("tools/list"), { "mcp-protocol-version": modern })
        ]
        for (const one of asked) {
          const { body, status } = yield* one
          expect([status, body]).toEqual([400, {
            jsonrpc: "2.0",
            id: 1,
            error: {
              code: -32022,
              message: "Unsupported protocol version",
              data: { supported: servedVersions, requested: modern }
            }
          }])
        }
        const fallsBack = yield* post("/mcp", initialize(modern), { ...key, "mcp-protocol-version": modern })
        expect([fallsBack.status, fallsBack.body.result.protocolVersion]).toEqual([200, SUPPORTED_PROTOCOL_VERSIONS[0]])
      }))

    it.effect("that are unsupported get a 400 on every method", () =>
      Effect.gen(function*() {
        const { within } = yield* begin
        const headers = { ...within, "mcp-protocol-version": "1999-01-01", accept: "text/event-stream" }
        expect((yield* post("/mcp", rpc("tools/list"), headers)).status).toBe(400)
        expect((yield* callJson("/mcp", { headers })).status).toBe(400)
        expect((yield* callJson("/mcp", { method: "DELETE", headers })).status).toBe(400)
      }))
  })
})

const [own, foreign] = [makeLinkSigner(Buffer.alloc(32, 1)), makeLinkSigner(Buffer.alloc(32, 2))]

layer(Layer.empty)("a session's id", (it) => {
  it.prop(
    "shows its expiry and what its client declared to the deployment that created it, and nothing to any other",
    [
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
      fc.integer({ min: 0, max: 4_000_000_000_000 }),
      fc.stringMatching(/^[a-z]{0,8}$/),
      fc.string()
    ],
    ([nonce, nowMillis, declared, text]) => {
      const id = makeSessionId(own, "ws_1", { declared, nonce, nowMillis })
      const session = readSessionId(own, "ws_1", id)
      const lasts = (session?.endsAt ?? 0) - nowMillis
      return id.length <= 100 && lasts > 0 && lasts <= 7 * 86_400_000 && session?.declared === declared &&
        readSessionId(foreign, "ws_1", id) === null && readSessionId(own, "ws_2", id) === null &&
        readSessionId(own, "ws_1", text) === null
    }
  )
})
