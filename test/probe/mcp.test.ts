/** The mcp check against servers of the official SDK, with and without client credentials. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { McpTarget } from "../../schema/monitor/kinds/mcp.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentTo } from "../support/probe/Assignments.ts"
import { json, lookAtMcp as lookAt, mcpTargetOf as targetOf } from "../support/probe/McpChecks.ts"
import { httpTarget, probing, tcpTarget } from "../support/targets/LocalTargets.ts"
import { mcpTarget, toolWith } from "../support/targets/McpTarget.ts"

const modes = [
  { stateful: true, json: true },
  { stateful: true, json: false },
  { stateful: false, json: true },
  { stateful: false, json: false }
]

describe("an mcp check", () => {
  it.scopedLive.each(modes)("talks to a server of the SDK, stateful: $stateful, json: $json", (mode) =>
    Effect.gen(function*() {
      const { asked, open, url } = yield* mcpTarget(mode)
      const seen = yield* lookAt(url, {
        expectedTools: ["search", "remove"],
        callTool: "search",
        assertions: [{ source: "json", path: "found", op: "eq", value: 3 }, { source: "latency", op: "lt", value: 5000 }]
      }, { secrets: { body: "{\"query\":\"shoes\"}" } })
      expect(seen).toMatchObject({ outcome: "up", error: null, cause: null, statusCode: 200, reached: "127.0.0.1" })
      const evidence = (yield* seen.evidence)!
      expect(evidence).toMatchObject({
        request: { method: "MCP", url },
        body: "{\"found\":3,\"query\":\"shoes\"}",
        mcp: {
          server: "shop 2.1.0",
          protocolVersion: "2025-11-25",
          tools: [expect.stringMatching(/^search@[0-9a-f]{16}$/), expect.stringMatching(/^remove@[0-9a-f]{16}$/)]
        }
      })
      expect(evidence.assertions.map(({ passed }) => passed)).toEqual([true, true])
      expect(asked).toEqual(["POST", "POST", "POST", "POST", ...mode.stateful ? ["DELETE"] : []])
      expect([...open.keys()]).toEqual([])
      if (mode.stateful) expect(evidence.responseHeaders["mcp-session-id"]).toBe("[hidden]")
    }).pipe(Effect.provide(probing())))

  it.scopedLive("is down without an expected tool, and judges the list of tools if it calls none", () =>
    Effect.gen(function*() {
      const { url } = yield* mcpTarget({ stateful: false, json: true })
      expect(yield* lookAt(url, { expectedTools: ["search", "buy"] })).toMatchObject({
        outcome: "down",
        cause: "mcp_tools",
        error: "The server does not list buy; it lists search, remove"
      })
      const path = "$.tools[?@.name == 'search'].description"
      expect(yield* lookAt(url, { assertions: [{ source: "json", path, op: "eq", value: "Finds things" }] }))
        .toMatchObject({ outcome: "up", error: null })
      expect(yield* lookAt(url, { assertions: [{ source: "json", path, op: "eq", value: "x", severity: "degraded" }] }))
        .toMatchObject({ outcome: "degraded", cause: "assertion" })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("is degraded if the tools differ from those that are pinned, and says how", () =>
    Effect.gen(function*() {
      const empty = () => ({ content: [] })
      const before = yield* mcpTarget({ stateful: false, json: true }, {
        more: [[toolWith("stock", "id", "string"), empty], [toolWith("price", "id", "string"), empty]]
      })
      const pins = (yield* (yield* lookAt(before.url)).evidence)!.mcp!.tools
      expect(yield* lookAt(before.url, { pinnedTools: pins })).toMatchObject({ outcome: "up", error: null })
      const after = yield* mcpTarget({ stateful: false, json: true }, {
        more: [[toolWith("stock", "id", "number"), empty], [toolWith("order", "id", "string"), empty]]
      })
      expect(yield* lookAt(after.url, { pinnedTools: pins })).toMatchObject({
        outcome: "degraded",
        cause: "mcp_tools",
        error: "The tools differ from those that are pinned (added: order; removed: price; changed: stock). " +
          "Set pinnedTools to accept the change"
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("calls no tool that may change something, unless that is allowed, and reports a call that fails", () =>
    Effect.gen(function*() {
      const calls: Array<string> = []
      const { url } = yield* mcpTarget({ stateful: false, json: false }, {
        more: [[toolWith("ship", "id", "string"), () => {
          calls.push("ship")
          return { isError: true, content: [{ type: "text", text: "no stock" }] }
        }]]
      })
      expect(yield* lookAt(url, { callTool: "ship" })).toMatchObject({
        outcome: "down",
        cause: "mcp_tools",
        error: expect.stringMatching(/^ship was not called: the server does not mark it as read-only/)
      })
      expect(calls).toEqual([])
      expect(yield* lookAt(url, { callTool: "ship", callMayChange: true })).toMatchObject({
        outcome: "down",
        cause: "mcp_error",
        error: "The call of ship failed: no stock"
      })
      expect(calls).toEqual(["ship"])
      expect(yield* lookAt(url, { callTool: "none" })).toMatchObject({
        cause: "mcp_tools",
        error: "The server does not list none, so it was not called"
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("follows a redirect to the server, and says where it ended if that is none", () =>
    Effect.gen(function*() {
      const { url } = yield* mcpTarget({ stateful: false, json: true })
      const redirecting = yield* httpTarget((_, response) => response.writeHead(307, { location: url }).end())
      expect(yield* lookAt(redirecting)).toMatchObject({ outcome: "up", error: null })
      const page = yield* httpTarget((_, response) =>
        response.writeHead(200, { "content-type": "text/html" }).end("<title>Welcome</title>")
      )
      expect(yield* lookAt(page)).toMatchObject({
        outcome: "down",
        cause: "protocol_error",
        error: "Expected JSON or an event stream in answer to initialize, got text/html (title \"Welcome\"); " +
          "the URL may not be that of an MCP server"
      })
    }).pipe(Effect.provide(probing())))
})
describe("client credentials", () => {
  const credentials = (tokenUrl: string) => ({ tokenUrl, clientId: "belltower", scope: "tools:read" })
  const secrets = { clientSecret: "cl1ent-s3cr3t" }

  it.scopedLive("get a token, which later checks use until it expires or is refused", () =>
    Effect.gen(function*() {
      const forms: Array<string> = []
      let issued = 0
      const tokenUrl = yield* httpTarget((request, response) => {
        const expected = `Basic ${Buffer.from("belltower:cl1ent-s3cr3t").toString("base64")}`
        request.on("data", (part: Buffer) => forms.push(`${request.headers.authorization === expected} ${String(part)}`))
        request.on("end", () => json(response, { access_token: `t0ken-${++issued}`, token_type: "Bearer", expires_in: 3600 }))
      })
      let valid = "t0ken-1"
      const { url } = yield* mcpTarget({ stateful: true, json: true }, {
        refuses: ({ headers }, response) => {
          if (headers.authorization === `Bearer ${valid}`) return false
          response.writeHead(401, { "www-authenticate": "Bearer error=\"invalid_token\"" }).end()
          return true
        }
      })
      const assignment = assignmentTo<McpTarget>(targetOf(url, credentials(tokenUrl)), { secrets })
      expect(yield* probeOnce(assignment)).toMatchObject({ outcome: "up", error: null })
      expect(yield* probeOnce(assignment)).toMatchObject({ outcome: "up", error: null })
      const resource = encodeURIComponent(url)
      expect(forms).toEqual([`true grant_type=client_credentials&scope=tools%3Aread&resource=${resource}`])
      valid = "t0ken-2"
      expect(yield* probeOnce(assignment)).toMatchObject({ outcome: "up", error: null })
      expect(issued).toBe(2)
      valid = "none"
      expect(yield* probeOnce(assignment)).toMatchObject({
        outcome: "down",
        cause: "status",
        error: "The server requires sign-in: it answered 401 (WWW-Authenticate: Bearer error=\"invalid_token\"). " +
          "It refuses the access token of tokenUrl"
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("that are refused are sent in the form, and then reported without the secret", () =>
    Effect.gen(function*() {
      const { url } = yield* mcpTarget({ stateful: false, json: true })
      const inForm = yield* httpTarget((request, response) => {
        if (request.headers.authorization !== undefined) return response.writeHead(401).end()
        request.on("data", (part: Buffer) =>
          json(response, String(part).includes("client_secret=cl1ent-s3cr3t") ? { access_token: "t0ken-1" } : {}))
      })
      expect(yield* lookAt(url, credentials(inForm), { secrets })).toMatchObject({ outcome: "up", error: null })
      const refusing = yield* httpTarget((_, response) =>
        response.writeHead(401, { "content-type": "application/json" })
          .end("{\"error\":\"invalid_client\",\"error_description\":\"cl1ent-s3cr3t is wrong\"}")
      )
      const seen = yield* lookAt(url, credentials(refusing), { secrets })
      expect(seen).toMatchObject({
        outcome: "down",
        cause: "status",
        error: "The token endpoint refused the client credentials with status 401: invalid_client, [hidden] is wrong"
      })
      expect(JSON.stringify([seen, yield* seen.evidence])).not.toContain("cl1ent-s3cr3t")
      const odd = yield* httpTarget((_, response) =>
        json(response, { access_token: ["t0ken-odd"] })
      )
      const unread = yield* lookAt(url, credentials(odd), { secrets })
      expect(unread).toMatchObject({ outcome: "down", cause: "protocol_error" })
      expect((yield* unread.evidence)!.body).toBeNull()
    }).pipe(Effect.provide(probing())))

  it.scopedLive("are not sent to a private address", () =>
    Effect.gen(function*() {
      let connections = 0
      const port = yield* tcpTarget(() => connections++)
      const seen = yield* lookAt("https://mcp.example/", credentials(`http://127.0.0.1:${port}/`), { secrets })
      expect([seen.outcome, seen.cause, connections]).toEqual(["down", "blocked_target", 0])
    }).pipe(Effect.provide(probing({ allow: "" }))))
})
