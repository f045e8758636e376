/** Checks of MCP servers, for tests. */
import type { ServerResponse } from "node:http"
import type { McpTarget } from "../../../schema/monitor/kinds/mcp.ts"
import { probeOnce } from "../../../src/probe/probes.ts"
import { assignmentTo } from "./Assignments.ts"

type Rest = Parameters<typeof assignmentTo>[1]

export const mcpTargetOf = (url: string, more: Partial<McpTarget> = {}): McpTarget => ({
  kind: "mcp",
  url,
  tokenUrl: null,
  clientId: null,
  scope: null,
  expectedTools: [],
  pinnedTools: [],
  callTool: null,
  callMayChange: false,
  degradedAfterMs: null,
  sslExpiryDays: null,
  assertions: [],
  ...more
})

export const lookAtMcp = (url: string, more: Partial<McpTarget> = {}, rest: Rest = {}) =>
  probeOnce(assignmentTo<McpTarget>(mcpTargetOf(url, more), { timeoutMs: 5000, ...rest }))

export const json = (response: ServerResponse, value: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(200, { "content-type": "application/json", ...headers })
    .end(typeof value === "string" ? value : JSON.stringify(value))
