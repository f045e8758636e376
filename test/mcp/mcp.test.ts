/** The tools, through the SDK's own client. */
import { describe, expect, layer } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { Cause, Effect } from "effect"
import { operations } from "../../src/http/openapi/Operations.ts"
import { RequestId } from "../../src/http/server/RequestId.ts"
import { ServerAddress } from "../../src/http/server/ServeApp.ts"
import { invalidParams, toldOf } from "../../src/mcp/protocol/ProtocolError.ts"
import { initialize, rpc } from "../support/mcp/Rpc.ts"
import { call, callJson, type Json, newKey, post, TestServer } from "../support/program/TestServer.ts"

const connect = Effect.fn("connect")(function*(path: string, headers: Record<string, string> = {}) {
  const { host, port } = yield* ServerAddress
  const transport = new StreamableHTTPClientTransport(new URL(`http://${host}:${port}${path}`), { requestInit: { headers } })
  const client = new Client({ name: "test", version: "1" })
  // The SDK's class declares its optional session id differently than its interface does.
  yield* Effect.acquireRelease(
    Effect.promise(() => client.connect(transport as Transport)),
    () => Effect.promise(() => client.close())
  )
  return { client, transport }
})

const use = (client: Client, name: string, given: Record<string, unknown> = {}) =>
  Effect.map(
    Effect.promise(() => client.callTool({ name, arguments: given })),
    (
      { content, isError }: Json
    ): { content: Json; isError: boolean; text: Json } => ({
      content,
      isError: isError === true,
      text: JSON.parse(content[0].text)
    })
  )

/** A client with its own key. */
const connectWithKey = Effect.flatMap(newKey(), ({ headers }) => connect("/mcp", headers))

layer(TestServer, { excludeTestServices: true })("the MCP endpoint", (it) => {
  describe("lists", () => {
    it.scoped("every operation as a tool of the same name", () =>
      Effect.gen(function*() {
        const { client } = yield* connectWithKey
        const { tools } = yield* Effect.promise(() => client.listTools())
        expect(tools.map(({ name }) => name)).toEqual(operations.map(({ id }) => id))
        for (const { annotations, description, inputSchema, name } of tools) {
          expect([name, inputSchema.type, description?.length !== 0]).toEqual([name, "object", true])
          const operation = operations.find(({ id }) => id === name)
          const reads = operation?.method === "GET" || operation?.scope === "read"
          // With the defaults of the protocol, for hints that a tool leaves out.
          const { destructiveHint = true, idempotentHint = false, openWorldHint = true, readOnlyHint = false } = annotations ?? {}
          const reachesOut = operation?.reachesOut === true || (operation?.reachesOutWith ?? null) !== null
          expect([name, readOnlyHint, openWorldHint]).toEqual([name, reads, operation?.hints.heardOutside ?? reachesOut])
          expect([name, idempotentHint]).toEqual([name, reads || operation?.method !== "POST"])
          if (!reads) {
            expect([name, destructiveHint]).toEqual([name, operation?.hints.destroys ?? operation?.method === "DELETE"])
          }
        }
        expect(tools.find(({ name }) => name === "run_check")?.annotations).toEqual({ destructiveHint: false })
      }))

    it.scoped("on the public endpoint only those that need no key", () =>
      Effect.gen(function*() {
        const { client } = yield* connect("/mcp/public")
        const { tools } = yield* Effect.promise(() => client.listTools())
        expect(tools.map(({ name }) => name)).toEqual(operations.filter(({ scope }) => scope === "public").map(({ id }) => id))
        expect(client.getInstructions()).toContain("bootstrap_workspace")
      }))

    it.scoped("flat inputs with the ranges of their numbers, and no dangling reference", () =>
      Effect.gen(function*() {
        const { client } = yield* connectWithKey
        const { tools } = yield* Effect.promise(() => client.listTools())
        const input = (name: string): Json => tools.find((tool) => tool.name === name)?.inputSchema
        expect(input("whoami")).toEqual({ type: "object", properties: {}, additionalProperties: false })
        expect(input("create_monitor").required).toEqual(["name"])
        expect(input("create_monitor").properties.intervalSec).toMatchObject({ type: "integer", minimum: 10 })
        expect(input("list_checks").required).toEqual(["id"])
        expect(input("list_checks").properties.limit).toEqual({ type: "integer" })
        expect(Object.keys(input("update_monitor").properties)).toEqual(expect.arrayContaining(["id", "name", "paused"]))
        expect(input("create_channel").properties.headers).toMatchObject({ type: "object" })
        expect(input("create_monitor").properties.body).toMatchObject({ type: ["string", "null"] })
        for (const { inputSchema, name } of tools) {
          for (const word of ["patternProperties", "$ref", "$defs", "\\\\S", "examples", "\"type\":\"null\""]) {
            expect([name, JSON.stringify(inputSchema)]).toEqual([name, expect.not.stringContaining(word)])
          }
        }
      }))
  })

  describe("calls", () => {
    it.scoped("take an agent from nothing to its own workspace", () =>
      Effect.gen(function*() {
        const { client } = yield* connect("/mcp/public")
        const born = yield* use(client, "bootstrap_workspace", { agentName: "scout" })
        expect(born.isError).toBe(false)
        expect(born.content.length).toBe(1)
        expect(born.text.nextStep).toContain("/mcp?toolsets=essential with the header Authorization: Bearer <apiKey>")
        const authorization = `Bearer ${born.text.apiKey}`
        expect(born.text.connect["Claude Code"]).toContain(`/mcp --header "Authorization: ${authorization}"`)
        expect(born.text.connect["Cursor, .cursor/mcp.json"].mcpServers.belltower.headers).toEqual({
          Authorization: authorization
        })
        expect(born.text.connect["VS Code, .vscode/mcp.json"].servers.belltower.type).toBe("http")
        const keyed = yield* connect("/mcp", { authorization: `Bearer ${born.text.apiKey}` })
        expect(keyed.client.getInstructions()).toContain("create_service")
        const me = yield* use(keyed.client, "whoami")
        expect(me.text.workspace.id).toBe(born.text.workspace.id)
      }))

    it.scoped("pass each argument to the right place of the operation", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { client } = yield* connect("/mcp", headers)
        const listed = yield* use(client, "list_checks", { id: "mon_1", limit: 5, evidence: true })
        expect(listed.text.seen).toEqual({ path: { id: "mon_1" }, urlParams: { limit: 5, evidence: true } })
        const updated = yield* use(client, "update_monitor", { id: "mon/1?x", name: "api", tags: ["a"] })
        expect(updated.text.seen).toEqual({ path: { id: "mon/1?x" }, payload: { name: "api", tags: ["a"] } })
        const events = yield* use(client, "list_events", { types: ["monitor.up", "monitor.down"] })
        expect(events.text).toEqual({ data: [], next: null, newest: null })
      }))

    it.scoped("that fail return the same envelope as over REST", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey(["read"])
        const { client } = yield* connect("/mcp", headers)
        const forbidden = yield* use(client, "create_monitor", { name: "api", url: "https://example.com" })
        const overRest = yield* post("/api/v1/monitors", { name: "api", url: "https://example.com" }, headers)
        expect([forbidden.isError, forbidden.text]).toEqual([true, overRest.body])
        expect(forbidden.text.error.code).toBe("forbidden")
        const broken = yield* use(client, "get_check", { id: "chk_1" })
        expect([broken.isError, broken.text.error.code]).toEqual([true, "internal"])
      }))

    it.scoped("with wrong arguments report every issue, as over REST", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { client } = yield* connect("/mcp", headers)
        const given = { intervalSec: "60", nmae: "api" }
        const overRest = yield* post("/api/v1/monitors", given, headers)
        const refused = yield* use(client, "create_monitor", given)
        expect([refused.isError, refused.text]).toEqual([true, overRest.body])

        const path = yield* use(client, "get_monitor", { monitorId: "inc_1" })
        expect(path.text.error.details).toEqual([
          { path: "id", message: "Required" },
          { path: "monitorId", message: "Unknown field" }
        ])
        expect(path.text.error.hint).toBe("Fields of get_monitor: checks, id")
        for (const id of ["..", ".", "", {}]) {
          const odd = yield* use(client, "get_monitor", { id })
          expect([odd.isError, odd.text.error.details[0].path]).toEqual([true, "id"])
        }
        const query = yield* use(client, "list_events", { limit: 1000 })
        expect(query.text.error.details).toEqual([{
          path: "limit",
          message: "Expected a whole number from 1 to 500, got \"1000\""
        }])
      }))

    it.scoped("take an id under another name where its prefix says what it is", () =>
      Effect.gen(function*() {
        const { client } = yield* connectWithKey
        const seen = (name: string, given: Record<string, unknown>) =>
          Effect.map(use(client, name, given), ({ text }) => text.seen?.path ?? text.seen?.payload?.monitorId)
        expect(yield* seen("list_checks", { monitorId: "mon_1" })).toEqual({ id: "mon_1" })
        expect(yield* seen("delete_channel", { channelId: "ch_1" })).toEqual({ id: "ch_1" })
        expect(yield* seen("get_page", { slug: "acme" })).toEqual({ pageId: "acme" })
        expect(yield* seen("simulate_monitor", { id: "mon_1" })).toBe("mon_1")
        expect((yield* use(client, "get_page", { id: "mon_1" })).isError).toBe(true)
      }))

    it.scoped("find and use the tools that the toolset essential does not list", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { client } = yield* connect("/mcp?toolsets=essential", headers)
        const { tools } = yield* Effect.promise(() => client.listTools())
        const names = tools.map(({ name }) => name)
        expect(names).toEqual(expect.arrayContaining(["create_service", "search_tools", "use_tool"]))
        expect(names).not.toContain("swap_oncall_shifts")
        const found = yield* use(client, "search_tools", { query: "swap shifts of two people on call" })
        expect(found.text.tools[0]).toMatchObject({
          name: "swap_oncall_shifts",
          inputSchema: { required: ["one", "other", "id"] }
        })
        for (
          const [query, name] of [
            ["snooze notifications", "create_mute"],
            ["retry a failed webhook", "replay_delivery"],
            ["the SLA of last month", "get_monitor_uptime"]
          ]
        ) {
          const { text } = yield* use(client, "search_tools", { query })
          expect([query, text.tools[0]?.name]).toEqual([query, name])
        }
        // If nothing fits, the names of all tools may.
        const { text: strange } = yield* use(client, "search_tools", { query: "constructor xyzzy" })
        expect([strange.tools, strange.others.includes("create_mute")]).toEqual([[], true])
        const used = yield* use(client, "use_tool", { name: "list_checks", arguments: { id: "mon_1" } })
        expect(used.text.seen.path).toEqual({ id: "mon_1" })
        const unknown = yield* use(client, "use_tool", { name: "list_chekcs" })
        expect([unknown.isError, unknown.text.error.details[0].message]).toEqual([
          true,
          "No such tool; did you mean list_checks?"
        ])
      }))

    it.scoped("have structured content that fits its schema where the client asks for it", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { client } = yield* connect("/mcp?structured=true&toolsets=events", headers)
        const { tools } = yield* Effect.promise(() => client.listTools())
        expect(tools[0]?.outputSchema?.type).toBe("object")
        // The client checks the content against the schema.
        const { structuredContent } = yield* Effect.promise(() => client.callTool({ name: "list_events", arguments: {} }))
        expect(structuredContent).toEqual({ data: [], next: null, newest: null })
      }))

    it.scoped("of an unknown tool suggest the closest one", () =>
      Effect.gen(function*() {
        const { client } = yield* connectWithKey
        const failure = yield* Effect.flip(Effect.tryPromise(() => client.callTool({ name: "create_monitors" })))
        expect(String(failure.error)).toContain("did you mean create_monitor?")
      }))
  })

  describe("serves", () => {
    it.effect("clients without a session, message by message", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { body, status } = yield* post("/mcp", rpc("tools/list"), headers)
        expect([status, body.result.tools.length]).toEqual([200, operations.length])
      }))

    it.effect("clients with a session, until they end it", () =>
      Effect.gen(function*() {
        const { headers: key } = yield* newKey()
        const begun = yield* post("/mcp", initialize("2025-06-18"), key)
        const session = begun.headers.get("mcp-session-id") ?? ""
        expect(begun.body.result.protocolVersion).toBe("2025-06-18")
        expect(session).toMatch(/^[\x21-\x7e]+$/)
        const headers = { ...key, "mcp-session-id": session, accept: "text/event-stream" }
        expect((yield* post("/mcp", rpc("tools/list"), headers)).status).toBe(200)
        // With 404 a client would begin another session.
        const unknown = yield* post("/mcp", rpc("resources/subscribe", { uri: "belltower://monitors/mon_1" }), headers)
        expect([unknown.status, unknown.body.error.code]).toEqual([200, -32601])

        const stream = yield* call("/mcp", { headers })
        expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "text/event-stream"])
        expect((yield* call("/mcp", { method: "DELETE", headers })).status).toBe(200)
        expect(yield* Effect.promise(() => stream.text())).toContain(": connected")

        const after = yield* post("/mcp", rpc("tools/list"), headers)
        expect([after.status, after.body.error.code]).toEqual([404, "not_found"])
        expect((yield* callJson("/mcp", { headers })).status).toBe(404)
      }))

    it.effect("browsers, which may read the session id", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey(["read"])
        const begun = yield* post("/mcp", initialize("2025-06-18"), { ...headers, origin: "https://app.example" })
        expect(begun.headers.get("access-control-allow-origin")).toBe("*")
        expect(begun.headers.get("access-control-expose-headers")).toContain("mcp-session-id")
      }))

    it.effect("an explanation for unprocessable requests, never an internal error", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        // Deeper than any field, and within what a message may have.
        const deep = `${"[".repeat(50)}${"]".repeat(50)}`
        const failure = (params: object) =>
          Effect.map(
            callJson("/mcp", {
              method: "POST",
              headers: { ...headers, "content-type": "application/json" },
              body: JSON.stringify(rpc("tools/call", params)).replace("\"DEEP\"", deep)
            }),
            ({ body }) => body
          )
        const issues = (params: object) =>
          Effect.map(
            failure(params),
            ({ result }) => [result.isError, JSON.parse(result.content[0].text).error.details.map(({ path }: Json) => path)]
          )
        expect(yield* issues({ name: "get_monitor", arguments: { id: "\ud800" } })).toEqual([true, ["id"]])
        expect(yield* issues({ name: "list_events", arguments: { types: "DEEP" } })).toEqual([true, ["types"]])
        expect(yield* issues({ name: "create_page", arguments: { name: "DEEP" } })).toEqual([true, ["name"]])
        for (const key of ["a\r\nb: c", "\u8ba2\u5355", 5, null]) {
          const params = { name: "create_page", arguments: { name: "A" }, _meta: { "belltower/idempotency-key": key } }
          expect([key, yield* issues(params)]).toEqual([key, [true, ["Idempotency-Key"]]])
        }
        for (const given of [[], null, "{}", 5]) {
          const { error } = yield* failure({ name: "list_events", arguments: given })
          expect([given, error.code, error.message]).toEqual([given, -32602, expect.stringContaining("params.arguments: ")])
        }
      }))

    it.effect("no details of an internal error, only the id under which it is logged", () =>
      Effect.gen(function*() {
        const shown = yield* Effect.provideService(toldOf(Cause.die(new Error("select secret from vault"))), RequestId, "r1")
        expect(shown).toMatchObject({
          code: -32603,
          message: expect.stringContaining("request r1"),
          data: { error: { code: "internal" } }
        })
        expect(JSON.stringify(shown)).not.toContain("vault")
        expect(yield* toldOf(Cause.fail(invalidParams("no such prompt")))).toMatchObject({
          code: -32602,
          message: "no such prompt"
        })
      }))

    it.effect("no invalid message", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const sent = (text: string) =>
          call("/mcp", { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: text })
        expect((yield* sent("{")).status).toBe(400)
        expect((yield* sent("[]")).status).toBeLessThan(500)
        expect((yield* sent("{\"jsonrpc\":\"2.0\"}")).status).toBe(400)
        expect((yield* sent(JSON.stringify(rpc("tools/list", { x: "y".repeat(1_100_000) })))).status).toBe(413)
        expect((yield* callJson("/mcp", { headers })).status).toBe(400)
        expect((yield* callJson("/mcp", { method: "PUT" })).status).toBe(405)
      }))

    it.effect("no batch of many messages, and no message of many fields or levels", () =>
      Effect.gen(function*() {
        const sent = (body: string) =>
          callJson("/mcp/public", { method: "POST", headers: { "content-type": "application/json" }, body })
        const batch = (size: number) => JSON.stringify(Array.from({ length: size }, (_, id) => ({ ...rpc("ping"), id })))
        expect((yield* sent(batch(20))).body.length).toBe(20)
        const refused = yield* sent(batch(21))
        expect([refused.status, refused.body.error.message]).toEqual([400, "A batch holds more than 20 messages"])
        expect((yield* sent(JSON.stringify(rpc("ping", { list: Array.from({ length: 10_001 }, () => 1) })))).status).toBe(400)
        expect((yield* sent(`{"jsonrpc":"2.0","id":1,"method":"ping","params":${"[".repeat(99)}${"]".repeat(99)}}`)).status).toBe(
          400
        )
      }))
  })
})
