/** Serves tools, prompts and resources with the SDK's server. Each message gets a new server, so no state is kept. */
import type { HttpRouter } from "@effect/platform"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SetLevelRequestSchema
} from "@modelcontextprotocol/sdk/types.js"
import { Cause, Effect, Exit, Option, Runtime } from "effect"
import { nearest } from "../domain/tools/Nearest.ts"
import type { Application } from "../http/server/Application.ts"
import { makeAnswerBudget } from "./AnswerBudget.ts"
import { complete } from "./Completions.ts"
import { withParamIssues } from "./ParamIssues.ts"
import { promptOf, prompts } from "./Prompts.ts"
import { invalidParams, toldOf, unknown } from "./ProtocolError.ts"
import { readResource, resources, resourceTemplates, type Sources } from "./Resources.ts"
import type { Caller } from "./ToolCall.ts"
import { callTool } from "./ToolResult.ts"
import { definitions, type OperationTool } from "./Tools.ts"

/** One endpoint as clients see it: tools, resources and instructions. */
export interface Surface extends Sources {
  readonly instructions: string
  readonly tools: ReadonlyArray<OperationTool>
  /** The subset of `tools` that tools/list returns to this client. */
  readonly shown: ReadonlyArray<OperationTool>
}

type Services = HttpRouter.HttpRouter.DefaultServices

/** The `_meta` field that carries the idempotency key of a tool call, instead of the header Idempotency-Key. */
const idempotencyMeta = "belltower/idempotency-key"

const unknownTool = (name: string, surface: Surface) => {
  const meant = nearest(name, surface.tools.map(({ operation }) => operation.id))
  return invalidParams(`${unknown("tool", name)}${meant === null ? "" : `; did you mean ${meant}?`}`)
}

const serverOf = (surface: Surface, app: Application, caller: Caller, runtime: Runtime.Runtime<Services>): Server => {
  const server = new Server(
    { name: "belltower", title: "Belltower", version: "1.0.0", websiteUrl: `${surface.baseUrl}/docs` },
    { capabilities: { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} }, instructions: surface.instructions }
  )
  const within = makeAnswerBudget()
  /** The SDK returns the rejection to the client, so reject with the failure itself. */
  const run = async <A, E>(effect: Effect.Effect<A, E, Services>, signal: AbortSignal): Promise<A> => {
    const reported = Effect.catchAllCause(effect, (cause) => Effect.flatMap(toldOf(cause), Effect.fail))
    const exit = await Runtime.runPromiseExit(runtime, reported, { signal })
    return Exit.isSuccess(exit) ? within(exit.value) : Promise.reject(Cause.squash(exit.cause))
  }
  server.setRequestHandler(ListToolsRequestSchema, () => within({ tools: [...definitions(surface.shown)] }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
    const found = surface.tools.find(({ operation }) => operation.id === params.name)
    const keyedCaller = { ...caller, idempotencyKey: params._meta?.[idempotencyMeta] }
    return found === undefined
      ? Promise.reject(unknownTool(params.name, surface))
      : run(callTool(app, found, params.arguments ?? {}, keyedCaller, surface.baseUrl), signal)
  })
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [...prompts] }))
  server.setRequestHandler(
    GetPromptRequestSchema,
    ({ params }, { signal }) => run(promptOf(params.name, params.arguments ?? {}), signal)
  )
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [...resources(surface)] }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [...resourceTemplates] }))
  server.setRequestHandler(
    ReadResourceRequestSchema,
    ({ params }, { signal }) => run(readResource(surface, app, caller, params.uri), signal)
  )
  // Answers carry their own errors and this server sends no log messages, so every level holds already.
  server.setRequestHandler(SetLevelRequestSchema, () => ({}))
  server.setRequestHandler(CompleteRequestSchema, ({ params }, { signal }) => run(complete(app, caller, params), signal))
  return server
}

/**
 * Answers one JSON-RPC POST. If the client disconnects, its calls are interrupted. `messages` is what its body holds, so that a large
 * one is not parsed twice; none when it is not JSON.
 */
export const answer = Effect.fn("McpServer.answer")(function*(
  surface: Surface,
  app: Application,
  caller: Caller,
  request: Request,
  messages: Option.Option<unknown>
) {
  const runtime = yield* Effect.runtime<Services>()
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => serverOf(surface, app, caller, runtime)),
    (acquired) => Effect.promise(() => acquired.close())
  )
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  yield* Effect.promise(() => server.connect(transport))
  const parsed = Option.match(messages, { onNone: () => ({}), onSome: (parsedBody) => ({ parsedBody }) })
  const response = yield* Effect.promise(() => transport.handleRequest(request, parsed))
  const headers: Record<string, string> = {}
  response.headers.forEach((value, name) => {
    headers[name] = value
  })
  return { status: response.status, headers, body: withParamIssues(yield* Effect.promise(() => response.text())) }
}, Effect.scoped)
