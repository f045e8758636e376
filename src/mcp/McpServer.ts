/** A surface of tools as the SDK's server, one for each message: nothing is kept between them. */
import type { HttpRouter } from "@effect/platform"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from "@modelcontextprotocol/sdk/types.js"
import { Effect, Runtime } from "effect"
import { nearest } from "../domain/Nearest.ts"
import type { Application } from "../http/Application.ts"
import { type Caller, callTool } from "./ToolCall.ts"
import type { OperationTool } from "./Tools.ts"

/** The tools of one address, and what their clients are told. */
export interface Surface {
  readonly instructions: string
  readonly tools: ReadonlyArray<OperationTool>
}

type Services = HttpRouter.HttpRouter.DefaultServices

const unknownTool = (name: string, surface: Surface) => {
  const meant = nearest(name, surface.tools.map(({ tool }) => tool.name))
  return new McpError(ErrorCode.InvalidParams, `Unknown tool: ${name}${meant === null ? "" : `; did you mean ${meant}?`}`)
}

const serverOf = (surface: Surface, app: Application, caller: Caller, runtime: Runtime.Runtime<Services>): Server => {
  const server = new Server(
    { name: "belltower", title: "Belltower", version: "1.0.0" },
    { capabilities: { tools: {} }, instructions: surface.instructions }
  )
  const tools = surface.tools.map(({ tool }) => tool)
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
    const found = surface.tools.find(({ tool }) => tool.name === params.name)
    return found === undefined
      ? Promise.reject(unknownTool(params.name, surface))
      : Runtime.runPromise(runtime, callTool(app, found.operation, params.arguments ?? {}, caller), { signal })
  })
  return server
}

/** Answers one POST of JSON-RPC. A client that leaves ends what it had asked for. */
export const answer = Effect.fn("McpServer.answer")(function*(
  surface: Surface,
  app: Application,
  caller: Caller,
  request: Request
) {
  const runtime = yield* Effect.runtime<Services>()
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => serverOf(surface, app, caller, runtime)),
    (made) => Effect.promise(() => made.close())
  )
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  yield* Effect.promise(() => server.connect(transport))
  const response = yield* Effect.promise(() => transport.handleRequest(request))
  const headers: Record<string, string> = {}
  response.headers.forEach((value, name) => {
    headers[name] = value
  })
  return { status: response.status, headers, body: yield* Effect.promise(() => response.text()) }
}, Effect.scoped)
