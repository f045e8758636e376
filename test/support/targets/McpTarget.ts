/** A real MCP server on loopback, made with the official SDK. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema, type Tool } from "@modelcontextprotocol/sdk/types.js"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { httpTarget } from "./LocalTargets.ts"

interface Mode {
  readonly stateful: boolean
  readonly json: boolean
}

/** A tool and what a call of it answers. */
export type OfferedTool = readonly [tool: Tool, run: (given: Readonly<Record<string, unknown>>) => CallToolResult]

/** A tool whose input schema has one property. */
export const toolWith = (name: string, property: string, type: string): Tool => ({
  name,
  inputSchema: { type: "object", properties: { [property]: { type } } }
})

const usual: ReadonlyArray<OfferedTool> = [
  [
    { ...toolWith("search", "query", "string"), description: "Finds things", annotations: { readOnlyHint: true } },
    ({ query }) => ({ content: [{ type: "text", text: `found ${String(query)}` }], structuredContent: { found: 3, query } })
  ],
  [toolWith("remove", "id", "string"), () => ({ content: [{ type: "text", text: "removed" }] })]
]

const serverWith = (tools: ReadonlyArray<OfferedTool>): Server => {
  const server = new Server({ name: "shop", version: "2.1.0" }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(([tool]) => tool) }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const found = tools.find(([{ name }]) => name === params.name)
    return found?.[1](params.arguments ?? {}) ?? { isError: true, content: [] }
  })
  return server
}

/** Returns its URL, the methods of the requests so far, and the sessions that are open. */
export const mcpTarget = (
  { json, stateful }: Mode,
  { more = [], refuses = () => false }: {
    readonly more?: ReadonlyArray<OfferedTool>
    /** Answers a request itself. */
    readonly refuses?: (request: IncomingMessage, response: ServerResponse) => boolean
  } = {}
) => {
  const open = new Map<string, StreamableHTTPServerTransport>()
  const asked: Array<string> = []
  const transportOf = async (): Promise<StreamableHTTPServerTransport> => {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      enableJsonResponse: json,
      ...(stateful ? { sessionIdGenerator: randomUUID } : {}),
      onsessioninitialized: (id) => void open.set(id, transport),
      onsessionclosed: (id) => void open.delete(id)
    })
    await serverWith([...usual, ...more]).connect(transport)
    return transport
  }
  const url = httpTarget((request, response) => {
    asked.push(request.method ?? "")
    if (refuses(request, response)) return
    const known = open.get(String(request.headers["mcp-session-id"]))
    void (known === undefined ? transportOf() : Promise.resolve(known)).then((transport) =>
      transport.handleRequest(request, response)
    )
  })
  return Effect.map(url, (origin) => ({ url: `${origin}/mcp`, asked, open }))
}
