/** A monitor of an MCP server from its creation to a change of the server's tools, by a running program. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { mcpTarget } from "../support/targets/McpTarget.ts"
import { newAgent } from "./support/Client.ts"
import { awaited, freshProgram } from "./support/Program.ts"

it.scopedLive("a monitor pins the tools that a check saw, and is degraded once they differ", () =>
  Effect.gen(function*() {
    const { baseUrl } = yield* freshProgram()
    const agent = yield* newAgent(baseUrl)
    const server = yield* mcpTarget({ stateful: true, json: false })
    const { body: created, status } = yield* agent.post("/monitors", {
      name: "Tools",
      kind: "mcp",
      url: server.url,
      intervalSec: 86_400,
      failureThreshold: 1,
      expectedTools: ["search"],
      callTool: "search",
      body: "{\"query\":\"shoes\"}",
      assertions: [{ source: "json", path: "query", op: "eq", value: "shoes" }]
    })
    expect(status).toBe(201)
    const path = `/monitors/${created.id}`
    yield* awaited(agent.get(path), ({ body }) => body.state === "up")
    const { body: check } = yield* agent.post(`${path}/check`, {})
    expect(check).toMatchObject({ outcome: "up", evidence: { mcp: { server: "shop 2.1.0", protocolVersion: "2025-11-25" } } })
    const [search] = check.evidence.mcp.tools
    yield* agent.patch(path, { pinnedTools: [search] })
    expect((yield* agent.post(`${path}/check`, {})).body).toMatchObject({
      outcome: "degraded",
      cause: "mcp_tools",
      error: expect.stringContaining("(added: remove)")
    })
    yield* agent.patch(path, { pinnedTools: check.evidence.mcp.tools })
    expect((yield* agent.post(`${path}/check`, {})).body).toMatchObject({ outcome: "up", error: null })
  }), 60_000)
